import { RE2JS } from 're2js'
import type { Steps } from '../../kernel/async/slices.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { countInstructions, maxInstructions } from './pattern-size.ts'
import { childSchemas, type Schema } from './schema.ts'

/** Bound on the remembered patterns: large schemas repeat the same one hundreds of times. */
const maxPatterns = 10_000
/** Longer patterns, in characters, are not remembered. */
const maxPatternLength = 1000

/** Weak: a pattern lives as long as a compiled schema holds it (`CustomKind.patterns`). */
const compiledPatterns = new Map<string, WeakRef<RE2JS>>()

/** Compiles a pattern to an automaton that matches in linear time (RE2); a string says why it does not compile. */
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
    return errorText(error)
  }
}

/** Only whether a pattern matches is needed, not where: without the one-pass matcher that is several times as fast. */
function withoutOnePass(pattern: RE2JS): RE2JS {
  Object.assign(pattern.re2(), { onepass: null })
  return pattern
}

/** The cost of compiling a pattern in steps; 0 for the empty one. */
export function patternCost(source: string): number {
  return source === '' ? 0 : 30 + source.length + 3 * countInstructions(source)
}

/** Compiles the patterns of a schema. While the result is held, `compilePattern` returns them without work. */
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
