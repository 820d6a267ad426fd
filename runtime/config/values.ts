import { parseDuration } from '../kernel/duration.ts'
import { invariant } from '../kernel/invariant.ts'
import type { Option, OptionType } from '../kernel/options.ts'
import { parseQuantity } from '../kernel/quantity.ts'
import { parseCsv } from './csv.ts'
import { printForm, readForm } from './forms.ts'
import type { Value } from './options.ts'

/** A value, or what is wrong with its text. */
export type Outcome =
  | { readonly value: Value; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: string }

/**
 * Reads one occurrence of a flag. `before` is what earlier occurrences gave: lists and maps grow, everything else is
 * replaced.
 */
export function readValue(option: Option, text: string, before?: Value): Outcome {
  const outcome = readers[option.type](joined(option, text, before), before)
  const error = outcome.error ?? refusal(option, outcome.value) ?? misform(option, outcome.value)
  return error === undefined ? outcome : { error }
}

/** A text that stands for a map or a list of its own grows too; what comes later counts. */
function joined({ form, type }: Option, text: string, before: Value | undefined): string {
  const grows = type === 'string' && (form === 'assignments' || form === 'numa-memory')
  if (!grows || before === undefined || before === '') return text
  return `${String(before)}${form === 'assignments' ? ',' : ';'}${text}`
}

/** The value of a flag that nobody gave: its default, or the zero of its type. */
export function initialValue(option: Option): Value {
  const { type, flag, form, default: given } = option
  if (given === undefined || given === null) return zeros[type]
  if (form !== undefined) return printForm(form, type, given)
  if (Array.isArray(given)) return given.map(String)
  if (typeof given === 'object') {
    return new Map(Object.entries(given).map(([key, value]) => [key, String(value)]))
  }
  const { value, error } = readValue(option, String(given))
  invariant(value !== undefined, `default of --${flag}: ${error}`)
  return value
}

const zeros: Readonly<Record<OptionType, Value>> = {
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

const readers: Readonly<Record<OptionType, (text: string, before?: Value) => Outcome>> = {
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

const truths: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
])

function readBoolean(text: string): Outcome {
  return orError(truths.get(text), 'must be true or false')
}

/** Decimal, or hexadecimal, octal and binary by their prefixes; a leading zero means octal. */
function readInteger(text: string, largest: number): Outcome {
  const match = /^([+-]?)(0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]*|[1-9]\d*)$/.exec(text)
  if (match === null) return { error: 'must be a whole number' }
  const digits = match[2]!.replace(/^0(?=[0-7])/, '0o')
  const value = Number(digits) * (match[1] === '-' ? -1 : 1)
  if (value > largest || value < -largest - 1) return { error: 'is out of range' }
  return { value: value === 0 ? 0 : value }
}

function readFloat(text: string): Outcome {
  const valid = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)
  return valid ? { value: Number(text) } : { error: 'must be a number' }
}

function readQuantity(text: string): Outcome {
  const quantity = parseQuantity(text)
  if (quantity === undefined) return { error: 'must be a quantity such as 100, 1.5G or 256Mi' }
  const size = Number(quantity.nanos) / 1e9
  return { value: quantity.negative ? -size : size }
}

function readStrings(text: string, before: Value = []): Outcome {
  const values = text === '' ? [] : parseCsv(text)
  if (values === undefined) return { error: 'has a quote out of place' }
  return { value: [...(before as readonly string[]), ...values] }
}

/** Pairs are split at commas, unless there is only one: its value may hold commas of its own. */
function readPairs(text: string, before: Value = new Map()): Outcome {
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

/** `Name=true` for each switch. */
function readSwitches(text: string, before: Value = new Map()): Outcome {
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

function readPatterns(text: string, before: Value = new Map()): Outcome {
  const { value, error } = readPairs(text, before)
  if (error !== undefined) return { error: `${error.replace('key=value', 'PATTERN=N')}` }
  for (const [pattern, level] of value as ReadonlyMap<string, string>) {
    if (pattern === '') return { error: `=${level} must begin with a pattern` }
    if (!/^[0-9]{1,9}$/.test(level))
      return { error: `${pattern}=${level} must end in a whole number` }
  }
  return { value: value as Value }
}

function orError(value: Value | undefined, error: string): Outcome {
  return value === undefined ? { error } : { value }
}

/** Why a value does not have the form that its field needs. */
function misform({ form }: Option, value: Value | undefined): string | undefined {
  return form === undefined || value === undefined ? undefined : readForm(form, value).error
}

/** Why a value of the right type is not allowed. */
function refusal(
  { values, minimum, maximum, default: given = '' }: Option,
  value: Value | undefined,
): string | undefined {
  const unsaid = value === '' && given === ''
  if (values !== undefined && !unsaid && !values.includes(String(value))) {
    return `must be one of ${values.map((known) => JSON.stringify(known)).join(', ')}`
  }
  if (typeof value !== 'number') return undefined
  if (minimum !== undefined && value < minimum) return `must not be less than ${minimum}`
  if (maximum !== undefined && value > maximum) return `must not be greater than ${maximum}`
  return undefined
}
