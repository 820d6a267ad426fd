/** Why a value is none of a type without parts, in the words of the public decoder. */
import type { FieldType } from '../../kernel/descriptors/field-types.ts'
import { durationProblem, parseNanoseconds } from '../../kernel/values/duration.ts'
import type { Json } from '../../kernel/values/json.ts'
import { parseMoment } from '../../kernel/values/moment.ts'
import { parseQuantity, quantityProblem } from '../../kernel/values/quantity.ts'
import { encodeJson } from './encode-json.ts'

/** What is wrong with a value. */
export interface ScalarProblem {
  /** What the value is, if `name` is what it is not; the whole problem otherwise. */
  readonly text: string
  readonly name?: string
  /** Types with a text form of their own decode it themselves, and their word ends the reading. */
  readonly ends: boolean
}

/** The problem with a value, which is not null, of a type that messages call `name`. `numeral` is a number as it was written. */
export function scalarProblem(
  type: FieldType,
  name: string,
  value: Json,
  numeral = '',
): ScalarProblem | undefined {
  switch (type) {
    case 'any':
    case 'raw-extension':
    case 'fields-v1':
      return undefined
    case 'quantity':
      return ending(quantityText(value, numeral))
    case 'time':
    case 'micro-time':
    case 'duration':
      return typeof value === 'string'
        ? ending(textProblem(type, value))
        : { text: mismatch(value), name: 'string', ends: true }
    case 'int-or-string':
      return typeof value === 'string' ? undefined : integer('int32', 'int32', value, numeral, true)
    case 'int32':
    case 'int64':
      return integer(type, name, value, numeral, false)
    case 'float64':
      return typeof value === 'number' || typeof value === 'bigint'
        ? undefined
        : { text: mismatch(value), name, ends: false }
    case 'bytes':
      return bytes(name, value)
    case 'bool':
      return typeof value === 'boolean' ? undefined : { text: mismatch(value), name, ends: false }
    default:
      return typeof value === 'string' ? undefined : { text: mismatch(value), name, ends: false }
  }
}

/** A value's type, as messages call it. */
export function mismatch(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'number' : typeof value
}

function ending(text: string | undefined): ScalarProblem | undefined {
  return text === undefined ? undefined : { text, ends: true }
}

function integer(
  type: 'int32' | 'int64',
  name: string,
  value: Json,
  numeral: string,
  ends: boolean,
): ScalarProblem | undefined {
  if (numeral === '') return { text: mismatch(value), name, ends }
  return fits(type, numeral) ? undefined : { text: `number ${numeral}`, name, ends }
}

function fits(type: 'int32' | 'int64', numeral: string): boolean {
  if (!/^-?[0-9]{1,19}$/.test(numeral)) return false
  const value = BigInt(numeral)
  return BigInt.asIntN(type === 'int32' ? 32 : 64, value) === value
}

function textProblem(type: 'time' | 'micro-time' | 'duration', text: string): string | undefined {
  if (type === 'duration') {
    return parseNanoseconds(text) === undefined ? durationProblem(text) : undefined
  }
  const moment = parseMoment(text, type === 'time' ? 'time' : 'micro time')
  return moment instanceof Error ? moment.message : undefined
}

/** A quantity decodes the text of its value, whatever that is. */
function quantityText(value: Json, numeral: string): string | undefined {
  const text =
    numeral ||
    (typeof value === 'string' ? escaped(value) : Buffer.from(encodeJson(value)).toString())
  const trimmed = text.trim()
  return parseQuantity(trimmed) === undefined ? quantityProblem(trimmed) : undefined
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** A number in a list of bytes is a byte. */
function bytes(name: string, value: Json): ScalarProblem | undefined {
  if (Array.isArray(value)) return undefined
  if (typeof value !== 'string') return { text: mismatch(value), name, ends: false }
  const at = corruptAt(value)
  if (at === undefined) return undefined
  return { text: `illegal base64 data at input byte ${at}`, ends: false }
}

/** The index at which a text stops being base64 with padding. Line breaks do not count. */
function corruptAt(text: string): number | undefined {
  const bytes = Buffer.from(text)
  let [at, digits] = [0, 0]
  const skipBreaks = () => {
    while (bytes[at] === 0x0a || bytes[at] === 0x0d) at++
  }
  for (;;) {
    skipBreaks()
    const byte = bytes[at]
    if (byte === undefined) return digits % 4 === 0 ? undefined : at - (digits % 4)
    if (byte === padding) break
    if (!isDigit(byte)) return at
    at++
    digits++
  }
  if (digits % 4 < 2) return at
  at++
  if (digits % 4 === 2) {
    skipBreaks()
    if (at === bytes.length) return bytes.length
    if (bytes[at] !== padding) return at - 1
    at++
  }
  skipBreaks()
  return at < bytes.length ? at : undefined
}

const padding = 0x3d

function isDigit(byte: number): boolean {
  return /[A-Za-z0-9+/]/.test(String.fromCharCode(byte))
}
