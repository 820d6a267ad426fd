import { capitalized } from '../../kernel/values/capitalized.ts'
import type { Json } from '../../kernel/values/json.ts'
import { parseInteger } from '../format/decoded.ts'

const words: ReadonlyMap<string, Json> = new Map<string, Json>([
  ...casings('true', true),
  ...casings('yes', true),
  ...casings('on', true),
  ...casings('y', true),
  ...casings('false', false),
  ...casings('no', false),
  ...casings('off', false),
  ...casings('n', false),
  ...casings('null', null),
  ['~', null],
  ['', null],
])

/** `true`, `True`, `TRUE` */
function casings(word: string, value: Json): [string, Json][] {
  return [word, capitalized(word), word.toUpperCase()].map((text) => [text, value])
}

const decimal = /^[-+]?(?:0|[1-9][0-9]*)$/
const octal = /^([-+]?)0[oO]?([0-7]+)$/
const based = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+)$/
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
const special = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/

/**
 * The value of an unquoted scalar by YAML 1.1: `yes` and `off` are booleans, `010` is 8. Dates, times and sexagesimal numbers
 * stay strings; infinities and NaN, which JSON does not have, give undefined.
 */
export function plainScalar(text: string): Json | undefined {
  const word = words.get(text)
  if (word !== undefined) return word
  const first = text.charCodeAt(0)
  const numeric =
    (first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d || first === 0x2e
  if (!numeric || text.length > 400) return text
  if (special.test(text)) return undefined
  return numberOf(text) ?? text
}

export const binaryTag = 'tag:yaml.org,2002:binary'

/** The text of a scalar that is tagged as binary. */
export function binaryText(text: string): string {
  return Buffer.from(text.replace(/\s/g, ''), 'base64').toString()
}

/** The number of a numeric text, an integer if JSON would print it as one; undefined if it only looks like one, such as an address or a version. */
function numberOf(given: string): number | bigint | undefined {
  const text = given.startsWith('.') ? given : given.replaceAll('_', '')
  if (decimal.test(text)) return parseInteger(unsigned(text))
  const [, octalSign, octalDigits] = octal.exec(text) ?? []
  if (octalDigits !== undefined) return signed(octalSign, parseInteger(`0o${octalDigits}`))
  const [, sign, digits] = based.exec(text) ?? []
  if (digits !== undefined) return signed(sign, parseInteger(digits))
  if (!float.test(text)) return undefined
  const value = Number(unsigned(text))
  if (!Number.isFinite(value)) return undefined
  return /^-?\d{16,}$/.test(String(value)) ? parseInteger(String(value)) : value
}

/** Without the plus sign. */
function unsigned(text: string): string {
  return text.replace(/^\+/, '')
}

/** Bigints and numbers alike. */
function signed(sign: string | undefined, value: number | bigint): number | bigint {
  return sign === '-' ? -value : value
}
