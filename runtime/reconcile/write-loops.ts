import { type Change, causeOf } from './cause.ts'

/** Runs of a key that wake each other by what they write. */
export interface WriteLoop {
  /** Runs so far, one after the other. */
  readonly runs: number
  /** `Deployment shop/web`. */
  readonly object: string
  /** The field that most of them changed. */
  readonly field: string
  /** Who wrote it in turn: one that wakes itself, or several that do not agree. */
  readonly writers: readonly string[]
}

/** From the ninth run on it is looked at what woke each; at the sixteenth, and then ever less often, it is said. */
const looked = 8
const said = 16

interface Streak {
  runs: number
  /** Who wrote each field, by object and field, and in how many runs. */
  readonly fields: Map<string, { runs: number; readonly writers: Set<string> }>
}

/**
 * Looks for controllers that write without end: each run is woken by an update, and writes again. What ends the row is one run that writes
 * nothing, so that nothing is looked at, or kept, for a controller that comes to rest.
 */
export class WriteLoops {
  readonly #streaks = new Map<string, Streak>()

  /** A run over `key` has ended that these changes had woken. Gives the loop that it is part of, at the times when that is to be said. */
  ran(key: string, changes: readonly Change[], writes: number): WriteLoop | undefined {
    const updates = changes.filter(({ before }) => before !== undefined)
    if (writes === 0 || updates.length === 0) {
      this.#streaks.delete(key)
      return undefined
    }
    const streak = this.#streaks.get(key) ?? { runs: 0, fields: new Map() }
    this.#streaks.set(key, streak)
    streak.runs += 1
    if (streak.runs <= looked) return undefined
    for (const change of updates) note(streak, change)
    return isTime(streak.runs) ? loopOf(streak) : undefined
  }
}

/** True for 16, 32, 64 and so on. */
function isTime(runs: number): boolean {
  return runs >= said && Number.isInteger(Math.log2(runs / said))
}

function note({ fields }: Streak, change: Change): void {
  const { kind, object, fields: changed } = causeOf(change)
  for (const { path, managers } of changed) {
    const title = `${kind} ${object}\n${path}`
    const known = fields.get(title) ?? { runs: 0, writers: new Set() }
    fields.set(title, known)
    known.runs += 1
    for (const manager of managers) known.writers.add(manager)
  }
}

/** The loop by the field that was changed most often; undefined if none was changed in half of the runs that were looked at. */
function loopOf({ runs, fields }: Streak): WriteLoop | undefined {
  const [most] = [...fields].sort(([, a], [, b]) => b.runs - a.runs || b.writers.size - a.writers.size)
  if (most === undefined || most[1].runs * 2 < runs - looked) return undefined
  const [object = '', field = ''] = most[0].split('\n')
  return { runs, object, field, writers: [...most[1].writers].sort() }
}
