import { RE2JS } from 're2js'
import type { Steps } from '../../kernel/async/slices.ts'
import { countInstructions, maxInstructions } from './pattern-size.ts'
import { childSchemas, type Schema } from './schema.ts'

/** How many patterns are remembered: large schemas say the same one at hundreds of places. */
const maxPatterns = 10_000
/** Longer ones are not. */
const maxPatternLength = 1000

/** They live as long as a schema uses them, and until the end of the turn in which they were made. */
const compiledPatterns = new Map<string, WeakRef<RE2JS>>()

/** A pattern that matches in linear time; a text says why it is none. */
export function compilePattern(source: string): RE2JS | string {
  const before = compiledPatterns.get(source)?.deref()
  if (before !== undefined) return before
  if (countInstructions(source) > maxInstructions) {
    return `it compiles to more than ${maxInstructions} instructions`
  }
  try {
    const made = withoutOnePass(RE2JS.compile(source))
    if (compiledPatterns.size >= maxPatterns) compiledPatterns.clear()
    if (source.length <= maxPatternLength) compiledPatterns.set(source, new WeakRef(made))
    return made
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Nobody asks where a pattern matches: its automaton is several times as fast as what would find that. */
function withoutOnePass(pattern: RE2JS): RE2JS {
  Object.assign(pattern.re2(), { onepass: null })
  return pattern
}

/** What compiling a pattern takes, in the units of steps; nothing for none. */
export function patternCost(source: string): number {
  return source === '' ? 0 : 30 + source.length + 3 * countInstructions(source)
}

/** The patterns of a schema, compiled: while somebody keeps them, `patternOf` gives them without work. */
export function* compilePatterns(schema: Schema): Steps<readonly RE2JS[]> {
  const found = new Map<string, RE2JS>()
  const waiting: Schema[] = [schema]
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const { pattern } = one
    const compiled = pattern === '' || found.has(pattern) ? '' : compilePattern(pattern)
    if (typeof compiled !== 'string') found.set(pattern, compiled)
    yield 1 + (compiled === '' ? 0 : patternCost(pattern))
    waiting.push(...childSchemas(one).map((part) => part.schema))
  }
  return [...found.values()]
}
