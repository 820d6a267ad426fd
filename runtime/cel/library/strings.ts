/**
 * Functions on text beyond the standard library: the version that quotes and formats. Indices and sizes count characters.
 * A result that no evaluation could afford to walk is an error before it is built.
 */

import { addRange, exactly, multiplyRange, saturated, scaleRange } from '../cost/ranges.ts'
import type { ArgumentEstimate, CallEstimate, Library, Range } from '../functions/functions.ts'
import { method, overload, traversal } from '../functions/functions.ts'
import { spendSteps } from '../limits/step-limit.ts'
import { dynType, intType, listType, stringType } from '../types/types.ts'
import { itemsOf } from '../values/collections.ts'
import { CelError, fail, type Int, intOf, type Result, type Value } from '../values/values.ts'
import { elementSize, walk } from './estimates.ts'
import { formatText } from './format.ts'
import { firstIndex } from './search.ts'
import * as text from './text.ts'

/** No text that a function builds may be longer: walking it would cost more than one evaluation may. */
export const longestResult = 10_000_000

/** Putting a piece into its place; more if the places are between characters. */
const stepsPerPiece = 5
const stepsPerCharacter = 20

/** Reading an item of a list. */
const stepsPerItem = 8

/** How much text a step looks through. */
const charactersPerStep = 4

function result(value: string | bigint | text.TextError): Result {
  if (typeof value === 'string') return value
  return typeof value === 'bigint' ? intOf(value) : fail(value.error)
}

const walked = (receiver: string) => traversal(text.lengthOf(receiver))
const walkedTwice = (receiver: string) => Math.ceil(text.lengthOf(receiver) * 0.2)
/** Searching is charged by the bytes that it passes over. */
const searched = (receiver: string) => Math.floor(Buffer.byteLength(receiver) * 0.1)

const searching = {
  cost: searched,
  estimate: ({ size }: ArgumentEstimate) => ({ cost: scaleRange(size, 0.1) }),
}
const walking = { cost: walked, estimate: (one: ArgumentEstimate) => walk(one) }
const big = (value: Int) => BigInt(value)

const positions = [
  {
    name: 'charAt',
    overloads: [
      method('string_char_at_int', [stringType, intType], stringType, (one, index) => {
        spendSteps(Math.ceil(one.length / charactersPerStep))
        return result(text.charAt(one, big(index)))
      }),
    ],
  },
  {
    name: 'indexOf',
    overloads: [
      method(
        'string_index_of_string',
        [stringType, stringType],
        intType,
        (one, part) => result(text.indexOf(one, part)),
        searching,
      ),
      method(
        'string_index_of_string_int',
        [stringType, stringType, intType],
        intType,
        (one, part, from) => result(text.indexOf(one, part, big(from))),
        searching,
      ),
    ],
  },
  {
    name: 'lastIndexOf',
    overloads: [
      method(
        'string_last_index_of_string',
        [stringType, stringType],
        intType,
        (one, part) => result(text.lastIndexOf(one, part)),
        searching,
      ),
      method(
        'string_last_index_of_string_int',
        [stringType, stringType, intType],
        intType,
        (one, part, from) => result(text.lastIndexOf(one, part, big(from))),
        searching,
      ),
    ],
  },
  {
    name: 'substring',
    overloads: [
      method(
        'string_substring_int',
        [stringType, intType],
        stringType,
        (one, start) => result(text.substring(one, big(start))),
        walking,
      ),
      method(
        'string_substring_int_int',
        [stringType, intType, intType],
        stringType,
        (one, start, end) => result(text.substring(one, big(start), big(end))),
        walking,
      ),
    ],
  },
]

const whole = [
  {
    name: 'lowerAscii',
    overloads: [method('string_lower_ascii', [stringType], stringType, text.lowerAscii, walking)],
  },
  {
    name: 'upperAscii',
    overloads: [method('string_upper_ascii', [stringType], stringType, text.upperAscii, walking)],
  },
  {
    name: 'trim',
    overloads: [method('string_trim', [stringType], stringType, text.trim, walking)],
  },
  {
    name: 'strings.quote',
    overloads: [
      overload('strings_quote', [stringType], stringType, text.quote, {
        cost: walked,
        estimate: ({ size }) => ({
          cost: scaleRange(size, 0.1),
          size: addRange(scaleRange(size, 2), exactly(2)),
        }),
      }),
    ],
  },
  {
    name: 'format',
    overloads: [
      method(
        'string_format',
        [stringType, listType(dynType)],
        stringType,
        (pattern, args) => {
          const items = itemsOf(args)
          return items instanceof CelError ? items : formatText(pattern, items, longestResult)
        },
        {
          cost: walked,
          resultCost: (value) => (typeof value === 'string' ? traversal(value.length) : 0),
          estimate: ({ size }) => ({ cost: scaleRange(size, 0.1) }),
          mixes: true,
        },
      ),
    ],
  },
]

