import { type AddressInfo, Socket } from 'node:net'
import { type Deferred, deferred } from '../kernel/async/deferred.ts'
import { sharedFile, socketOfProcess } from './descriptors.ts'
import type { FromProcess, FromSupervisor, Welcome } from './messages.ts'

/** One process of a group, as it sees itself. */
export interface GroupMember extends Welcome {
  /** Aborts when the supervisor says so. A process whose supervisor is gone ends at once. */
  readonly signal: AbortSignal
  /** Opens the socket that the supervisor has the other end of. An open one keeps the process alive. */
  socket(): Socket
  /** The file that all processes of the group have open. */
  readonly file: number
  /**
   * Takes connections of an address, in turn with the other processes that listen under the same name. @throws the error of node:net if
   * the address cannot be bound.
   */
  listen(name: string, where: GroupAddress, take: (connection: Socket) => void): Promise<GroupPort>
  /** Tells the supervisor that this process serves, and what it has to say about that. */
  ready(told: unknown): void
  /** What each other process answers; rejects if one that is there does not. */
  ask(subject: string): Promise<readonly unknown[]>
  /** Answers what others ask from now on. */
  answer(subject: string, value: () => unknown): void
  /** Lets the process end once it has nothing more to do. */
  leave(): void
}

/** Where a group listens; port 0 picks one that is free. */
export interface GroupAddress {
  readonly host: string
  readonly port: number
}

/** A port of a group, as one process has it. */
export interface GroupPort {
  readonly address: AddressInfo
  /** Takes no more connections from it. The last process that does closes the port. */
  close(): void
}

/** What this process is in a group; undefined where it is in none. */
export async function joinGroup(): Promise<GroupMember | undefined> {
  // Loading the module takes time which the start of most servers has no use for.
  if (process.send === undefined) return undefined
  const { default: cluster } = await import('node:cluster')
  const { worker } = cluster
  if (worker === undefined) return undefined
  const member = new Member((message) => void worker.send(message))
  // What cannot be sent is read by none: the supervisor is gone.
  worker.on('error', () => worker.kill())
  worker.on('message', (message: FromSupervisor, connection?: Socket) => {
    member.hear(message, connection)
  })
  worker.send({ here: true } satisfies FromProcess)
  return member.joined(() => worker.disconnect())
}

class Member {
  readonly #send: (message: FromProcess) => void
  readonly #stop = new AbortController()
  readonly #answers = new Map<string, () => unknown>()
  readonly #ports = new Map<string, MemberPort>()
  readonly #asked = new Map<number, (values: readonly unknown[] | undefined) => void>()
  #greet: (welcome: Welcome) => void = () => {}
  readonly #welcome = new Promise<Welcome>((resolve) => {
    this.#greet = resolve
  })

  constructor(send: (message: FromProcess) => void) {
    this.#send = send
  }

  async joined(leave: () => void): Promise<GroupMember> {
    const welcome = await this.#welcome
    return {
      ...welcome,
      signal: this.#stop.signal,
      socket: () => new Socket({ fd: socketOfProcess }),
      file: sharedFile,
      listen: (name, where, take) => this.#listen(name, where, take),
      ready: (told) => this.#send({ ready: told }),
      ask: (subject) => this.#ask(subject),
      answer: (subject, value) => void this.#answers.set(subject, value),
      leave,
    }
  }

  hear(message: FromSupervisor, connection: Socket | undefined): void {
    if ('connection' in message) this.#take(message.connection, connection)
    else if ('listening' in message) this.#listens(message)
    else if ('welcome' in message) this.#greet(message.welcome)
    else if ('stop' in message) this.#stop.abort()
    else if ('asked' in message) this.#answer(message.asked, message.subject)
    else {
      this.#asked.get(message.answered)?.(message.values)
      this.#asked.delete(message.answered)
    }
  }

  async #listen(
    name: string,
    where: GroupAddress,
    take: (connection: Socket) => void,
  ): Promise<GroupPort> {
    const port: MemberPort = { take, address: deferred() }
    this.#ports.set(name, port)
    this.#send({ listen: name, ...where })
    const close = (): void => {
      if (this.#ports.delete(name)) this.#send({ leave: name })
    }
    return { address: await port.address.promise, close }
  }

  #listens(message: Extract<FromSupervisor, { listening: string }>): void {
    const port = this.#ports.get(message.listening)
    if ('address' in message) port?.address.resolve(message.address)
    else {
      const { message: text, code } = message.problem
      port?.address.reject(Object.assign(new Error(text), { code }))
    }
  }

  /** A connection that its client has closed meanwhile may come without its socket. */
  #take(name: string, connection: Socket | undefined): void {
    const port = this.#ports.get(name)
    if (port === undefined) {
      connection?.destroy()
      this.#send({ returned: name })
      return
    }
    this.#send({ taken: name })
    if (connection !== undefined) port.take(connection)
  }

  #answer(asked: number, subject: string): void {
    const value = this.#answers.get(subject)
    this.#send(value === undefined ? { noAnswer: asked } : { answer: asked, value: value() })
  }

  #ask(subject: string): Promise<readonly unknown[]> {
    asks += 1
    const ask = asks
    return new Promise((resolve) => {
      this.#asked.set(ask, (values = []) => resolve(values))
      this.#send({ ask, subject })
    })
  }
}

/** A port that this process takes connections from. */
interface MemberPort {
  readonly take: (connection: Socket) => void
  readonly address: Deferred<AddressInfo>
}

/** Questions of this process so far. */
let asks = 0
