import { RE2JS } from 're2js'
import {
  currentEvaluation,
  evaluationStopped,
  setStepsLeft,
  spendSteps,
  stepsLeft,
} from '../cost/step-limit.ts'

const remembered = new Map<string, RE2JS | undefined>()
const most = 256
const longestRemembered = 4096

/**
 * The compiled pattern, or undefined if the text is none. Matching takes time linear in the input. The last 256 short
 * patterns are remembered.
 */
export function patternOf(text: string): RE2JS | undefined {
  const pattern = rememberedPattern(text)
  meterCompiling(pattern, text)
  return pattern
}

/** Compiling is paid for once in an evaluation, by what it would take: whether it was remembered must not show. */
function meterCompiling(pattern: RE2JS | undefined, text: string): void {
  if (pattern !== undefined && paidIn.get(pattern) === currentEvaluation()) return
  spendSteps(stepsOfPattern + stepsOfCharacter * text.length)
  if (pattern === undefined) return
  spendSteps(stepsOfInstruction * programSize(pattern))
  paidIn.set(pattern, currentEvaluation())
}

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
 * Whether the pattern is found in the text. An automaton answers, reading each character once; it is built while it
 * reads, and its states are paid for. A text that would need too many is read by simulating the pattern, at the price
 * of its program for every character.
 */
export function search(pattern: RE2JS, text: string): boolean {
  return searched(pattern, stateOf(pattern), text)
}

/** What a search outside of expressions came to, and the steps that are left of those that it could take. */
export interface SearchResult {
  /** Undefined if they did not suffice. */
  readonly found: boolean | undefined
  readonly left: number
}

/** Whether the pattern is found in the text, in so many steps: for patterns that stand in no expression. */
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

/** The search for a pattern that stands in an expression. */
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

/** Takes the steps of finding where a pattern matches: no automaton says that. */
export function meterMatch(pattern: RE2JS, text: string): void {
  const perCharacter =
    pattern.re2().onepass === null ? stepsPerUnit * programSize(pattern) : stepsPerCharacter
  spendSteps(stepsPerSearch + Math.ceil(perCharacter * text.length))
}

const stepsPerSearch = 30
const stepsPerCharacter = 3
/** One instruction of the program at one character. */
const stepsPerUnit = 2.5

/** What is known of a pattern: the length of its program, and when its automaton was last full (0: never). */
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

/** An automaton that was full in another evaluation begins anew, so that what it costs does not depend on that. */
function forget(pattern: RE2JS, known: PatternState): void {
  if (known.filledIn === currentEvaluation()) return
  known.filledIn = 0
  pattern.re2().dfa.clearCache()
}

/** What the states of one pattern's automaton may take, and the steps of building as many. */
const bytesOfStates = 128 * 1024
const stepsOfStates = 150_000

/**
 * Bounds the memory of the automaton and makes it pay whenever that is full and it begins anew, and when it gives up.
 * What earlier evaluations left in one that was never full shows by one such payment at most.
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
