import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type Deferred, deferred } from '../../kernel/async/deferred.ts'

/** An address to bind. */
interface Where {
  readonly host: string
  readonly port: number
}

/** Where the connections of a server come from. */
export interface Port {
  readonly address: AddressInfo
  /** Resolves once the port is closed, and every connection that came from it. */
  readonly closed: Promise<void>
  /** Takes no more connections. */
  close(): void
}

/** Opens a port that has several listeners; `take` gets the connections that are for this one, from then on until it closes. */
export type PortOpener = (
  where: Where,
  take: (connection: Socket) => void,
) => Promise<Pick<Port, 'address' | 'close'>>

/** Binds a port for this server alone. @throws the error of node:net if it cannot be bound. */
export function bindPort(server: Server, where: Where): Promise<Port> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    // In a process of a group, node:cluster would share it.
    server.listen({ ...where, exclusive: true }, () => {
      server.off('error', reject)
      resolve({
        address: server.address() as AddressInfo,
        closed: new Promise((closed) => server.once('close', closed)),
        close: () => server.close(),
      })
    })
  })
}

/** Has a server take connections from a port that it shares. @throws the error of node:net if it cannot be bound. */
export async function sharePort(server: Server, openPort: PortOpener, where: Where): Promise<Port> {
  const connections = new SharedConnections(server)
  const { address, close } = await openPort(where, (connection) => connections.add(connection))
  // Begins the search for slow senders.
  server.emit('listening')
  return {
    address,
    closed: connections.ended,
    close() {
      close()
      server.close()
      connections.end()
    },
  }
}

/** The connections of a server that it did not accept itself: `node:net` does not count them. */
class SharedConnections {
  readonly #server: Server
  readonly #open = new Set<Socket>()
  readonly #ended: Deferred<void> = deferred()
  #last = false

  constructor(server: Server) {
    this.#server = server
  }

  /** Resolves when the last one is closed. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  add(connection: Socket): void {
    if (this.#open.size >= this.#server.maxConnections) {
      connection.destroy()
      this.#server.emit('drop')
      return
    }
    this.#open.add(connection)
    connection.once('close', () => {
      this.#open.delete(connection)
      if (this.#last) this.end()
    })
    this.#server.emit('connection', connection)
  }

  /** No more come. */
  end(): void {
    this.#last = true
    if (this.#open.size === 0) this.#ended.resolve()
  }
}
