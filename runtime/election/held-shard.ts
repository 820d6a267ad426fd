import type { Clock } from '../kernel/async/clock.ts'
import { deadline } from '../kernel/async/deadline.ts'
import { type Deferred, deferred } from '../kernel/async/deferred.ts'
import { StatusError } from '../kernel/errors/status-error.ts'
import type { Term } from './term.ts'

/** Work of a shard that is under way. The shard is not given to another member before it has ended. */
export interface ShardEntry {
  /** The term in which this member has the shard. */
  readonly term: Term
  /** Aborts when the shard has to be given away and the work takes too long. */
  readonly ended: AbortSignal
  /** The work has ended. */
  leave(): void
}

/** A shard that a member has, and what is under way in it. */
export class HeldShard {
  readonly term: Term
  readonly #ended = new AbortController()
  readonly #gone = new AbortController()
  #entries = 0
  #closing: Deferred<void> | undefined
  #over = false

  constructor(lease: string, token: number, member: Term) {
    const lost = AbortSignal.any([member.lost, this.#gone.signal])
    const assertHeld = (): void => {
      member.assertHeld()
      if (this.#over) throw notHeld(lease, token)
    }
    this.term = { lease, token, lost, assertHeld }
  }

  get isClosing(): boolean {
    return this.#closing !== undefined
  }

  /** Begins work; undefined if the shard is being given away, or its term is not held for certain. */
  enter(): ShardEntry | undefined {
    if (this.#closing !== undefined || !this.#isCertain()) return undefined
    this.#entries++
    let left = false
    const leave = (): void => {
      if (left) return
      left = true
      this.#entries--
      if (this.#entries === 0) this.#closing?.resolve()
    }
    return { term: this.term, ended: this.#ended.signal, leave }
  }

  #isCertain(): boolean {
    try {
      this.term.assertHeld()
      return true
    } catch {
      return false
    }
  }

  /** Lets nothing begin any more; resolves when what is under way has ended, which it is told to do after `drainMs`. */
  async close(clock: Clock, drainMs: number): Promise<void> {
    this.#closing = deferred()
    if (this.#entries > 0) {
      const drained = deadline(clock, this.term.lost, 0, drainMs)
      drained.signal.addEventListener('abort', () => this.#ended.abort(), { once: true })
      await this.#closing.promise
      drained.end()
    }
    this.end()
  }

  /** The shard is another member's, or may be: what is under way has to end. */
  lose(): void {
    this.end()
    this.#ended.abort()
  }

  /** Nothing is written for the shard any more. */
  end(): void {
    this.#over = true
    this.#gone.abort(new Error(`lease ${this.term.lease} was given away`))
  }
}

function notHeld(lease: string, token: number): StatusError {
  return new StatusError(
    'ServiceUnavailable',
    `lease ${lease} was given away by term ${token}: another process may be working, nothing is written`,
  )
}
