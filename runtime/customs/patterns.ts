import { RE2JS } from 're2js'

/** How many patterns are remembered: large schemas say the same one at hundreds of places. */
const most = 10_000
/** Longer ones are not. */
const longest = 1000

/** They live as long as a schema uses them, and until the end of the turn in which they were made. */
const known = new Map<string, WeakRef<RE2JS>>()

/** A pattern that matches in linear time; a text says why it is none. */
export function patternOf(source: string): RE2JS | string {
  const before = known.get(source)?.deref()
  if (before !== undefined) return before
  try {
    const made = RE2JS.compile(source)
    if (known.size >= most) known.clear()
    if (source.length <= longest) known.set(source, new WeakRef(made))
    return made
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
