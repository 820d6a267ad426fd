/** What a watcher costs that has nothing to see: the memory of a server of its own process. */
import { connect, type Socket } from 'node:net'
import { type Address, exchange, requestBytes } from './load.ts'
import type { Report } from './report.ts'
import { residentMegabytes, startServer } from './servers.ts'

const watchers = 5000
const maps = '/api/v1/namespaces/default/configmaps'

/** Memory of a server without requests, and with watchers that wait. */
export async function bench(report: Report): Promise<void> {
  const server = await startServer('memory')
  const before = residentMegabytes(server.pid)
  const sockets = await openWatches(server.address)
  const after = residentMegabytes(server.pid)
  report(`memory of ${watchers} idle watchers`, after, 'MB', undefined, { atMost: 250 })
  report('of them, each', ((after - before) * 1024) / watchers, 'KiB')
  for (const socket of sockets) socket.destroy()
  await server.stop()
}

/** Opens the watches one after the other, each until it has its headers. */
async function openWatches(address: Address): Promise<readonly Socket[]> {
  const { body } = await exchange(address, requestBytes('GET', `${maps}?limit=1`))
  const { metadata } = JSON.parse(body.toString()) as { metadata: { resourceVersion: string } }
  const path = `${maps}?watch=1&allowWatchBookmarks=true&resourceVersion=${metadata.resourceVersion}`
  const sockets: Socket[] = []
  for (let at = 0; at < watchers; at++) {
    const socket = connect(address)
    socket.write(requestBytes('GET', path))
    await new Promise((resolve) => socket.once('data', resolve))
    sockets.push(socket)
  }
  return sockets
}
