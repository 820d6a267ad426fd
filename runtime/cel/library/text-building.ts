/**
 * Functions that build text of pieces: `replace`, `split` and `join`, with what they cost. A result that no evaluation
 * could afford to read is an error before it is built.
 */

import { addRange, multiplyRange, saturated, scaleRange } from '../cost/ranges.ts'
import type { ArgumentEstimate, CallEstimate, Range } from '../functions/functions.ts'
import { spendSteps } from '../limits/step-limit.ts'
import { itemsOf } from '../values/collections.ts'
import { CelError, fail, type Result, type Value } from '../values/values.ts'
import { firstIndex } from './search.ts'
import { lengthOf, replace, split } from './text.ts'

/** The longest text that a function builds, in UTF-16 units: reading a longer one costs more than an evaluation may. */
export const longestResult = 10_000_000

/** Steps of putting a piece into its place; more if the pieces are single characters. */
const stepsPerPiece = 5
const stepsPerCharacter = 20

/** Steps of reading an item of a list. */
const stepsPerItem = 8

/** `split`: at most `limit` pieces, all if it is negative. */
export function divided(one: string, separator: string, limit: bigint): readonly string[] {
  const found = split(one, separator, limit)
  spendSteps(stepsPerPiece * found.length)
  return found
}

/**
 * An error of the expression and not a stop: the cost of a text that is never built is not spent.
 */
function tooLong(): CelError {
  return fail(`the result is longer than ${longestResult} characters`)
}

/**
 * `replace`: the first `limit` occurrences, all if it is negative. The size of the result is computed before it is
 * built.
 */
export function replaced(one: string, part: string, by: string, limit: bigint): Result {
  const most = part === '' ? one.length + 1 : Math.floor(one.length / part.length)
  const allowed = limit < 0n || limit > BigInt(most) ? most : Number(limit)
  const times = part === '' ? allowed : occurrences(one, part, allowed)
  if (one.length + times * (by.length - part.length) > longestResult) return tooLong()
  spendSteps((part === '' ? stepsPerCharacter : stepsPerPiece) * times)
  return replace(one, part, by, limit)
}

/** How often `part` occurs, counted up to `most`. */
function occurrences(one: string, part: string, most: number): number {
  let [times, at] = [0, firstIndex(one, part)]
  while (at >= 0 && times < most) {
    times++
    at = firstIndex(one, part, at + part.length)
  }
  return times
}

/** `join`: an error if an item is no string. */
export function joined(list: Parameters<typeof itemsOf>[0], separator: string): Result {
  const items = itemsOf(list)
  if (items instanceof CelError) return items
  spendSteps(stepsPerItem * items.length)
  let length = items.length * separator.length
  for (const item of items) {
    if (typeof item !== 'string') return fail('no such overload')
    length += item.length
  }
  return length > longestResult ? tooLong() : items.join(separator)
}

/** The cost of a joined text, charged by its length. */
export function joinCost(value: Value): number {
  return typeof value === 'string' ? Math.ceil(lengthOf(value) * 0.2) : 0
}

/** The worst case of joining a list with a separator. */
export function joinEstimate(list: ArgumentEstimate, separator: Range): CallEstimate {
  const separators = { min: Math.max(0, list.size.min - 1), max: Math.max(0, list.size.max - 1) }
  const size = addRange(multiplyRange(list.size, list.items), multiplyRange(separator, separators))
  return { cost: scaleRange(size, 0.1), size }
}

/** The worst case of splitting: a piece for every character, unless a literal limit says how many. */
export function splitEstimate(
  { size }: ArgumentEstimate,
  ...rest: ArgumentEstimate[]
): CallEstimate {
  const limit = rest[1]?.literal
  const whole = typeof limit === 'number' || typeof limit === 'bigint'
  const pieces = whole ? Number(BigInt.asUintN(64, BigInt(limit))) : size.max
  return { cost: scaleRange(size, 0.2), size: { min: 0, max: pieces } }
}

/** The worst case of replacing: as many of the shortest parts as the text holds, each replaced by the longest text. */
export function replaceEstimate(
  { size }: ArgumentEstimate,
  { size: part }: ArgumentEstimate,
  { size: by }: ArgumentEstimate,
): CallEstimate {
  const grown =
    part.min === 0
      ? size.max + (size.max + 1) * by.max
      : by.max <= part.min
        ? size.max
        : Math.ceil(size.max / part.min) * by.max
  const shrunk =
    part.max === 0
      ? size.min + (size.min + 1) * by.min
      : part.max <= by.min
        ? size.min
        : Math.ceil(size.min / part.max) * by.min
  return {
    cost: scaleRange(size, 0.2),
    size: { min: Math.min(shrunk, saturated), max: Math.min(grown, saturated) },
  }
}
