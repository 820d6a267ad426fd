import type { Clock } from '../../kernel/async/clock.ts'
import { type Change, causeOf } from './cause.ts'

/** Runs of a key that wake each other by what they write. */
export interface WriteLoop {
  /** Runs that wrote so far, one soon after the other. */
  readonly runs: number
  /** `Deployment shop/web`. */
  readonly object: string
  /** The field that most of them changed. */
  readonly field: string
  /** Who wrote it in turn: one that wakes itself, or several that do not agree. Empty where the server does not say. */
  readonly writers: readonly string[]
}

/** From the ninth run on it is looked at what woke each; at the sixteenth, and then ever less often, it is said. */
const looked = 8
const said = 16
/** A key that rests so long, or whose runs write nothing so often, is in no loop. */
const restMs = 60_000
const restRuns = 3
/** So many keys, those that ran last, and fields of each are looked at. */
const most = 1000

interface Streak {
  last: number
  /** Runs that wrote. */
  turns: number
  /** The last ones of them, between which every run wrote. */
  row: number
  /** The last runs, which wrote nothing. */
  idle: number
  /** Who wrote each field, by object and field, and in how many runs. */
  readonly fields: Map<string, { runs: number; readonly writers: Set<string> }>
}

/**
 * Looks for controllers that write without end: each run is woken by an update and writes again, or writers take turns at one field. Nothing
 * is compared, and little is kept, for a controller that comes to rest.
 */
export class WriteLoops {
  readonly #clock: Clock
  readonly #streaks = new Map<string, Streak>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A run over `key` has ended that these changes had woken. Gives the loop that it is part of, at the times when that is to be said. */
  ran(key: string, changes: readonly Change[], writes: number): WriteLoop | undefined {
    const streak = this.#streakOf(key, writes)
    if (streak === undefined) return undefined
    if (streak.turns > looked) for (const change of changes) note(streak, change)
    if (writes === 0) return undefined
    const { row, turns } = streak
    if (isTime(row)) return loopOf(streak, row, 0)
    return isTime(turns) ? loopOf(streak, turns, 2) : undefined
  }

  #streakOf(key: string, writes: number): Streak | undefined {
    const known = this.#streaks.get(key)
    if (known === undefined && writes === 0) return undefined
    const now = this.#clock.monotonic()
    const goesOn = known !== undefined && now - known.last <= restMs
    const streak = goesOn ? known : { last: now, turns: 0, row: 0, idle: 0, fields: new Map() }
    streak.last = now
    streak.turns += writes > 0 ? 1 : 0
    streak.row = writes > 0 ? streak.row + 1 : 0
    streak.idle = writes > 0 ? 0 : streak.idle + 1
    this.#streaks.delete(key)
    if (streak.idle < restRuns && streak.turns > 0) this.#streaks.set(key, streak)
    const [oldest] = this.#streaks.keys()
    if (this.#streaks.size > most && oldest !== undefined) this.#streaks.delete(oldest)
    return streak
  }
}

/** True for 16, 32, 64 and so on. */
function isTime(runs: number): boolean {
  return runs >= said && Number.isInteger(Math.log2(runs / said))
}

function note({ fields }: Streak, change: Change): void {
  if (change.before === undefined) return
  const { kind, object, fields: changed } = causeOf(change)
  for (const { path, managers } of changed) {
    const title = `${kind} ${object}\n${path}`
    const known = fields.get(title) ?? { runs: 0, writers: new Set() }
    if (fields.size < most) fields.set(title, known)
    known.runs += 1
    for (const manager of managers) known.writers.add(manager)
  }
}

/** The loop by the field that was changed most often, by so many writers; undefined if none was changed in half of the runs that were looked at. */
function loopOf({ fields }: Streak, runs: number, writers: number): WriteLoop | undefined {
  const [first] = [...fields]
    .filter(([, field]) => field.writers.size >= writers && field.runs * 2 >= runs - looked)
    .sort(([, a], [, b]) => b.runs - a.runs || b.writers.size - a.writers.size)
  if (first === undefined) return undefined
  const [object = '', field = ''] = first[0].split('\n')
  return { runs, object, field, writers: [...first[1].writers].sort() }
}