const replacing = { cost: walkedTwice, estimate: replaceEstimate }
const splitting = { cost: walkedTwice, estimate: splitEstimate }

const pieces = [
  {
    name: 'replace',
    overloads: [
      method(
        'string_replace_string_string',
        [stringType, stringType, stringType],
        stringType,
        (one, part, by) => replaced(one, part, by, -1n),
        replacing,
      ),
      method(
        'string_replace_string_string_int',
        [stringType, stringType, stringType, intType],
        stringType,
        (one, part, by, limit) => replaced(one, part, by, big(limit)),
        replacing,
      ),
    ],
  },
  {
    name: 'split',
    overloads: [
      method(
        'string_split_string',
        [stringType, stringType],
        listType(stringType),
        (one, separator) => divided(one, separator, -1n),
        splitting,
      ),
      method(
        'string_split_string_int',
        [stringType, stringType, intType],
        listType(stringType),
        (one, separator, limit) => divided(one, separator, big(limit)),
        splitting,
      ),
    ],
  },
  {
    name: 'join',
    overloads: [
      method('list_join', [listType(stringType)], stringType, (list) => joined(list, ''), {
        cost: () => 0,
        resultCost: joinCost,
        estimate: (list) => joinEstimate(list, exactly(0)),
      }),
      method('list_join_string', [listType(stringType), stringType], stringType, joined, {
        cost: () => 0,
        resultCost: joinCost,
        estimate: (list, separator) => joinEstimate(list, separator.size),
      }),
    ],
  },
]

function divided(one: string, separator: string, limit: bigint): readonly string[] {
  const found = text.split(one, separator, limit)
  spendSteps(stepsPerPiece * found.length)
  return found
}

function tooLong(): CelError {
  return fail(`the result is longer than ${longestResult} characters`)
}

function replaced(one: string, part: string, by: string, limit: bigint): Result {
  const most = part === '' ? one.length + 1 : Math.floor(one.length / part.length)
  const allowed = limit < 0n || limit > BigInt(most) ? most : Number(limit)
  const times = part === '' ? allowed : occurrences(one, part, allowed)
  if (one.length + times * (by.length - part.length) > longestResult) return tooLong()
  spendSteps((part === '' ? stepsPerCharacter : stepsPerPiece) * times)
  return text.replace(one, part, by, limit)
}

function occurrences(one: string, part: string, most: number): number {
  let [times, at] = [0, firstIndex(one, part)]
  while (at >= 0 && times < most) {
    times++
    at = firstIndex(one, part, at + part.length)
  }
  return times
}

function joined(list: Parameters<typeof itemsOf>[0], separator: string): Result {
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

function joinCost(value: Value): number {
  return typeof value === 'string' ? Math.ceil(text.lengthOf(value) * 0.2) : 0
}

function joinEstimate(list: ArgumentEstimate, separator: Range): CallEstimate {
  const separators = { min: Math.max(0, list.size.min - 1), max: Math.max(0, list.size.max - 1) }
  const size = addRange(
    multiplyRange(list.size, elementSize(list)),
    multiplyRange(separator, separators),
  )
  return { cost: scaleRange(size, 0.1), size }
}

function splitEstimate({ size }: ArgumentEstimate, ...rest: ArgumentEstimate[]): CallEstimate {
  const limit = rest[1]?.literal
  const pieces = typeof limit === 'number' && limit >= 0 ? limit : size.max + 1
  return {
    cost: scaleRange(size, 0.2),
    size: { min: 0, max: pieces },
    bounds: { size: pieces, element: { size: size.max } },
  }
}

/** How long the result of a replacement can get: as many of the shortest parts as fit, each by the longest text. */
function replaceEstimate(
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

/** The library of functions on text. */
export const stringsLibrary: Library = {
  name: 'strings',
  functions: [...positions, ...whole, ...pieces],
}
