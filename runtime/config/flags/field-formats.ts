/**
 * Formats that convert between a flag's text and the value of its field where their types differ. Each parses the flag and
 * prints the field, so that a default is stated once, as the field's value.
 */

import type { OptionFormat, OptionType } from '../../kernel/options/option-table.ts'
import { define } from '../../kernel/values/define-property.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { OptionValue } from './options.ts'

/** The value of a field, or what is wrong with the text. */
export type FieldFormatResult =
  | { readonly value: Json; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: string }

/** One format. Reading fails with a text that says how a part must be formatted. */
interface FieldFormat {
  readonly read: (parts: readonly string[]) => FieldFormatResult
  readonly print: (value: Json) => readonly string[]
  /** What separates the parts if the flag is one text. */
  readonly separator: string
}

/** Converts a flag's value to the field's. */
export function readFieldFormat(form: OptionFormat, value: OptionValue): FieldFormatResult {
  const { read, separator } = forms[form]
  if (value instanceof Map) return read([...value].map(([key, each]) => `${key}=${each}`))
  const parts = Array.isArray(value) ? (value as readonly string[]) : String(value).split(separator)
  return read(parts.map((part) => part.trim()).filter((part) => part !== ''))
}

/** Converts a field's value to the flag's. */
export function printFieldFormat(
  form: OptionFormat,
  type: OptionType,
  value: unknown,
): OptionValue {
  const { print, separator } = forms[form]
  const parts = print(value as Json)
  if (type === 'patterns') return new Map(parts.map((part) => splitAt(part, '=') ?? [part, '']))
  return type === 'strings' ? parts : parts.join(separator)
}

/** A map of strings as `key<operator>value`. Of two assignments to a key the last counts; two thresholds are a mistake. */
function pairs(operator: string): FieldFormat {
  return {
    separator: ',',
    read(parts) {
      const result: Record<string, Json> = {}
      for (const part of parts) {
        const pair = splitAt(part, operator)
        if (pair === undefined)
          return { error: `${part} must be formatted as NAME${operator}VALUE` }
        if (operator === '<' && Object.hasOwn(result, pair[0])) {
          return { error: `${pair[0]} stands twice` }
        }
        define(result, pair[0], pair[1])
      }
      return { value: result }
    },
    print: (value) =>
      Object.entries(value as JsonObject).map(([key, each]) => `${key}${operator}${String(each)}`),
  }
}

/** A map of lists as `NAME:VALUE`, one for each item. */
const headers: FieldFormat = {
  separator: ',',
  read(parts) {
    const result: Record<string, Json[]> = {}
    for (const part of parts) {
      const pair = splitAt(part, ':')
      if (pair === undefined) return { error: `${part} must be formatted as NAME:VALUE` }
      const known = Object.hasOwn(result, pair[0]) ? result[pair[0]]! : []
      define(result, pair[0], [...known, pair[1]])
    }
    return { value: result }
  },
  print: (value) =>
    Object.entries(value as JsonObject).flatMap(([name, each]) =>
      (each as readonly string[]).map((text) => `${name}:${text}`),
    ),
}

/** The effects that a taint can have. */
const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** A list of taints as `KEY=VALUE:EFFECT` or `KEY:EFFECT`. */
const taints: FieldFormat = {
  separator: ',',
  read(parts) {
    const result: Json[] = []
    for (const part of parts) {
      const [, key, value, effect = ''] = /^([^=:]+)(?:=([^=:]*))?:([A-Za-z]+)$/.exec(part) ?? []
      if (key === undefined || !effects.includes(effect)) {
        return {
          error: `${part} must be formatted as KEY=VALUE:EFFECT, EFFECT one of ${effects.join(', ')}`,
        }
      }
      const known = result.some(
        (each) => isObject(each) && each.key === key && each.effect === effect,
      )
      if (known) return { error: `${key}:${effect} stands twice` }
      result.push(value === undefined ? { key, effect } : { key, value, effect })
    }
    return { value: result }
  },
  print: (value) =>
    (value as readonly JsonObject[]).map(
      ({ key, value: text, effect }) => `${key}${text === undefined ? '' : `=${text}`}:${effect}`,
    ),
}

/** A list of reservations as `NODE:KIND=QUANTITY,...`, separated by semicolons. */
const numaMemory: FieldFormat = {
  separator: ';',
  read(parts) {
    const result: Json[] = []
    for (const part of parts) {
      const [node = '', amounts = ''] = splitAt(part, ':') ?? []
      const limits = pairs('=').read(amounts.split(',').filter((each) => each !== ''))
      if (!/^[0-9]{1,6}$/.test(node) || amounts === '' || limits.error !== undefined) {
        return { error: `${part} must be formatted as NODE:KIND=QUANTITY,...` }
      }
      result.push({ numaNode: Number(node), limits: limits.value })
    }
    return { value: result }
  },
  print: (value) =>
    (value as readonly JsonObject[]).map(
      ({ numaNode, limits }) =>
        `${numaNode}:${pairs('=')
          .print(limits ?? {})
          .join(',')}`,
    ),
}

/** A list of log levels as `PATTERN=N`. */
const patterns: FieldFormat = {
  separator: ',',
  read: (parts) => ({
    value: parts.map((part) => {
      const [filePattern = part, level = '0'] = splitAt(part, '=') ?? []
      return { filePattern, verbosity: Number(level) }
    }),
  }),
  print: (value) =>
    (value as readonly JsonObject[]).map(
      ({ filePattern, verbosity }) => `${filePattern}=${verbosity}`,
    ),
}

const forms: Readonly<Record<OptionFormat, FieldFormat>> = {
  thresholds: pairs('<'),
  assignments: pairs('='),
  headers,
  taints,
  'numa-memory': numaMemory,
  patterns,
}

/** The texts before and after the first `separator`; undefined if one of them is empty. */
function splitAt(text: string, separator: string): readonly [string, string] | undefined {
  const at = text.indexOf(separator)
  return at < 1 || at === text.length - 1
    ? undefined
    : [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}
