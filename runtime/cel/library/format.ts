/** The function `format`, with the clauses `%s %d %f %e %b %o %x %X` and a precision for `%f` and `%e`. */

import { spendSteps } from '../limits/step-limit.ts'
import { printType, typeName } from '../types/types.ts'
import { isList, isMap, itemsOf, keysOf, lookup, sizeOfMap } from '../values/collections.ts'
import { printDouble } from '../values/numbers.ts'
import { printDuration, printTimestamp } from '../values/time.ts'
import { typeOf } from '../values/value-type.ts'
import {
  CelError,
  Double,
  Duration,
  fail,
  type Result,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from '../values/values.ts'
import { fixedText, scientificText } from './decimal.ts'

/** The most digits after the point: a number in the pattern must not make the text grow without limit. */
const maxDigits = 1000
const defaultDigits = 6
const stepsPerClause = 10
const clause = /%(?:\.([0-9]*))?(.|$)/su

/**
 * The pattern with each clause replaced by the argument at its position. An error if a clause does not fit its
 * argument, or if the text gets longer than `longest` UTF-16 units.
 */
export function formatText(pattern: string, args: readonly Value[], longest: number): Result {
  let [out, rest, next] = ['', pattern, 0]
  for (;;) {
    const found = clause.exec(rest)
    if (found === null) return out + rest
    spendSteps(stepsPerClause)
    out += rest.slice(0, found.index)
    rest = rest.slice(found.index + found[0].length)
    const piece = found[0] === '%%' ? '%' : clauseText(found, args, next++)
    if (typeof piece !== 'string') return piece
    out += piece
    if (out.length > longest) return fail(`the result is longer than ${longest} characters`)
  }
}

/** The text of one clause, or what is wrong with it. */
function clauseText(
  [, precision, letter]: RegExpExecArray,
  args: readonly Value[],
  index: number,
): string | CelError {
  if (letter === '' || letter === undefined) {
    return fail('could not parse formatting clause: unexpected end of string')
  }
  const writer = writers[letter]
  if (writer === undefined) {
    return fail(`could not parse formatting clause: unrecognized formatting clause "${letter}"`)
  }
  const digits = precision === undefined ? defaultDigits : Number(precision || Number.NaN)
  if (Number.isNaN(digits)) {
    return fail('could not parse formatting clause: error while parsing precision')
  }
  if (digits > maxDigits) {
    return fail(`could not parse formatting clause: a precision may not exceed ${maxDigits}`)
  }
  if (index >= args.length) return fail(`index ${index} out of range`)
  const text = writer(args[index]!, digits)
  return text instanceof CelError ? fail(`error during formatting: ${text.message}`) : text
}

/** Writes a value for one clause; an error for a value that the clause does not take. */
type Writer = (value: Value, digits: number) => string | CelError

const writers: Readonly<Record<string, Writer | undefined>> = Object.assign(Object.create(null), {
  s: (value: Value) => stringText(value),
  d: decimalText,
  f: floating('fixed-point', fixedText),
  e: floating('scientific', scientificText),
  b: binaryText,
  o: octalText,
  x: (value: Value) => hexText(value),
  X: (value: Value) => {
    const text = hexText(value)
    return typeof text === 'string' ? text.toUpperCase() : text
  },
})

/** The error of a clause whose argument has the wrong type. */
function was(value: Value, sentence: string): CelError {
  return fail(`${sentence}, was given ${typeName(typeOf(value))}`)
}

/** The value as `%s` writes it: members of lists and maps without quotes, maps sorted by key. */
function stringText(value: Value): string | CelError {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object') return String(value)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Double) return doubleText(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
  if (value instanceof Duration) return printDuration(value)
  if (value instanceof Timestamp) return printTimestamp(value)
  if (value instanceof TypeValue) return printType(value.type)
  if (isList(value)) return listText(value)
  if (isMap(value)) return mapText(value)
  const known =
    'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps'
  return was(value, `string clause can only be used on ${known}`)
}

function doubleText(value: Double): string {
  if (Number.isFinite(value.value) || Number.isNaN(value.value)) return printDouble(value)
  return value.value > 0 ? 'Infinity' : '-Infinity'
}

/** Steps of printing an item of a list. */
const stepsPerItem = 40
/** Steps of printing an entry of a map. */
const stepsPerEntry = 120

function listText(list: Parameters<typeof itemsOf>[0]): string | CelError {
  const items = itemsOf(list)
  if (items instanceof CelError) return items
  const texts: string[] = []
  spendSteps(stepsPerItem * items.length)
  for (const item of items) {
    const text = stringText(item)
    if (typeof text !== 'string') return text
    texts.push(text)
  }
  return `[${texts.join(', ')}]`
}

function mapText(map: Parameters<typeof keysOf>[0]): string | CelError {
  const entries: [string, string][] = []
  spendSteps(stepsPerEntry * sizeOfMap(map))
  for (const key of keysOf(map)) {
    const value = lookup(map, key)
    const text = value === undefined || value instanceof CelError ? value : stringText(value)
    const name = stringText(key)
    if (typeof text !== 'string') return text ?? fail('no such key')
    if (typeof name !== 'string') return name
    entries.push([name, text])
  }
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${entries.map(([name, text]) => `${name}: ${text}`).join(', ')}}`
}

function integer(value: Value): bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return BigInt(value)
  return value instanceof Uint ? value.value : undefined
}

function decimalText(value: Value): string | CelError {
  const int = integer(value)
  if (int !== undefined) return String(int)
  if (value instanceof Double && !Number.isFinite(value.value)) return doubleText(value)
  return was(value, 'decimal clause can only be used on integers')
}

function floating(name: string, text: (value: number, digits: number) => string): Writer {
  return (value, digits) => {
    const int = integer(value)
    const number = value instanceof Double ? value.value : int === undefined ? int : Number(int)
    if (number === undefined) return was(value, `${name} clause can only be used on doubles`)
    return Number.isFinite(number) ? text(number, digits) : doubleText(new Double(number))
  }
}

function binaryText(value: Value): string | CelError {
  if (typeof value === 'boolean') return value ? '1' : '0'
  const sentence = 'only integers and bools can be formatted as binary'
  return integer(value)?.toString(2) ?? was(value, sentence)
}

function octalText(value: Value): string | CelError {
  return integer(value)?.toString(8) ?? was(value, 'octal clause can only be used on integers')
}

function hexText(value: Value): string | CelError {
  if (typeof value === 'string') return Buffer.from(value, 'utf8').toString('hex')
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  const sentence = 'only integers, byte buffers, and strings can be formatted as hex'
  return integer(value)?.toString(16) ?? was(value, sentence)
}
