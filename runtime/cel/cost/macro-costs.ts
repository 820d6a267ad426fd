/** What literals and macros cost, in units: the cost model of cel-go, in which a macro is a comprehension. */
import type { FoldMacro } from '../syntax/ast.ts'

/** What a list literal costs. */
export const listCost = 40
/** What a map literal costs. */
export const mapCost = 30

/**
 * What a macro costs beside its parts, the price of the comprehension that it stands for: `start` once, `each` for
 * every item that is visited, `kept` and `dropped` on top by the result of the body, `after` if the walk ends before
 * the last item.
 */
export interface FoldCost {
  readonly start: number
  readonly each: number
  readonly kept: number
  readonly dropped: number
  readonly after: number
}

const collecting = { start: 11, each: 0, kept: 12, dropped: 1, after: 0 }
const mapping = { start: 31, each: 0, kept: 3, dropped: 1, after: 0 }

/**
 * The costs of the macros. One that collects appends a list of one item each time: 10 for it, 1 for joining, 1 for the
 * list so far.
 */
export const foldCosts: Readonly<Record<FoldMacro, FoldCost>> = {
  all: { start: 1, each: 3, kept: 0, dropped: 0, after: 2 },
  exists: { start: 1, each: 4, kept: 0, dropped: 0, after: 3 },
  existsOne: { start: 2, each: 0, kept: 2, dropped: 1, after: 0 },
  map: collecting,
  filter: { ...collecting, kept: 13 },
  transformList: collecting,
  transformMap: mapping,
  transformMapEntry: { ...mapping, kept: 2 },
}

/**
 * What evaluating a macro costs. A literal of constants is made when an expression is compiled, so the empty list or map
 * that some macros begin with is free; so is what a dropped item leaves as it is.
 */
export const foldRunCosts: Readonly<Record<FoldMacro, FoldCost>> = {
  ...foldCosts,
  existsOne: { ...foldCosts.existsOne, dropped: 0 },
  map: { ...collecting, start: 1, dropped: 0 },
  filter: { ...foldCosts.filter, start: 1, dropped: 0 },
  transformList: { ...collecting, start: 1, dropped: 0 },
  transformMap: { ...mapping, start: 1, dropped: 0 },
  transformMapEntry: { ...foldCosts.transformMapEntry, start: 1, dropped: 0 },
}

/** Binding a variable builds an empty list to walk over: in the worst case, not when it is evaluated. */
export const bindCost = 10
