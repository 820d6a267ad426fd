/** The way from pods to a server that listens on loopback only. */
import { connect, createServer, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { aborted } from '../../runtime/kernel/async/abort-signal.ts'
import { offsetIn, parseRange } from '../../runtime/kernel/values/ip-ranges.ts'

/**
 * Leads connections to the port of the machine's address on to the same port of loopback, until `signal` aborts: there the endpoints of the API's
 * service lie. Only programs of the machine, and pods whose network is behind another of its interfaces, are let through.
 * @throws the error of node:net if the address cannot be bound.
 */
export async function leadToServer(
  { address, port }: { readonly address: string; readonly port: number },
  signal: AbortSignal,
): Promise<void> {
  if (address.startsWith('127.')) return
  const sockets = new Set<Socket>()
  const follow = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
  }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    follow(client)
    if (!isFromMachine(client.remoteAddress ?? '', address)) return void client.resetAndDestroy()
    const target = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
    follow(target)
    client.pipe(target)
    target.pipe(client)
    client.once('close', () => target.destroy())
    target.once('close', () => client.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: address, port }, resolve)
  })
  await aborted(signal)
  const closed = new Promise((resolve) => server.close(resolve))
  for (const socket of sockets) socket.destroy()
  await closed
}

/** True for an address of the machine, and for one behind an interface that has not the address by which others reach it. */
function isFromMachine(remote: string, outer: string): boolean {
  const interfaces = Object.values(networkInterfaces()).map((found) => found ?? [])
  if (interfaces.flat().some(({ address }) => address === remote)) return true
  const inner = interfaces.filter((found) => !found.some(({ address }) => address === outer))
  return inner.flat().some(({ cidr }) => {
    const range = parseRange(cidr ?? '')
    return range !== undefined && offsetIn(range, remote) !== undefined
  })
}
