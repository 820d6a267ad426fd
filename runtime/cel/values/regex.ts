/**
 * Regular expressions of RE2, whose matching is linear in the text. Compiling and matching take steps, and the same
 * number of them whatever earlier evaluations left in caches.
 */
import { RE2JS } from 're2js'
import {
  currentEvaluation,
  evaluationStopped,
  setStepsLeft,
  spendSteps,
  stepsLeft,
} from '../limits/step-limit.ts'

/** The patterns that were compiled last, the oldest first; undefined for a text that is no pattern. */
const remembered = new Map<string, RE2JS | undefined>()
const most = 256
/** Longer patterns are not remembered. */
const longestRemembered = 4096

/** The compiled pattern; undefined if the text is none. The last 256 short patterns are remembered. */
export function patternOf(text: string): RE2JS | undefined {
  const pattern = rememberedPattern(text)
  meterCompiling(pattern, text)
  return pattern
}

/** Takes the steps of compiling, once in an evaluation, whether the pattern was remembered or not. */
function meterCompiling(pattern: RE2JS | undefined, text: string): void {
  if (pattern !== undefined && paidIn.get(pattern) === currentEvaluation()) return
  spendSteps(stepsOfPattern + stepsOfCharacter * text.length)
  if (pattern === undefined) return
  spendSteps(stepsOfInstruction * programSize(pattern))
  paidIn.set(pattern, currentEvaluation())
}

/** The evaluation in which a pattern's compiling was last paid for. */
const paidIn = new WeakMap<RE2JS, number>()
const stepsOfPattern = 3000
const stepsOfCharacter = 100
const stepsOfInstruction = 150
/** Longer patterns are paid for before they are compiled. */
const longPattern = 1000

function rememberedPattern(text: string): RE2JS | undefined {
  if (remembered.has(text)) {
    const pattern = remembered.get(text)
    remembered.delete(text)
    remembered.set(text, pattern)
    return pattern
  }
  if (text.length > longPattern) spendSteps(stepsOfCharacter * text.length)
  const pattern = compiled(text)
  if (text.length > longestRemembered) return pattern
  if (remembered.size >= most) {
    for (const oldest of remembered.keys()) {
      remembered.delete(oldest)
      break
    }
  }
  remembered.set(text, pattern)
  return pattern
}

function compiled(text: string): RE2JS | undefined {
  try {
    return RE2JS.compile(text)
  } catch {
    return undefined
  }
}

/** Compiling a text only to learn why it is no pattern. */
const stepsOfReason = 2000

/** Why a text is no pattern. */
export function whyNoPattern(text: string): string {
  spendSteps(stepsOfReason)
  try {
    RE2JS.compile(text)
  } catch (error) {
    if (error instanceof Error) return error.message
  }
  return 'error parsing regexp'
}

/**
 * True if the pattern is found in the text. A lazily built automaton reads each character once, and its states take
 * steps. A text that would need too many states is matched by simulating the pattern, which takes the steps of its
 * program for every character.
 */
export function search(pattern: RE2JS, text: string): boolean {
  return searched(pattern, stateOf(pattern), text)
}

/** A search outside of expressions, and the steps that are left of those that it could take. */
export interface SearchResult {
  /** Undefined if the steps did not suffice. */
  readonly found: boolean | undefined
  readonly left: number
}

/** Searches with a limit of steps: for patterns that are not part of an expression. */
export function searchWithin(pattern: RE2JS, text: string, steps: number): SearchResult {
  const before = setStepsLeft(steps)
  try {
    const found = search(pattern, text)
    return { found, left: stepsLeft() }
  } catch (error) {
    if (error !== evaluationStopped) throw error
    return { found: undefined, left: 0 }
  } finally {
    setStepsLeft(before)
  }
}

/** The search for a pattern that is constant in an expression. */
export function searcherOf(pattern: RE2JS): (text: string) => boolean {
  let known: PatternState | undefined
  return (text) => {
    known ??= stateOf(pattern)
    return searched(pattern, known, text)
  }
}

function searched(pattern: RE2JS, known: PatternState, text: string): boolean {
  if (known.filledIn !== 0) forget(pattern, known)
  spendSteps(stepsPerSearch + stepsPerCharacter * text.length)
  return pattern.re2().match(text)
}

/** Takes the steps of finding where a pattern matches, which the automaton does not tell. */
export function meterMatch(pattern: RE2JS, text: string): void {
  const perCharacter =
    pattern.re2().onepass === null ? stepsPerUnit * programSize(pattern) : stepsPerCharacter
  spendSteps(stepsPerSearch + Math.ceil(perCharacter * text.length))
}

const stepsPerSearch = 30
const stepsPerCharacter = 3
/** One instruction of the program at one character. */
const stepsPerUnit = 2.5

/**
 * What is known of a pattern: the length of its program, and the evaluation in which its automaton was last full (0:
 * never).
 */
interface PatternState {
  readonly size: number
  filledIn: number
}

const patterns = new WeakMap<RE2JS, PatternState>()

function stateOf(pattern: RE2JS): PatternState {
  let known = patterns.get(pattern)
  if (known === undefined) {
    known = { size: pattern.programSize(), filledIn: 0 }
    patterns.set(pattern, known)
    if (pattern.re2().onepass === null) boundAutomaton(pattern, known)
  }
  return known
}

function programSize(pattern: RE2JS): number {
  return stateOf(pattern).size
}

/** An automaton that was full in another evaluation begins anew: the steps must not depend on that evaluation. */
function forget(pattern: RE2JS, known: PatternState): void {
  if (known.filledIn === currentEvaluation()) return
  known.filledIn = 0
  pattern.re2().dfa.clearCache()
}

/** The memory of one pattern's automaton, and the steps of filling it. */
const bytesOfStates = 128 * 1024
const stepsOfStates = 150_000

/**
 * Bounds the memory of the automaton, and takes steps whenever it is full and begins anew, and when it gives up. What
 * earlier evaluations left in an automaton that was never full shows by one such payment at most.
 */
function boundAutomaton(pattern: RE2JS, known: PatternState): void {
  const { dfa } = pattern.re2()
  const [match, reset] = [dfa.match.bind(dfa), dfa.resetCache.bind(dfa)]
  dfa.stateBudget = bytesOfStates
  dfa.memBudget = bytesOfStates
  dfa.match = (input, pos, anchor) => {
    const found: unknown = match(input, pos, anchor)
    if (found === null) spendSteps(Math.ceil(stepsPerUnit * known.size * input.endPos()))
    return found
  }
  dfa.resetCache = (state) => {
    known.filledIn = currentEvaluation()
    spendSteps(stepsOfStates)
    return reset(state)
  }
}
