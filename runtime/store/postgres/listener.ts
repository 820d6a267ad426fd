/**
 * Hears of commits: by notifications, and by looking every second, since a notification that was not delivered does not come again and
 * a connection may be silent without being closed.
 */
import { type Clock, pause } from '../../kernel/async/clock.ts'
import { OperatorError } from '../../kernel/errors/operator-error.ts'
import { explained } from './database-error.ts'
import type { Session } from './session.ts'

/** Between two looks. */
const lookMs = 1000

/** How long the answer to a look may take. */
const answerMs = 5000

/** The shortest and the longest time between two attempts to connect. */
const retryMs = { least: 100, most: 5000 }

/** What is listened to, and who hears of it. */
export interface ListenerOptions {
  readonly clock: Clock
  readonly channel: string
  readonly connect: () => Promise<Session>
  /** Hears of the text of each notification. */
  readonly heard: (text: string) => void
  /** Looks at the database over the session. A ListenerEnd that it throws ends the listener. */
  readonly look: (session: Session, answerMs: number) => Promise<void>
  /** Hears that the database is away, and then that it is back. */
  readonly onAway: (why: string) => void
  readonly onBack: () => void
}

/** An error after which nothing is to be heard any more. */
export class ListenerEnd extends OperatorError {
  override readonly name = 'ListenerEnd'
}

/** Listens until it is closed. */
export class Listener {
  readonly #options: ListenerOptions
  readonly #closed = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #away: string | undefined

  constructor(options: ListenerOptions) {
    this.#options = options
  }

  /** Why the database is not heard now; undefined if it is. */
  get away(): string | undefined {
    return this.#away
  }

  /** Resolves once it listens. @throws DatabaseError, ListenerEnd */
  async start(): Promise<void> {
    const session = await this.#listen()
    this.#running = this.#run(session)
  }

  /** Resolves when it has ended. */
  get ended(): Promise<void> {
    return this.#running
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await this.#running.catch(() => {})
  }

  async #listen(): Promise<Session> {
    const { connect, channel, heard, look } = this.#options
    const session = await connect()
    try {
      session.onNotification(heard)
      await session.query({ text: `LISTEN ${channel}` }, answerMs)
      await look(session, answerMs)
      return session
    } catch (error) {
      await session.close()
      throw error
    }
  }

  async #run(first: Session): Promise<void> {
    const { signal } = this.#closed
    for (let session: Session | undefined = first; session !== undefined; ) {
      await this.#followAndClose(session)
      session = signal.aborted ? undefined : await this.#reconnect()
    }
  }

  async #followAndClose(session: Session): Promise<void> {
    try {
      await this.#follow(session)
    } finally {
      await session.close()
    }
  }

  /** Looks again and again, until the session is lost or the listener is closed. */
  async #follow(session: Session): Promise<void> {
    const { clock, look } = this.#options
    const until = new AbortController()
    const end = (): void => until.abort()
    session.onLost(end)
    this.#closed.signal.addEventListener('abort', end, { once: true })
    try {
      while (!this.#closed.signal.aborted) {
        await look(session, answerMs)
        await pause(clock, lookMs, until.signal)
        if (session.lost) throw new Error('the connection was lost')
      }
    } catch (error) {
      if (error instanceof ListenerEnd) throw error
      if (!this.#closed.signal.aborted) this.#goAway(error)
    } finally {
      this.#closed.signal.removeEventListener('abort', end)
    }
  }

  /** Tries until it listens again; undefined if it is closed meanwhile. */
  async #reconnect(): Promise<Session | undefined> {
    const { clock, onBack } = this.#options
    const { signal } = this.#closed
    for (let waitMs = retryMs.least; !signal.aborted; waitMs = Math.min(waitMs * 2, retryMs.most)) {
      try {
        const session = await this.#listen()
        this.#away = undefined
        onBack()
        return session
      } catch (error) {
        if (error instanceof ListenerEnd) throw error
        this.#away = explained(error)
        await pause(clock, waitMs, signal)
      }
    }
    return undefined
  }

  #goAway(error: unknown): void {
    this.#away = explained(error)
    this.#options.onAway(this.#away)
  }
}
