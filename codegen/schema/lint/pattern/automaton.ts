/** A pattern as a nondeterministic automaton without empty steps: one state for each place of a character. */
import { type CharSet, type PatternNode, UnsupportedPattern } from './syntax.ts'

/** The automaton of a pattern; states are numbered from 0. */
export interface Automaton {
  /** The characters that lead into each state. */
  readonly chars: readonly CharSet[]
  /** The states that may come after each state. */
  readonly next: readonly (readonly number[])[]
  /** Steps that can be taken in two ways: once more inside a repetition, or once more around it. */
  readonly doubled: readonly (readonly [from: number, to: number])[]
  /** True if one character leads into both states. */
  readonly meet: (a: number, b: number) => boolean
}

/** A larger pattern is refused: the tuples of its states could not be walked in reasonable time. */
const maxStates = 400

/** Part of an automaton: the states that it may begin and end with, and whether it matches the empty text. */
interface Fragment {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly empty: boolean
}

/** Matches the empty text only. */
const emptyFragment: Fragment = { first: [], last: [], empty: true }

/** Builds the automaton of a pattern. Throws `UnsupportedPattern` for one of more than 400 states. */
export function automatonOf(pattern: PatternNode): Automaton {
  return new AutomatonBuilder().build(pattern)
}

/** Builds fragments bottom-up and links the ends of one to the beginnings of the next. */
class AutomatonBuilder {
  readonly #chars: CharSet[] = []
  readonly #next: Set<number>[] = []
  readonly #doubled: [number, number][] = []

  build(pattern: PatternNode): Automaton {
    this.#fragment(pattern)
    return {
      chars: this.#chars,
      next: this.#next.map((states) => [...states]),
      doubled: this.#doubled,
      meet: meetingOf(this.#chars),
    }
  }

  #fragment(node: PatternNode): Fragment {
    switch (node.is) {
      case 'chars':
        return this.#state(node.chars)
      case 'sequence':
        return this.#sequence(node.parts)
      case 'choice':
        return node.branches.map((branch) => this.#fragment(branch)).reduce(either)
      case 'repeat':
        return node.most === Infinity
          ? this.#unbounded(node.part, node.least)
          : this.#bounded(node.part, node.least, node.most)
    }
  }

  /** A new state into which these characters lead. */
  #state(chars: CharSet): Fragment {
    const state = this.#chars.length
    if (state >= maxStates) throw new UnsupportedPattern('the pattern is too large')
    this.#chars.push(chars)
    this.#next.push(new Set())
    return { first: [state], last: [state], empty: false }
  }

  /** Fragments one after the other. */
  #sequence(parts: readonly PatternNode[]): Fragment {
    return parts.reduce((before, part) => this.#joined(before, this.#fragment(part)), emptyFragment)
  }

  /** `part{least,}`: the last copy leads back to itself. */
  #unbounded(part: PatternNode, least: number): Fragment {
    const before = this.#sequence(Array.from({ length: Math.max(0, least - 1) }, () => part))
    const loop = this.#fragment(part)
    this.#link(loop.last, loop.first)
    return this.#joined(before, { ...loop, empty: loop.empty || least === 0 })
  }

  /** `part{least,most}`: the copies beyond `least` may be left out. */
  #bounded(part: PatternNode, least: number, most: number): Fragment {
    let fragment = emptyFragment
    for (let copy = 1; copy <= most; copy++) {
      const next = this.#fragment(part)
      fragment = this.#joined(fragment, { ...next, empty: next.empty || copy > least })
    }
    return fragment
  }

  #joined(a: Fragment, b: Fragment): Fragment {
    this.#link(a.last, b.first)
    return {
      first: a.empty ? [...a.first, ...b.first] : a.first,
      last: b.empty ? [...a.last, ...b.last] : b.last,
      empty: a.empty && b.empty,
    }
  }

  /** A link that exists already can be taken in two ways. */
  #link(last: readonly number[], first: readonly number[]): void {
    for (const from of last) {
      for (const to of first) {
        if (this.#next[from]?.has(to)) this.#doubled.push([from, to])
        this.#next[from]?.add(to)
      }
    }
  }
}

/** Either of two fragments. */
function either(a: Fragment, b: Fragment): Fragment {
  return {
    first: [...a.first, ...b.first],
    last: [...a.last, ...b.last],
    empty: a.empty || b.empty,
  }
}

/** `meet` of an automaton, with each pair of states compared once. */
function meetingOf(chars: readonly CharSet[]): Automaton['meet'] {
  const known = new Map<number, boolean>()
  return (a, b) => {
    const key = a * chars.length + b
    const found = known.get(key) ?? overlap(chars[a] as CharSet, chars[b] as CharSet)
    known.set(key, found)
    return found
  }
}

function overlap(a: CharSet, b: CharSet): boolean {
  for (const code of a) if (b.has(code)) return true
  return false
}
