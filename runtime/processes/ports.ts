/**
 * The ports of a group. The supervisor accepts, and its processes take what comes in turn: one connection at a time, so that a busy process
 * takes fewer. A connection stays open here until a process says that it has it: one on its way to a process that ends goes to the next.
 * (`node:cluster` hands connections out as well, but those on their way to a process that is killed hang for good.)
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { AboutPort, FromSupervisor } from './messages.ts'

/** Most connections that wait for a process; what comes beyond is closed. */
const maxWaiting = 511

type Tell = (number: number, message: FromSupervisor, connection?: Socket) => void

/** All ports of a group, by the names that its processes have for them. */
export class Ports {
  readonly #tell: Tell
  readonly #ports = new Map<string, Promise<SharedPort>>()

  constructor(tell: Tell) {
    this.#tell = tell
  }

  /** What a process says. */
  async hear(number: number, message: AboutPort): Promise<void> {
    if ('listen' in message) return this.#listen(number, message)
    if ('taken' in message) return (await this.#ports.get(message.taken))?.taken(number)
    if ('returned' in message) return (await this.#ports.get(message.returned))?.gone(number)
    if ((await this.#ports.get(message.leave))?.leave(number) === 0) {
      this.#ports.delete(message.leave)
    }
  }

  /** A process has ended. */
  async gone(number: number): Promise<void> {
    for (const port of this.#ports.values()) (await port.catch(() => undefined))?.gone(number)
  }

  async #listen(
    number: number,
    { listen: name, ...where }: Extract<AboutPort, { listen: string }>,
  ): Promise<void> {
    let opening = this.#ports.get(name)
    if (opening === undefined) {
      opening = SharedPort.open(where, (to, connection) =>
        this.#tell(to, { connection: name }, connection),
      )
      this.#ports.set(name, opening)
    }
    try {
      const port = await opening
      this.#tell(number, { listening: name, address: port.address })
      port.join(number)
    } catch (error) {
      this.#ports.delete(name)
      const { message, code } = error as NodeJS.ErrnoException
      this.#tell(number, { listening: name, problem: { message, code } })
    }
  }
}

/** One port. */
class SharedPort {
  readonly #server: Server
  readonly #give: (number: number, connection: Socket) => void
  readonly #waiting: Socket[] = []
  readonly #members = new Set<number>()
  /** Who takes the next connection stands first. */
  readonly #free: number[] = []
  /** By process, what it has been given and has not taken yet. */
  readonly #given = new Map<number, Socket>()

  private constructor(server: Server, give: (number: number, connection: Socket) => void) {
    this.#server = server
    this.#give = give
    server.on('connection', (connection: Socket) => this.#add(connection))
  }

  /** @throws the error of node:net if the address cannot be bound. */
  static async open(
    where: { readonly host: string; readonly port: number },
    give: (number: number, connection: Socket) => void,
  ): Promise<SharedPort> {
    const server = createServer({ pauseOnConnect: true, noDelay: true, keepAlive: true })
    server.listen({ ...where, exclusive: true })
    await once(server, 'listening')
    return new SharedPort(server, give)
  }

  get address(): AddressInfo {
    return this.#server.address() as AddressInfo
  }

  join(number: number): void {
    this.#members.add(number)
    this.#free.push(number)
    this.#hand()
  }

  /** A process has the connection that it was given. */
  taken(number: number): void {
    this.#given.get(number)?.destroy()
    this.#given.delete(number)
    if (this.#members.has(number)) this.#free.push(number)
    this.#hand()
  }

  /** A process takes none any more, and not the one that it was given. */
  gone(number: number): void {
    this.#remove(number)
    const given = this.#given.get(number)
    this.#given.delete(number)
    if (given === undefined) return
    if (!this.#server.listening) return void given.destroy()
    this.#waiting.unshift(given)
    this.#hand()
  }

  /** A process takes none any more, but for what is on its way to it. The last one closes the port. Gives how many are left. */
  leave(number: number): number {
    this.#remove(number)
    if (this.#members.size === 0) {
      this.#server.close()
      for (const connection of this.#waiting.splice(0)) connection.destroy()
    }
    return this.#members.size
  }

  #remove(number: number): void {
    this.#members.delete(number)
    const at = this.#free.indexOf(number)
    if (at >= 0) this.#free.splice(at, 1)
  }

  #add(connection: Socket): void {
    // What becomes of it the process finds out that takes it.
    connection.on('error', () => {})
    if (this.#waiting.length >= maxWaiting) connection.destroy()
    else this.#waiting.push(connection)
    this.#hand()
  }

  #hand(): void {
    while (this.#free.length > 0) {
      const connection = this.#waiting.shift()
      if (connection === undefined) return
      const number = this.#free.shift() as number
      this.#given.set(number, connection)
      this.#give(number, connection)
    }
  }
}
