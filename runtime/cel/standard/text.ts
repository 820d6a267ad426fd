/** String tests of the standard library: prefix, suffix, part and regular expression. */
import { addRange, multiplyRange, one, scaleRange } from '../cost/ranges.ts'
import {
  type ArgumentEstimate,
  type FunctionDeclaration,
  method,
  overload,
  type Prepared,
  traversal,
} from '../functions/functions.ts'
import { codePoints } from '../syntax/source.ts'
import * as types from '../types/types.ts'
import { patternOf, search, searcherOf, whyNoPattern } from '../values/regex.ts'
import { fail, type Result, type Value } from '../values/values.ts'

const { boolType: bool, stringType: string } = types

const receiverCost = { cost: walkCost }
const argumentEstimate = {
  ...receiverCost,
  estimate: (_: ArgumentEstimate, argument: ArgumentEstimate) => ({
    cost: scaleRange(argument.size, 0.1),
  }),
}

/** The cost of reading a string once: a tenth of its code points, rounded up. */
export function walkCost(text: string): number {
  if (text.length <= 10) return text.length === 0 ? 0 : 1
  return traversal(codePoints(text))
}

/** The cost of one regular expression search: a tenth of the text times a quarter of the pattern, each rounded up. */
export function patternCost(text: string, pattern: string): number {
  return traversal(codePoints(text) + 1) * priceOf(pattern)
}

/** The pattern's part of the cost, at least 1 unless the pattern is empty. */
function priceOf(pattern: string): number {
  return Math.ceil(codePoints(pattern) * 0.25)
}

/** The worst-case cost of a regular expression search. */
export function patternEstimate(text: ArgumentEstimate, pattern: ArgumentEstimate) {
  const cost = multiplyRange(
    scaleRange(addRange(text.size, one), 0.1),
    scaleRange(pattern.size, 0.25),
  )
  return { cost }
}

function matches(text: string, pattern: string): Result {
  const compiled = patternOf(pattern)
  if (compiled === undefined) return fail(whyNoPattern(pattern))
  return search(compiled, text)
}

/** Why a constant pattern does not parse; undefined if it does, or is no constant. */
export function validPattern(constants: readonly (Value | undefined)[]): string | undefined {
  const pattern = constants[1]
  if (typeof pattern !== 'string' || patternOf(pattern) !== undefined) return undefined
  return whyNoPattern(pattern)
}

/** The call with a literal pattern, compiled once. */
function prepared([, pattern]: readonly (Value | undefined)[]): Prepared | undefined {
  if (typeof pattern !== 'string') return undefined
  const compiled = patternOf(pattern)
  if (compiled === undefined) return undefined
  const price = priceOf(pattern)
  const cost = (text: string) => traversal(codePoints(text) + 1) * price
  return { call: searcherOf(compiled), cost } as Prepared
}

const matching = {
  cost: patternCost,
  estimate: patternEstimate,
  validate: validPattern,
  prepare: prepared,
}

/** `startsWith`, `endsWith`, `contains` and `matches`. */
export const text: readonly FunctionDeclaration[] = [
  {
    name: 'startsWith',
    overloads: [
      method(
        'starts_with_string',
        [string, string],
        bool,
        (text, prefix) => text.startsWith(prefix),
        argumentEstimate,
      ),
    ],
  },
  {
    name: 'endsWith',
    overloads: [
      method(
        'ends_with_string',
        [string, string],
        bool,
        (text, suffix) => text.endsWith(suffix),
        argumentEstimate,
      ),
    ],
  },
  {
    name: 'contains',
    overloads: [
      method('contains_string', [string, string], bool, (text, part) => text.includes(part), {
        cost: (text, part) => traversal(codePoints(text)) * traversal(codePoints(part)),
        estimate: (text, part) => ({
          cost: multiplyRange(scaleRange(text.size, 0.1), scaleRange(part.size, 0.1)),
        }),
      }),
    ],
  },
  {
    name: 'matches',
    overloads: [
      overload('matches', [string, string], bool, matches, { validate: validPattern }),
      method('matches_string', [string, string], bool, matches, matching),
    ],
  },
]
