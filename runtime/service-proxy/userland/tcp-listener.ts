import { connect, createServer, type Socket } from 'node:net'
import { plainAddress } from '../../kernel/values/ip-ranges.ts'
import type { Backend, Frontend } from '../contract/plan.ts'
import { backendChoice } from './choose-backend.ts'
import { type Listener, type ListenerOptions, mayCome } from './listener.ts'

/** Milliseconds after which the next backend is tried. */
const connectMs = 2_000

/** Binds the port and leads connections on. @throws the error of node:net if it cannot be bound. */
export function tcpListener(options: ListenerOptions): Promise<Listener> {
  const { host, clock, random } = options
  const choice = backendChoice(clock, random)
  const sockets = new Set<Socket>()
  let frontend: Frontend = options.frontend
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    follow(client)
    void lead(client)
  })

  async function lead(client: Socket): Promise<void> {
    const asked = frontend
    const address = plainAddress(client.remoteAddress ?? '') ?? ''
    if (!mayCome(address, asked)) return void client.destroy()
    for (const backend of choice.orderFor(address, asked)) {
      const server = await connected(backend)
      if (server === undefined) continue
      follow(server)
      if (client.destroyed) return void server.destroy()
      choice.keep(address, asked, backend)
      return join(client, server)
    }
    client.resetAndDestroy()
  }

  function follow(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
  }

  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port: frontend.port }, () => {
      server.off('error', reject)
      server.on('error', () => {})
      server.unref()
      resolve({
        use(next) {
          frontend = next
        },
        stop() {
          server.close()
          for (const socket of sockets) socket.destroy()
        },
      })
    })
  })
}

/** A connection to a backend; undefined if there is none in time. */
function connected({ address, port }: Backend): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, allowHalfOpen: true })
    const fail = (): void => {
      socket.destroy()
      resolve(undefined)
    }
    socket.setTimeout(connectMs, fail)
    socket.once('error', fail)
    socket.once('connect', () => {
      socket.setTimeout(0)
      socket.off('timeout', fail)
      socket.off('error', fail)
      resolve(socket)
    })
  })
}

/** Each end of a stream is told to the other side; a connection that breaks breaks both. */
function join(one: Socket, other: Socket): void {
  one.pipe(other)
  other.pipe(one)
  one.once('close', (isBroken) => isBroken && other.destroy())
  other.once('close', (isBroken) => isBroken && one.destroy())
}
