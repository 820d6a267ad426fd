/**
 * Whether matching a pattern takes a time that is linear in the length of the text.
 *
 * JavaScript's engine backtracks, so its time is the number of ways in which beginnings of the text can be matched. That
 * number is bounded exactly if the pattern's automaton has
 *
 *  1. no state that a word leads back to in two ways (else it is exponential), and
 *  2. no two states with a word that leads from the first to itself, from the first to the second, and from the second to
 *     itself (else it is quadratic or worse).
 *
 * Both are found by walking tuples of states with the same word.
 */
import { type Automaton, automatonOf } from './automaton.ts'
import { readPattern, UnsupportedPattern } from './syntax.ts'

/** Why a pattern is not linear, or is not known to be; undefined if it is. */
export function whyNotLinear(pattern: string): string | undefined {
  try {
    const automaton = automatonOf(readPattern(pattern))
    if (hasTwoLoops(automaton)) return 'a text can be matched in exponentially many ways'
    if (hasSharedLoops(automaton)) return 'two repeated parts can share the same characters'
    return undefined
  } catch (error) {
    if (error instanceof UnsupportedPattern) return error.message
    throw error
  }
}

/** Condition 1: a word leads from some state back to it in two different ways. */
function hasTwoLoops(automaton: Automaton): boolean {
  const { chars, doubled } = automaton
  if (doubled.some(([from, to]) => from === to || leadsTo(automaton, to, from))) return true
  return chars.some((_, state) => splitsAndMeets(automaton, state))
}

/** True if a word leads from a state to two different ones, and another word from these two back to it. */
function splitsAndMeets(automaton: Automaton, state: number): boolean {
  const size = automaton.chars.length
  const back = tupleKey([state, state], size)
  for (const key of reachedFrom(automaton, [state, state])) {
    const pair = statesOf(key, 2, size)
    if (pair[0] !== pair[1] && reachedFrom(automaton, pair).has(back)) return true
  }
  return false
}

/** Condition 2: a word leads from one state to itself and to a second, and from the second to itself. */
function hasSharedLoops(automaton: Automaton): boolean {
  const size = automaton.chars.length
  const states = automaton.chars.map((_, state) => state)
  const looping = states.filter((state) => leadsTo(automaton, state, state))
  return looping.some((a) =>
    looping.some(
      (b) => a !== b && reachedFrom(automaton, [a, a, b]).has(tupleKey([a, b, b], size)),
    ),
  )
}

/** True if some word, of one character or more, leads from a state to another. */
function leadsTo({ next }: Automaton, state: number, goal: number): boolean {
  const seen = new Set<number>()
  const open = [...(next[state] ?? [])]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === goal) return true
    if (seen.has(at)) continue
    seen.add(at)
    open.push(...(next[at] ?? []))
  }
  return false
}

/** More tuples than this are not walked: the pattern counts as not known to be linear. */
const maxTuples = 300_000

/** The keys of the tuples that one word, of one character or more, leads to from a tuple of states. */
function reachedFrom(automaton: Automaton, start: readonly number[]): ReadonlySet<number> {
  const size = automaton.chars.length
  const seen = new Set<number>()
  const open = [start]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const tuple of tuplesAfter(at, automaton)) {
      const key = tupleKey(tuple, size)
      if (seen.has(key)) continue
      if (seen.add(key).size > maxTuples) {
        throw new UnsupportedPattern('the pattern is too intricate')
      }
      open.push(tuple)
    }
  }
  return seen
}

/** The tuples that one character leads to from a tuple: it leads into all states of each. */
function tuplesAfter(
  states: readonly number[],
  { next, meet }: Automaton,
): readonly (readonly number[])[] {
  let tuples: readonly (readonly number[])[] = [[]]
  for (const state of states) {
    tuples = tuples.flatMap((tuple) =>
      (next[state] ?? [])
        .filter((after) => tuple.every((one) => meet(one, after)))
        .map((after) => [...tuple, after]),
    )
  }
  return tuples
}

/** A tuple of states as one number, which `statesOf` reads back. */
function tupleKey(tuple: readonly number[], size: number): number {
  return tuple.reduce((key, state) => key * size + state, 0)
}

/** The `count` states of a tuple's key. */
function statesOf(key: number, count: number, size: number): readonly number[] {
  const states: number[] = []
  for (let rest = key; states.length < count; rest = Math.floor(rest / size)) {
    states.unshift(rest % size)
  }
  return states
}
