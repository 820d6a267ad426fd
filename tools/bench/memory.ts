/** What a server keeps: the memory of its process with many objects, under updates, and with a watcher that reads nothing. */
import { connect } from 'node:net'
import { type Address, requestBytes, responses } from './load.ts'
import type { Report } from './report.ts'
import { residentMegabytes, startServer } from './servers.ts'

const maps = '/api/v1/namespaces/default/configmaps'
const objects = 10_000
const updated = 200
/** More than the history keeps, so that it is at its bound. */
const updates = 100_000
const slowUpdates = 550

/** The memory of the process, in megabytes, while it works: garbage that waits for its collection is part of it. */
export async function bench(report: Report): Promise<void> {
  const server = await startServer('memory')
  const say = (name: string, atMost: number) =>
    report(name, residentMegabytes(server.pid), 'MB', undefined, { atMost })
  await sent(server.address, objects, 16, (at) => ['POST', maps, mapText(`m${at}`, 1750)])
  say(`${objects} objects of 2 KiB`, 220)
  await sent(server.address, updates, 16, (at) => {
    const name = `m${at % updated}`
    return ['PUT', `${maps}/${name}`, mapText(name, 450, at)]
  })
  say(`and ${updates} updates`, 350)
  const slow = connect(server.address)
  slow.write(requestBytes('GET', `${maps}?watch=1`))
  slow.pause()
  await sent(server.address, slowUpdates, 1, (at) => ['PUT', `${maps}/m0`, mapText('m0', 4e5, at)])
  say(`and ${slowUpdates} of 400 KB before a watcher that reads nothing`, 400)
  slow.destroy()
  await server.stop()
}

function mapText(name: string, length: number, version = 0): string {
  return JSON.stringify({ metadata: { name }, data: { value: `${version}`.padEnd(length, 'x') } })
}

/** Sends so many requests, `connections` at once. */
async function sent(
  address: Address,
  count: number,
  connections: number,
  request: (at: number) => Parameters<typeof requestBytes>,
): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    const socket = connect(address)
    const answered = responses(socket)
    while (next < count) {
      socket.write(requestBytes(...request(next++)))
      await answered()
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: connections }, worker))
}
