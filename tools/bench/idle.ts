/** What a watcher costs that has nothing to see: the memory of a server of its own process. */
import { execFileSync, spawn } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Address, exchange, requestBytes } from './load.ts'

type Report = (
  name: string,
  value: number,
  unit: string,
  limit?: { readonly name: string; readonly value: number },
) => void

const watchers = 5000
const maps = '/api/v1/namespaces/default/configmaps'
const daemon = fileURLToPath(new URL('../../daemons/apiserver/main.js', import.meta.url))

export async function bench(report: Report): Promise<void> {
  const child = spawn(process.execPath, [daemon, '--insecure-port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const address = await new Promise<Address>((resolve) => {
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      const url = /^ready (\S+)$/m.exec(printed)?.[1]
      if (url === undefined) return
      const { hostname, port } = new URL(url)
      resolve({ host: hostname, port: Number(port) })
    })
  })
  const before = residentMegabytes(child.pid ?? 0)
  const sockets = await openWatches(address)
  const after = residentMegabytes(child.pid ?? 0)
  report(`memory of ${watchers} idle watchers`, after, 'MB', { name: 'the allowed', value: 250 })
  report('of them, each', ((after - before) * 1024) / watchers, 'KiB')
  for (const socket of sockets) socket.destroy()
  child.kill()
}

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

function residentMegabytes(pid: number): number {
  const kibibytes = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return Number(kibibytes) / 1024
}
