/**
 * String functions beyond the standard library, in the version that has `quote` and `format`. Indexes and sizes count
 * characters (code points).
 */

import { addRange, exactly, scaleRange } from '../cost/ranges.ts'
import {
  type ArgumentEstimate,
  type Library,
  method,
  overload,
  traversal,
} from '../functions/functions.ts'
import { spendSteps } from '../limits/step-limit.ts'
import { dynType, intType, listType, stringType } from '../types/types.ts'
import { itemsOf } from '../values/collections.ts'
import { CelError, fail, type Int, intOf, type Result } from '../values/values.ts'
import { walk } from './estimates.ts'
import { formatText } from './format.ts'
import * as text from './text.ts'
import {
  divided,
  joinCost,
  joinEstimate,
  joined,
  longestResult,
  replaced,
  replaceEstimate,
  splitEstimate,
} from './text-building.ts'

/** UTF-16 units that one step reads. */
const charactersPerStep = 4

/** The value or error of an operation on text. */
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

/**
 * Functions that take or give an index of a character. `charAt` costs 1 like an index into a
 * list, and pays the walk to the character in steps.
 */
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

/** Functions of the whole text, charged by its length. */
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
    later: true,
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
    later: true,
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
          estimate: ({ size }) => ({ cost: scaleRange(size, 0.1) }),
          mixes: true,
        },
      ),
    ],
  },
]

const replacing = { cost: walkedTwice, estimate: replaceEstimate }
const splitting = { cost: walkedTwice, estimate: splitEstimate }

/**
 * Functions that build texts or lists of texts. `join` is charged by its result, since the
 * lengths of the items are not known before.
 */
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

/** The library of string functions. */
export const stringsLibrary: Library = {
  name: 'strings',
  functions: [...positions, ...whole, ...pieces],
}
