import { invariant } from '../../kernel/errors/invariant.ts'
import type { Option, OptionType } from '../../kernel/options/option-table.ts'
import { parseDuration } from '../../kernel/values/duration.ts'
import { parseQuantity } from '../../kernel/values/quantity.ts'
import { parseCsv } from './csv.ts'
import { printFieldFormat, readFieldFormat } from './field-formats.ts'
import type { OptionValue } from './options.ts'

/** A parsed value, or what is wrong with its text. */
export type FlagValueResult =
  | { readonly value: OptionValue; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: string }

/**
 * Parses one occurrence of a flag. `before` is the value of earlier occurrences: lists and maps grow, any other value is
 * replaced.
 */
export function parseFlagValue(
  option: Option,
  text: string,
  before?: OptionValue,
): FlagValueResult {
  const outcome = readers[option.type](joined(option, text, before), before)
  const error =
    outcome.error ?? boundsError(option, outcome.value) ?? formatError(option, outcome.value)
  return error === undefined ? outcome : { error }
}

/** Texts with the format of a map or list grow like maps and lists; of equal keys the later one counts. */
function joined(
  { format: form, type }: Option,
  text: string,
  before: OptionValue | undefined,
): string {
  const grows = type === 'string' && (form === 'assignments' || form === 'numa-memory')
  if (!grows || before === undefined || before === '') return text
  return `${String(before)}${form === 'assignments' ? ',' : ';'}${text}`
}

/** The value of a flag that is not given: its default, or the zero of its type. */
export function initialValue(option: Option): OptionValue {
  const { type, flag, format: form, default: given } = option
  if (given === undefined || given === null) return zeros[type]
  if (form !== undefined) return printFieldFormat(form, type, given)
  if (Array.isArray(given)) return given.map(String)
  if (typeof given === 'object') {
    return new Map(Object.entries(given).map(([key, value]) => [key, String(value)]))
  }
  const { value, error } = parseFlagValue(option, String(given))
  invariant(value !== undefined, `default of --${flag}: ${error}`)
  return value
}

/** The value of a flag that is not given and has no default. */
const zeros: Readonly<Record<OptionType, OptionValue>> = {
  bool: false,
  int: 0,
  int32: 0,
  int64: 0,
  float: 0,
  string: '',
  duration: 0,
  quantity: 0,
  strings: [],
  stringArray: [],
  stringToString: new Map(),
  stringToBool: new Map(),
  patterns: new Map(),
  word: 'false',
}

/** A parser for each type. `before` is what earlier occurrences gave. */
const readers: Readonly<
  Record<OptionType, (text: string, before?: OptionValue) => FlagValueResult>
> = {
  bool: readBoolean,
  int: (text) => readInteger(text, Number.MAX_SAFE_INTEGER),
  int32: (text) => readInteger(text, 2 ** 31 - 1),
  int64: (text) => readInteger(text, Number.MAX_SAFE_INTEGER),
  float: readFloat,
  string: (value) => ({ value }),
  duration: (text) => orError(parseDuration(text), 'must be a duration such as 30s or 1h0m0s'),
  quantity: readQuantity,
  strings: readStrings,
  stringArray: (text, before = []) => ({ value: [...(before as readonly string[]), text] }),
  stringToString: readPairs,
  stringToBool: readSwitches,
  patterns: readPatterns,
  word: (value) => ({ value }),
}

/** The texts of booleans, as the flag packages of the public daemons read them. */
const truths: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
])

/** A boolean in any of the forms of `truths`. */
function readBoolean(text: string): FlagValueResult {
  return orError(truths.get(text), 'must be true or false')
}

/** Decimal, or hexadecimal (0x), binary (0b) and octal (0o, or a leading zero). */
function readInteger(text: string, largest: number): FlagValueResult {
  const match = /^([+-]?)(0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]*|[1-9]\d*)$/.exec(text)
  if (match === null) return { error: 'must be a whole number' }
  const digits = match[2]!.replace(/^0(?=[0-7])/, '0o')
  const value = Number(digits) * (match[1] === '-' ? -1 : 1)
  if (value > largest || value < -largest - 1) return { error: 'is out of range' }
  return { value: value === 0 ? 0 : value }
}

