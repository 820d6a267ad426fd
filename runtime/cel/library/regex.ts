/**
 * `find` and `findAll`: the parts of a text that match a pattern. Patterns have RE2 syntax; matching takes time linear
 * in the text.
 */
import type { RE2JS } from 're2js'
import type { ArgumentEstimate, CallEstimate, Library, Prepared } from '../functions/functions.ts'
import { method } from '../functions/functions.ts'
import { spendSteps } from '../limits/step-limit.ts'
import { patternCost, patternEstimate } from '../standard/text.ts'
import { intType, listType, stringType } from '../types/types.ts'
import { meterMatch, patternOf, whyNoPattern } from '../values/regex.ts'
import { fail, type Result, type Value } from '../values/values.ts'

/** A match is no longer than the text, and there are at most as many matches as characters. */
function findEstimate(one: ArgumentEstimate, pattern: ArgumentEstimate): CallEstimate {
  return { ...patternEstimate(one, pattern), size: { min: 0, max: one.size.max } }
}

const stepsPerMatch = 40

/** The compiled pattern, or the reason why the text is no pattern. */
function compiled(text: string): RE2JS | string {
  return patternOf(text) ?? whyNoPattern(text)
}

/** Empty without a match, as with an empty match: an expression cannot tell the two apart. */
function first(pattern: RE2JS, one: string): string {
  meterMatch(pattern, one)
  const matcher = pattern.matcher(one)
  return matcher.find() ? (matcher.group() ?? '') : ''
}

/**
 * All matches from left to right, at most `limit` of them unless it is negative. An empty match directly behind another
 * match does not count.
 */
function all(pattern: RE2JS, one: string, limit: number): readonly string[] {
  meterMatch(pattern, one)
  const found: string[] = []
  const matcher = pattern.matcher(one)
  let last = -1
  while ((limit < 0 || found.length < limit) && matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()]
    spendSteps(stepsPerMatch)
    if (start !== end || start !== last) found.push(one.slice(start, end))
    last = end
  }
  return found
}

type OverloadEstimate = (one: ArgumentEstimate, pattern: ArgumentEstimate) => CallEstimate
type Search = (pattern: RE2JS, one: string, limit: number) => Result

/** The call for a computed pattern, the prepared call for a literal one, and the compile error of an invalid literal. */
function searching(search: Search, estimate: OverloadEstimate) {
  const call = (one: string, text: string, limit: number | bigint = -1): Result => {
    const pattern = compiled(text)
    if (typeof pattern === 'string') return fail(`Illegal regex: ${pattern}`)
    return search(pattern, one, Number(limit))
  }
  return {
    call,
    extras: {
      cost: patternCost,
      estimate,
      validate: ([, text]: readonly (Value | undefined)[]) => {
        const pattern = typeof text === 'string' ? compiled(text) : undefined
        return typeof pattern === 'string' ? pattern : undefined
      },
      prepare: ([, text]: readonly (Value | undefined)[]) => {
        const pattern = typeof text === 'string' ? patternOf(text) : undefined
        if (pattern === undefined) return undefined
        const call = (one: Value, _: Value, limit: Value = -1) =>
          search(pattern, one as string, Number(limit))
        return { call, cost: patternCost } as Prepared
      },
    },
  }
}

const find = searching(first, findEstimate)
const findAll = searching(all, findEstimate)

/** The library of regular expressions; `matches` is in the standard library. */
export const regexLibrary: Library = {
  name: 'regex',
  functions: [
    {
      name: 'find',
      overloads: [
        method('string_find_string', [stringType, stringType], stringType, find.call, find.extras),
      ],
    },
    {
      name: 'findAll',
      overloads: [
        method(
          'string_find_all_string',
          [stringType, stringType],
          listType(stringType),
          findAll.call,
          findAll.extras,
        ),
        method(
          'string_find_all_string_int',
          [stringType, stringType, intType],
          listType(stringType),
          findAll.call,
          findAll.extras,
        ),
      ],
    },
  ],
}
