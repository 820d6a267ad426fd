/**
 * Whether a pattern takes a time that grows with the text alone.
 *
 * The platform's engine tries one way after the other, so its time is the number of ways in which a text's beginning can be
 * matched. That number is bounded exactly if the pattern's automaton, one state for each place of a character, has no
 * state that a word leads back to in two ways (exponential), and no two states with a word that leads from the first to
 * itself, from the first to the second, and from the second to itself (quadratic and worse).
 */
import { type CharSet, type PatternNode, readPattern, UnsupportedPattern } from './syntax.ts'

/** Why a pattern is not linear, or not known to be; undefined if it is. */
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

interface Automaton {
  readonly chars: readonly CharSet[]
  /** The states that may come after each state. */
  readonly next: readonly (readonly number[])[]
  /** Steps that can be taken in two ways: once more inside, or once more around. */
  readonly doubled: readonly (readonly [from: number, to: number])[]
  /** True if a character leads into both states. */
  readonly meet: (a: number, b: number) => boolean
}

const mostStates = 400
const mostSteps = 300_000

interface Fragment {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly empty: boolean
}

function automatonOf(root: PatternNode): Automaton {
  const chars: CharSet[] = []
  const next: Set<number>[] = []
  const doubled: [number, number][] = []
  build(root)
  const shared = new Map<number, boolean>()
  return {
    chars,
    next: next.map((set) => [...set]),
    doubled,
    meet(a, b) {
      const key = a * chars.length + b
      const known = shared.get(key) ?? overlap(chars[a] as CharSet, chars[b] as CharSet)
      shared.set(key, known)
      return known
    },
  }

  function build(node: PatternNode): Fragment {
    switch (node.is) {
      case 'chars': {
        if (chars.push(node.chars) > mostStates)
          throw new UnsupportedPattern('the pattern is too large')
        next.push(new Set())
        return { first: [chars.length - 1], last: [chars.length - 1], empty: false }
      }
      case 'sequence':
        return node.parts.reduce<Fragment>(
          (before, part) => joined(before, build(part)),
          emptyFragment,
        )
      case 'choice':
        return node.branches.map(build).reduce(either)
      case 'repeat':
        return repeated(node.part, node.least, node.most)
    }
  }

  function link(last: readonly number[], first: readonly number[]): void {
    for (const from of last) {
      for (const to of first) {
        if (next[from]?.has(to)) doubled.push([from, to])
        next[from]?.add(to)
      }
    }
  }

  function joined(a: Fragment, b: Fragment): Fragment {
    link(a.last, b.first)
    return {
      first: a.empty ? [...a.first, ...b.first] : a.first,
      last: b.empty ? [...a.last, ...b.last] : b.last,
      empty: a.empty && b.empty,
    }
  }

  function repeated(part: PatternNode, least: number, most: number): Fragment {
    if (most === Infinity) {
      let piece = emptyFragment
      for (let round = 1; round < least; round++) piece = joined(piece, build(part))
      const loop = build(part)
      link(loop.last, loop.first)
      return joined(piece, { ...loop, empty: loop.empty || least === 0 })
    }
    let piece = emptyFragment
    for (let round = 1; round <= most; round++) {
      const one = build(part)
      piece = joined(piece, { ...one, empty: one.empty || round > least })
    }
    return piece
  }
}

const emptyFragment: Fragment = { first: [], last: [], empty: true }

function either(a: Fragment, b: Fragment): Fragment {
  return {
    first: [...a.first, ...b.first],
    last: [...a.last, ...b.last],
    empty: a.empty || b.empty,
  }
}

function overlap(a: CharSet, b: CharSet): boolean {
  for (const code of a) if (b.has(code)) return true
  return false
}

/** True if a word leads from some state back to it in two different ways. */
function hasTwoLoops(automaton: Automaton): boolean {
  const { chars, doubled } = automaton
  if (doubled.some(([from, to]) => from === to || reaches(automaton, to, from))) return true
  return chars.some((_, state) =>
    [...reach(automaton, [state, state])]
      .map((key) => statesOf(key, 2, chars.length))
      .some(
        ([a, b]) =>
          a !== b &&
          reach(automaton, [a as number, b as number]).has(tupleKey([state, state], chars.length)),
      ),
  )
}

/** True if a word leads from one state to itself and to a second, and from the second to itself. */
function hasSharedLoops(automaton: Automaton): boolean {
  const size = automaton.chars.length
  const looping = automaton.chars
    .map((_, state) => state)
    .filter((state) => reaches(automaton, state, state))
  return looping.some((a) =>
    looping.some((b) => a !== b && reach(automaton, [a, a, b]).has(tupleKey([a, b, b], size))),
  )
}

function reaches({ next }: Automaton, state: number, goal: number): boolean {
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

/** The tuples that one word, of one character or more, leads to from a tuple of states. */
function reach(automaton: Automaton, start: readonly number[]): ReadonlySet<number> {
  const { next, chars } = automaton
  const seen = new Set<number>()
  const open = [start]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const tuple of steps(
      at.map((state) => next[state] ?? []),
      automaton,
    )) {
      const key = tupleKey(tuple, chars.length)
      if (seen.has(key)) continue
      if (seen.add(key).size > mostSteps)
        throw new UnsupportedPattern('the pattern is too intricate')
      open.push(tuple)
    }
  }
  return seen
}

/** Every way to take one state of each list such that one character leads into all of them. */
function steps(
  lists: readonly (readonly number[])[],
  { meet }: Automaton,
): readonly (readonly number[])[] {
  return lists.reduce<readonly (readonly number[])[]>(
    (tuples, list) =>
      tuples.flatMap((tuple) =>
        list
          .filter((state) => tuple.every((one) => meet(one, state)))
          .map((state) => [...tuple, state]),
      ),
    [[]],
  )
}

function tupleKey(tuple: readonly number[], size: number): number {
  return tuple.reduce((key, state) => key * size + state, 0)
}

function statesOf(key: number, count: number, size: number): readonly number[] {
  const states: number[] = []
  for (let rest = key; states.length < count; rest = Math.floor(rest / size)) {
    states.unshift(rest % size)
  }
  return states
}
