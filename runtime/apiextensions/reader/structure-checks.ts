import { formatValue } from '../../kernel/validation/report.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { formatCheck } from '../formats/formats.ts'
import type { Schema } from '../schema/schema.ts'
import { type Check, costOfMany, isNumber } from './check.ts'
import { formatValueWithTypes, jsonTypeOf } from './json-values.ts'
import { maxTextLength, type ReadContext } from './read-context.ts'

/**
 * The check of `type`; undefined for a schema without one. Null is allowed if the schema is
 * nullable. The message quotes the type that was found and not the value, in the words of C-09.
 */
export function typeCheck(schema: Schema): Check | undefined {
  const { type, intOrString, nullable } = schema
  const counts = schema.isOfDefault || formatCheck(schema.format) !== undefined
  const format = counts ? schema.format : ''
  const expected = intOrString ? 'integer,string' : type
  if (format !== '') return formattedTypeCheck(expected.split(','), format, nullable)
  if (expected === '') return undefined
  return (value, context) => {
    const actual = jsonTypeOf(value)
    if (actual === expected || (expected === 'number' && actual === 'integer')) return
    if (intOrString && (actual === 'integer' || actual === 'string')) return
    if (actual === 'null' && nullable) return
    const problem = `must be of type ${expected}: ${JSON.stringify(actual)}`
    context.addInvalid(actual, problem, 'FieldValueTypeInvalid')
  }
}

/**
 * The check of `type` beside a known `format`, with or without a type. A string or a list passes for
 * every type but those of numbers; of other values the message names the format.
 */
function formattedTypeCheck(types: readonly string[], format: string, nullable: boolean): Check {
  const isOfNumbers = types.includes('number') || types.includes('integer')
  const expected = types.join(',')
  return (value, context) => {
    const actual = jsonTypeOf(value)
    if (actual === 'null') {
      if (nullable || expected === '') return
      const problem = `must be of type ${expected}: ${JSON.stringify(actual)}`
      context.addInvalid(actual, problem, 'FieldValueTypeInvalid')
      return
    }
    if (types.includes(actual) || (actual === 'integer' && types.includes('number'))) return
    const isText = actual === 'string' || actual === 'array'
    if (isText && !isOfNumbers) return
    const ownFormat = numberFormatOf(actual)
    const [want, got] = isText || ownFormat === format ? [expected, actual] : [format, ownFormat]
    const problem = `must be of type ${want}: ${JSON.stringify(got)}`
    context.addInvalid(got, problem, 'FieldValueTypeInvalid')
  }
}

/** The format that a value has by itself; empty for all but numbers. */
function numberFormatOf(type: string): string {
  return type === 'integer' ? 'int64' : type === 'number' ? 'float64' : ''
}

/** The checks of `minItems` and `maxItems`. */
export function listChecks({ minItems, maxItems }: JsonObject): readonly Check[] {
  if (!isNumber(minItems) && !isNumber(maxItems)) return []
  const check = countCheck(minItems, maxItems, 'items')
  return [
    (value, context) => {
      if (Array.isArray(value)) check(value.length, context)
    },
  ]
}

/**
 * The checks of `required`, `minProperties` and `maxProperties`. Null counts as there: `required`
 * is about keys, after defaults were set and null was dropped where it may not stand.
 */
export function objectChecks({ raw, required }: Schema): readonly Check[] {
  const { minProperties, maxProperties, additionalProperties } = raw
  const isCounted = isNumber(minProperties) || isNumber(maxProperties)
  const isClosed = additionalProperties === false
  if (required.length === 0 && !isCounted && !isClosed) return []
  const check = countCheck(minProperties, maxProperties, 'properties')
  return [
    (value, context) => {
      if (!isObject(value)) return
      if (isCounted) {
        const count = Object.keys(value).length
        context.spend(costOfMany(count))
        check(count, context)
      }
      if (isClosed) forbidUndeclared(value, raw.properties, context)
      if (!context.spend(costOfMany(required.length))) return
      for (const name of required) {
        if (!Object.hasOwn(value, name)) {
          context.addError('FieldValueRequired', 'Required value', name)
        }
      }
    },
  ]
}

/** The errors of names that `additionalProperties: false` does not allow. */
function forbidUndeclared(
  value: JsonObject,
  properties: Json | undefined,
  context: ReadContext,
): void {
  const declared = isObject(properties) ? properties : {}
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(declared, name)) context.addForbiddenProperty(name)
  }
}

/** Both messages for `maxItems` and `maxProperties` speak of items, as those of the original do. */
function countCheck(
  min: Json | undefined,
  max: Json | undefined,
  what: 'items' | 'properties',
): (count: number, context: ReadContext) => void {
  return (count, context) => {
    if (isNumber(min) && count < min) {
      context.addInvalid(count, `should have at least ${min} ${what}`)
    }
    if (isNumber(max) && count > max) {
      const message = `Too many: ${count}: must have at most ${max} items`
      context.addError('FieldValueTooMany', message)
    }
  }
}

function hasParts(value: Json): boolean {
  return typeof value === 'object' && value !== null
}

/** A text that only equal values share: an object is told by its sorted entries, under a name that lists do not have. */
function canonicalText(value: Json): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return { integer: String(part) }
    if (!isObject(part)) return part
    const entries = Object.entries(part).filter(([, one]) => one !== undefined)
    return { entries: entries.sort(([a], [b]) => (a < b ? -1 : 1)) }
  })
}

/**
 * The check of `enum`. Values match as JSON: 1 is not "1"; but of a fraction the whole part does, as
 * in release 1.29. The text of the error is made once for the schema.
 */
export function enumChecks({ enum: values }: Schema): readonly Check[] {
  if (values.length === 0) return []
  const scalars = new Set(values)
  const integers = new Set(values.filter((one) => Number.isInteger(one)))
  const structures = new Set(values.filter(hasParts).map(canonicalText))
  const printed = values.map((one) => formatValue(typeof one === 'string' ? one : formatValue(one)))
  const supported = printed.join(', ').slice(0, 2 * maxTextLength)
  return [
    (value, context) => {
      if (scalars.has(value)) return
      if (typeof value === 'number' && integers.has(Math.trunc(value))) return
      if (structures.size > 0 && hasParts(value) && structures.has(canonicalText(value))) return
      const message = `Unsupported value: ${formatValueWithTypes(value)}: supported values: ${supported}`
      context.addError('FieldValueNotSupported', message)
    },
  ]
}
