import type { Clock } from '../kernel/async/clock.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import { Recent } from '../kernel/values/recent.ts'
import type { EventFacts } from './event-facts.ts'

/** What is written for one or more equal events. */
export interface CorrelatedEvent {
  /** What equal events have in common. */
  readonly key: string
  readonly message: string
  /** The time of the first of them. */
  readonly first: number
  /** How many there were so far. */
  readonly count: number
}

/** How clients of release 1.29 correlate. */
const known = 4096
/** From the tenth message of one reason within ten minutes on, all of them are one event. */
const similarMessages = 10
const similarMs = 600_000
/** An object may be told of 25 times at once, then once in five minutes. */
const burst = 25
const refillMs = 300_000

interface Similar {
  readonly messages: Set<string>
  last: number
}

interface Budget {
  tokens: number
  at: number
}

/** Correlates the events of one component. */
export class Correlator {
  readonly #clock: Clock
  readonly #similar = new Recent<Similar>(known)
  readonly #counts = new Recent<{ readonly first: number; count: number }>(known)
  readonly #budgets = new Recent<Budget>(known)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** What is to be written for an event; undefined for one too many about its object. */
  correlate(object: Stored<ApiObject>, facts: EventFacts): CorrelatedEvent | undefined {
    const { kind, apiVersion, metadata } = object
    const { namespace = '', name, uid } = metadata as { namespace?: string } & typeof metadata
    const subject = [apiVersion, kind, namespace, name, uid].join('\n')
    const about = [subject, facts.type, facts.reason, facts.action ?? ''].join('\n')
    const combined = this.#isOneOfMany(about, facts.message)
    const message = combined ? `(combined from similar events): ${facts.message}` : facts.message
    const key = combined ? about : `${about}\n${facts.message}`
    const seen = this.#counts.get(key, () => ({ first: this.#clock.now(), count: 0 }))
    seen.count += 1
    if (!this.#spend(subject)) return undefined
    return { key, message, first: seen.first, count: seen.count }
  }

  #isOneOfMany(about: string, message: string): boolean {
    const now = this.#clock.monotonic()
    const similar = this.#similar.get(about, () => ({ messages: new Set(), last: now }))
    if (now - similar.last > similarMs) similar.messages.clear()
    similar.last = now
    if (similar.messages.size < similarMessages) similar.messages.add(message)
    return similar.messages.size >= similarMessages
  }

  #spend(subject: string): boolean {
    const now = this.#clock.monotonic()
    const budget = this.#budgets.get(subject, () => ({ tokens: burst, at: now }))
    budget.tokens = Math.min(burst, budget.tokens + (now - budget.at) / refillMs)
    budget.at = now
    if (budget.tokens < 1) return false
    budget.tokens -= 1
    return true
  }
}
