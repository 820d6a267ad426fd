import type { Clock } from '../../kernel/async/clock.ts'
import { type Change, causeOf, printCause } from '../changes/cause.ts'
import type { Outcome } from '../controller/outcome.ts'
import type { Queue } from '../queue/queue.ts'

/** What a run over a key came to. */
export interface RunReport {
  /** The id that log lines of the run have. */
  readonly run: string
  readonly outcome: Outcome['is']
  /** Why it failed, gave up, or wants another look. */
  readonly why?: string
  readonly tookMs: number
  /** Milliseconds since its end. */
  readonly agoMs: number
  /** How many writes it made. */
  readonly writes: number
  /** The last change that woke it; absent for a retry, another look, and what wakes without an object. */
  readonly cause?: string
}

/**
 * A key of a controller. It is `running`, `ready` to be taken by a worker, `waiting` for its time (a retry, or another look that it asked
 * for), or `resting` until something wakes it.
 */
export interface KeyReport {
  readonly key: string
  readonly state: 'running' | 'ready' | 'waiting' | 'resting'
  /** Milliseconds in this state. */
  readonly forMs: number
  /** Milliseconds until its time, if that is known. */
  readonly dueMs?: number
  /** The run under way. */
  readonly run?: string
  /** The last change that woke it, for a key that is running or ready. */
  readonly cause?: string
  /** Failures since the last run that did not fail. */
  readonly failures?: number
  readonly last?: RunReport
}

interface FinishedRun extends Omit<RunReport, 'agoMs'> {
  readonly endedAt: number
}

interface Running {
  readonly since: number
  readonly changes: readonly Change[]
  run?: string
}

/** So many changes that wake one key are kept: the last ones. */
const keptChanges = 4
const none: readonly Change[] = []

/** So many last runs are remembered of a controller, and as many of those that did not end well. */
const remembered = 500

/** What happened to the keys of one controller: where each one stands, and what the last runs came to. */
export class KeyJournal {
  readonly #clock: Clock
  readonly #ready = new Map<string, number>()
  readonly #waiting = new Map<string, { readonly since: number; readonly due?: number }>()
  readonly #running = new Map<string, Running>()
  /** What woke each key that is ready. */
  readonly #changes = new Map<string, Change[]>()
  readonly #failures = new Map<string, number>()
  readonly #last = new Map<string, FinishedRun>()
  readonly #troubled = new Map<string, FinishedRun>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The same queue, whose keys are written down. */
  watch(queue: Queue): Queue {
    const journal = this
    return {
      add(key, priority, change) {
        journal.#added(key, change)
        queue.add(key, priority)
      },
      addAfter(key, ms, ...rest) {
        const since = journal.#clock.monotonic()
        journal.#waiting.set(key, { since, due: since + ms })
        queue.addAfter(key, ms, ...rest)
      },
      retry(key) {
        journal.#failures.set(key, (journal.#failures.get(key) ?? 0) + 1)
        journal.#waiting.set(key, { since: journal.#clock.monotonic() })
        queue.retry(key)
      },
      forget(key) {
        journal.#failures.delete(key)
        queue.forget(key)
      },
      async take(signal) {
        const key = await queue.take(signal)
        if (key !== undefined) journal.#taken(key)
        return key
      },
      finish(key) {
        journal.#running.delete(key)
        queue.finish(key)
      },
      close: () => queue.close(),
      get depth() {
        return queue.depth
      },
      get delayed() {
        return queue.delayed
      },
      get oldestMs() {
        return queue.oldestMs
      },
    }
  }

  /** A run begins over a key that was taken. Gives the last changes that woke it. */
  began(key: string, run: string): readonly Change[] {
    const running = this.#running.get(key)
    if (running === undefined) return none
    running.run = run
    return running.changes
  }

  ended(key: string, run: Omit<FinishedRun, 'endedAt'>): void {
    const finished = { ...run, endedAt: this.#clock.monotonic() }
    keep(this.#last, key, finished)
    if (run.outcome === 'done') this.#troubled.delete(key)
    else keep(this.#troubled, key, finished)
  }

  /** Keys that are worked on or wait, the longest first, then those whose last run did not end well, then the last ones. */
  report(most: number): readonly KeyReport[] {
    const now = this.#clock.monotonic()
    const states = [
      ...[...this.#running].map(([key, { since, run, changes }]) => ({
        ...{ key, state: 'running' as const, forMs: now - since },
        ...(run !== undefined && { run }),
        ...causeIn(changes),
      })),
      ...[...this.#ready].slice(0, most).map(([key, since]) => ({
        ...{ key, state: 'ready' as const, forMs: now - since },
        ...causeIn(this.#changes.get(key)),
      })),
      ...[...this.#waiting].map(([key, { since, due }]) => ({
        ...{ key, state: 'waiting' as const, forMs: now - since },
        ...(due !== undefined && { dueMs: Math.max(0, due - now) }),
      })),
      ...this.#resting(now),
    ]
    const unique = new Map<string, KeyReport>()
    for (const one of states) if (!unique.has(one.key)) unique.set(one.key, one)
    return [...unique.values()]
      .slice(0, most)
      .map((one) => ({ ...one, ...this.#past(one.key, now) }))
  }

  #resting(now: number): readonly KeyReport[] {
    const newestFirst = [...[...this.#last].reverse()]
    return [...this.#troubled, ...newestFirst].map(([key, { endedAt }]) => ({
      ...{ key, state: 'resting', forMs: now - endedAt },
    }))
  }

  #past(key: string, now: number): Pick<KeyReport, 'failures' | 'last'> {
    const failures = this.#failures.get(key)
    const found = this.#troubled.get(key) ?? this.#last.get(key)
    if (found === undefined) return failures === undefined ? {} : { failures }
    const { endedAt, ...last } = found
    return { ...(failures !== undefined && { failures }), last: { ...last, agoMs: now - endedAt } }
  }

  #added(key: string, change: Change | undefined): void {
    this.#waiting.delete(key)
    if (change !== undefined) this.#note(key, change)
    if (!this.#ready.has(key)) this.#ready.set(key, this.#clock.monotonic())
  }

  #note(key: string, change: Change): void {
    const known = this.#changes.get(key)
    if (known === undefined) this.#changes.set(key, [change])
    else known.push(change)
    if (known !== undefined && known.length > keptChanges) known.shift()
  }

  #taken(key: string): void {
    const changes = this.#changes.get(key) ?? none
    this.#changes.delete(key)
    this.#ready.delete(key)
    this.#waiting.delete(key)
    this.#running.set(key, { since: this.#clock.monotonic(), changes })
  }
}

function causeIn(changes: readonly Change[] = none): Pick<KeyReport, 'cause'> {
  const last = changes.at(-1)
  return last === undefined ? {} : { cause: printCause(causeOf(last)) }
}

/** Remembers a run as the newest, and forgets the oldest. */
function keep(runs: Map<string, FinishedRun>, key: string, run: FinishedRun): void {
  runs.delete(key)
  runs.set(key, run)
  if (runs.size <= remembered) return
  const [oldest] = runs.keys()
  if (oldest !== undefined) runs.delete(oldest)
}
