import { Socket } from 'node:net'
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
  /** Tells the supervisor that this process serves, and what it has to say about that. */
  ready(told: unknown): void
  /** What each other process answers; rejects if one that is there does not. */
  ask(subject: string): Promise<readonly unknown[]>
  /** Answers what others ask from now on. */
  answer(subject: string, value: () => unknown): void
  /** Lets the process end once it has nothing more to do. */
  leave(): void
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
  worker.on('message', (message: FromSupervisor) => member.hear(message))
  worker.send({ here: true } satisfies FromProcess)
  return member.joined(() => worker.disconnect())
}

class Member {
  readonly #send: (message: FromProcess) => void
  readonly #stop = new AbortController()
  readonly #answers = new Map<string, () => unknown>()
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
      ready: (told) => this.#send({ ready: told }),
      ask: (subject) => this.#ask(subject),
      answer: (subject, value) => void this.#answers.set(subject, value),
      leave,
    }
  }

  hear(message: FromSupervisor): void {
    if ('welcome' in message) this.#greet(message.welcome)
    else if ('stop' in message) this.#stop.abort()
    else if ('asked' in message) this.#answer(message.asked, message.subject)
    else {
      this.#asked.get(message.answered)?.(message.values)
      this.#asked.delete(message.answered)
    }
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

/** Questions of this process so far. */
let asks = 0
