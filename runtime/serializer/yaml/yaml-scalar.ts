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
  const capital = `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
  return [word, capital, word.toUpperCase()].map((text) => [text, value])
}

const decimal = /^[-+]?(?:0|[1-9][0-9_]*)$/
const octal = /^([-+]?)0o?([0-7_]+)$/
const based = /^([-+]?)(0x[0-9a-fA-F_]+|0b[01_]+)$/
const float = /^[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$/
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

/** The number of a numeric text, an integer if JSON would print it as one; undefined if it only looks like one, such as an address or a version. */
function numberOf(text: string): number | bigint | undefined {
  if (decimal.test(text)) return parseInteger(bare(text))
  const [, octalSign, octalDigits] = octal.exec(text) ?? []
  if (octalDigits !== undefined) return signed(octalSign, parseInteger(`0o${bare(octalDigits)}`))
  const [, sign, digits] = based.exec(text) ?? []
  if (digits !== undefined) return signed(sign, parseInteger(bare(digits)))
  if (!float.test(text)) return undefined
  const value = Number(bare(text))
  if (!Number.isFinite(value)) return undefined
  return /^-?\d{16,}$/.test(String(value)) ? parseInteger(String(value)) : value
}

/** Digits without separators and plus sign. */
function bare(text: string): string {
  return text.replaceAll('_', '').replace(/^\+/, '')
}

/** Bigints and numbers alike. */
function signed(sign: string | undefined, value: number | bigint): number | bigint {
  return sign === '-' ? -value : value
}