/** A decimal number, with an exponent if need be. */
function readFloat(text: string): FlagValueResult {
  const valid = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)
  return valid ? { value: Number(text) } : { error: 'must be a number' }
}

/** A quantity as a number: `1Gi` is 1073741824. */
function readQuantity(text: string): FlagValueResult {
  const quantity = parseQuantity(text)
  if (quantity === undefined) return { error: 'must be a quantity such as 100, 1.5G or 256Mi' }
  const size = Number(quantity.nanos) / 1e9
  return { value: quantity.negative ? -size : size }
}

/** Comma-separated values, quoted if they contain commas, appended to earlier ones. */
function readStrings(text: string, before: OptionValue = []): FlagValueResult {
  const values = text === '' ? [] : parseCsv(text)
  if (values === undefined) return { error: 'has a quote out of place' }
  return { value: [...(before as readonly string[]), ...values] }
}

/** `key=value`, comma-separated. The value of a single pair may contain commas. */
function readPairs(text: string, before: OptionValue = new Map()): FlagValueResult {
  const single = text.split('=').length === 2
  const values = text === '' ? [] : single ? [text.replace(/^"(.*)"$/, '$1')] : parseCsv(text)
  if (values === undefined) return { error: 'has a quote out of place' }
  const pairs = new Map(before as ReadonlyMap<string, string>)
  for (const pair of values) {
    const equals = pair.indexOf('=')
    if (equals === -1) return { error: `${pair} must be formatted as key=value` }
    pairs.set(pair.slice(0, equals), pair.slice(equals + 1))
  }
  return { value: pairs }
}

/** `Name=true`, comma-separated. */
function readSwitches(text: string, before: OptionValue = new Map()): FlagValueResult {
  const switches = new Map(before as ReadonlyMap<string, string>)
  for (const pair of text.split(',').map((each) => each.trim())) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    if (equals === -1) return { error: `missing bool value for ${pair}` }
    const name = pair.slice(0, equals).trim()
    const value = pair.slice(equals + 1).trim()
    const on = truths.get(value)
    if (on === undefined)
      return { error: `invalid value of ${name}=${value}, must be true or false` }
    switches.set(name, String(on))
  }
  return { value: switches }
}

/** `PATTERN=N`, comma-separated, where N is a level. */
function readPatterns(text: string, before: OptionValue = new Map()): FlagValueResult {
  const { value, error } = readPairs(text, before)
  if (error !== undefined) return { error: `${error.replace('key=value', 'PATTERN=N')}` }
  for (const [pattern, level] of value as ReadonlyMap<string, string>) {
    if (pattern === '') return { error: `=${level} must begin with a pattern` }
    if (!/^[0-9]{1,9}$/.test(level))
      return { error: `${pattern}=${level} must end in a whole number` }
  }
  return { value: value as OptionValue }
}

/** The value, or the error if there is none. */
function orError(value: OptionValue | undefined, error: string): FlagValueResult {
  return value === undefined ? { error } : { value }
}

/** What is wrong with a value by the format of its option; undefined if nothing is. */
function formatError({ format: form }: Option, value: OptionValue | undefined): string | undefined {
  return form === undefined || value === undefined ? undefined : readFieldFormat(form, value).error
}

/** What is wrong with a value by the values and bounds of its option; undefined if nothing is. */
function boundsError(
  { values, minimum, maximum, default: initial = '' }: Option,
  value: OptionValue | undefined,
): string | undefined {
  const empty = value === '' && initial === ''
  if (values !== undefined && !empty && !values.includes(String(value))) {
    return `must be one of ${values.map((known) => JSON.stringify(known)).join(', ')}`
  }
  if (typeof value !== 'number') return undefined
  if (minimum !== undefined && value < minimum) return `must not be less than ${minimum}`
  if (maximum !== undefined && value > maximum) return `must not be greater than ${maximum}`
  return undefined
}
