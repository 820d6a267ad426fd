import { RE2JS } from 're2js'
import type { Steps } from '../kernel/turns.ts'
import { instructionsOf, mostInstructions } from './pattern-size.ts'
import { partsOf, type Schema } from './schema.ts'

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
  if (instructionsOf(source) > mostInstructions) {
    return `it compiles to more than ${mostInstructions} instructions`
  }
  try {
    const made = searched(RE2JS.compile(source))
    if (known.size >= most) known.clear()
    if (source.length <= longest) known.set(source, new WeakRef(made))
    return made
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Nobody asks where a pattern matches: its automaton is several times as fast as what would find that. */
function searched(pattern: RE2JS): RE2JS {
  Object.assign(pattern.re2(), { onepass: null })
  return pattern
}

/** What compiling a pattern takes, in the units of steps; nothing for none. */
export function workOfPattern(source: string): number {
  return source === '' ? 0 : 30 + source.length + 3 * instructionsOf(source)
}

/** The patterns of a schema, compiled: while somebody keeps them, `patternOf` gives them without work. */
export function* patternsOf(schema: Schema): Steps<readonly RE2JS[]> {
  const found = new Map<string, RE2JS>()
  const waiting: Schema[] = [schema]
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const { pattern } = one
    const compiled = pattern === '' || found.has(pattern) ? '' : patternOf(pattern)
    if (typeof compiled !== 'string') found.set(pattern, compiled)
    yield 1 + (compiled === '' ? 0 : workOfPattern(pattern))
    waiting.push(...partsOf(one).map((part) => part.schema))
  }
  return [...found.values()]
}
