/** Schema keywords about a value itself, each compiled once into a closure that tells what is wrong. */

import { invariant } from '../../kernel/errors/invariant.ts'
import { formatValue } from '../../kernel/validation/report.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { compilePattern } from '../schema/patterns.ts'
import type { Schema } from '../schema/schema.ts'
import { formatCheck } from './formats.ts'
import { formatValueWithTypes, jsonTypeOf, type ReadContext } from './read-context.ts'

/** Looks at a value and tells what is wrong with it. */
export type Check = (value: Json, walk: ReadContext) => void

/** The keywords of one node about its own value, those of logical alternatives included. */
export function valueChecks(schema: Schema): readonly Check[] {
  const { raw } = schema
  return logicalChecks(schema).concat(
    textChecks(schema),
    numberChecks(raw),
    listChecks(raw),
    enumChecks(schema),
    objectChecks(schema),
  )
}

/** The check of a type, for the nodes that name one. Null is a matter of its own. */
export function typeCheck({ type, intOrString, nullable }: Schema): Check | undefined {
  const want = intOrString ? 'integer,string' : type
  if (want === '') return undefined
  return (value, walk) => {
    const got = jsonTypeOf(value)
    if (got === want || (want === 'number' && got === 'integer')) return
    if (intOrString && (got === 'integer' || got === 'string')) return
    if (got === 'null' && nullable) return
    walk.addInvalid(got, `must be of type ${want}: ${JSON.stringify(got)}`, 'FieldValueTypeInvalid')
  }
}

/** A node inside an alternative: it describes no structure, only what must hold. */
function alternativeCheck(schema: Schema): Check {
  const type = typeCheck(schema)
  const own = valueChecks(schema)
  const properties = [...schema.properties].map(
    ([name, one]) => [name, alternativeCheck(one)] as const,
  )
  const items = schema.items && alternativeCheck(schema.items)
  const work = 1 + costOfMany(properties.length)
  return (value, walk) => {
    if (!walk.spend(work)) return
    type?.(value, walk)
    for (const check of own) check(value, walk)
    if (isObject(value)) {
      for (const [name, check] of properties) checkProperty(value, name, check, walk)
    } else if (items !== undefined && Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        walk.path.push(index)
        items(item as Json, walk)
        walk.path.pop()
      }
    }
  }
}

/** The work of going through so many names or values; nothing for few. */
function costOfMany(count: number): number {
  return count >> 3
}

function checkProperty(value: JsonObject, name: string, check: Check, walk: ReadContext): void {
  if (!Object.hasOwn(value, name)) return
  const inner = value[name]
  if (inner === undefined) return
  walk.path.push(name)
  check(inner, walk)
  walk.path.pop()
}

function logicalChecks({ allOf, anyOf, oneOf, not }: Schema): readonly Check[] {
  const refused = not && alternativeCheck(not)
  return [
    ...(anyOf.length > 0 ? [anyOfCheck(anyOf.map(alternativeCheck))] : []),
    ...(oneOf.length > 0 ? [oneOfCheck(oneOf.map(alternativeCheck))] : []),
    ...(allOf.length > 0 ? [allOfCheck(allOf.map(alternativeCheck))] : []),
    ...(refused ? [notCheck(refused)] : []),
  ]
}

function anyOfCheck(checks: readonly Check[]): Check {
  return (value, walk) => {
    const { valid, nearest, least } = tryAlternatives(checks, value, walk, 1)
    if (valid > 0) return
    walk.addAlternativesError('must validate at least one schema (anyOf)')
    walk.addErrorsOf(least, () => nearest(value, walk))
  }
}

function oneOfCheck(checks: readonly Check[]): Check {
  return (value, walk) => {
    const { valid, nearest, least } = tryAlternatives(checks, value, walk, checks.length)
    if (valid === 1) return
    const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
    walk.addAlternativesError(`must validate one and only one schema (oneOf). ${found}`)
    if (valid === 0) walk.addErrorsOf(least, () => nearest(value, walk))
  }
}

interface AlternativesOutcome {
  readonly valid: number
  /** The alternative that comes nearest: the first with the fewest findings. */
  readonly nearest: Check
  readonly least: number
}

/** Tries alternatives until so many are valid. */
function tryAlternatives(
  checks: readonly Check[],
  value: Json,
  walk: ReadContext,
  enough: number,
): AlternativesOutcome {
  let valid = 0
  let [nearest, least] = [checks[0] as Check, Number.POSITIVE_INFINITY]
  for (const check of checks) {
    const found = walk.countErrors(() => check(value, walk))
    if (found === 0 && ++valid >= enough) break
    if (found < least) [nearest, least] = [check, found]
  }
  return { valid, nearest, least }
}

function allOfCheck(checks: readonly Check[]): Check {
  const all: Check = (value, walk) => {
    for (const check of checks) check(value, walk)
  }
  return (value, walk) => {
    const found = walk.countErrors(() => all(value, walk))
    if (found === 0) return
    walk.addAlternativesError('must validate all the schemas (allOf)')
    walk.addErrorsOf(found, () => all(value, walk))
  }
}

function notCheck(check: Check): Check {
  return (value, walk) => {
    if (walk.countErrors(() => check(value, walk)) > 0) return
    walk.addAlternativesError('must not validate the schema (not)')
  }
}

function textChecks({ raw, pattern, format }: Schema): readonly Check[] {
  const { minLength, maxLength } = raw
  const checks: ((value: string, walk: ReadContext) => void)[] = []
  if (isNumber(maxLength)) {
    const message = `Too long: may not be longer than ${maxLength}`
    checks.push((value, walk) => {
      if (isLonger(value, Number(maxLength), walk)) walk.addError('FieldValueTooLong', message)
    })
  }
  if (isNumber(minLength)) {
    checks.push((value, walk) => {
      if (isLonger(value, Number(minLength) - 1, walk)) return
      walk.addInvalid(value, `should be at least ${minLength} chars long`)
    })
  }
  if (pattern !== '') {
    const compiled = compilePattern(pattern)
    invariant(typeof compiled !== 'string', `${pattern} was accepted`)
    checks.push((value, walk) => {
      if (!walk.matches(compiled, value)) walk.addInvalid(value, `should match '${pattern}'`)
    })
  }
  const formed = formatCheck(format)
  if (formed !== undefined) {
    checks.push((value, walk) => {
      if (formed(value)) return
      const must = `must be of type ${format}: ${formatValueWithTypes(value)}`
      walk.addInvalid(value, must, 'FieldValueTypeInvalid')
    })
  }
  if (checks.length === 0) return []
  return [
    (value, walk) => {
      if (typeof value === 'string') for (const check of checks) check(value, walk)
    },
  ]
}

/** True if a text has more characters than that, as its reader counts them: some take two units of the text. */
function isLonger(text: string, most: number, walk: ReadContext): boolean {
  if (text.length <= most) return false
  if (text.length > 2 * most || !walk.spend(text.length >> 6)) return true
  let count = 0
  for (const _ of text) count++
  return count > most
}

function isNumber(value: Json | undefined): value is number {
  return typeof value === 'number' || typeof value === 'bigint'
}

function numberChecks({
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
}: JsonObject): readonly Check[] {
  const checks: ((value: number, walk: ReadContext) => void)[] = []
  if (isNumber(maximum)) {
    const [beyond, must] =
      exclusiveMaximum === true
        ? [(value: number) => value >= maximum, `should be less than ${maximum}`]
        : [(value: number) => value > maximum, `should be less than or equal to ${maximum}`]
    checks.push((value, walk) => beyond(value) && walk.addInvalid(value, must))
  }
  if (isNumber(minimum)) {
    const [below, must] =
      exclusiveMinimum === true
        ? [(value: number) => value <= minimum, `should be greater than ${minimum}`]
        : [(value: number) => value < minimum, `should be greater than or equal to ${minimum}`]
    checks.push((value, walk) => below(value) && walk.addInvalid(value, must))
  }
  if (isNumber(multipleOf)) {
    checks.push((value, walk) => {
      if (!isMultiple(Number(value), Number(multipleOf))) {
        walk.addInvalid(value, `should be a multiple of ${multipleOf}`)
      }
    })
  }
  if (checks.length === 0) return []
  return [
    (value, walk) => {
      if (isNumber(value)) for (const check of checks) check(value, walk)
    },
  ]
}

function isMultiple(value: number, factor: number): boolean {
  const times = value / factor
  return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times))
}

function listChecks({ minItems, maxItems }: JsonObject): readonly Check[] {
  if (!isNumber(minItems) && !isNumber(maxItems)) return []
  return [
    (value, walk) => {
      if (Array.isArray(value)) checkCount(value.length, minItems, maxItems, 'items', walk)
    },
  ]
}

function checkCount(
  count: number,
  min: Json | undefined,
  max: Json | undefined,
  what: string,
  walk: ReadContext,
): void {
  if (isNumber(min) && count < min) walk.addInvalid(count, `should have at least ${min} ${what}`)
  if (isNumber(max) && count > max) {
    walk.addError('FieldValueTooMany', `Too many: ${count}: must have at most ${max} items`)
  }
}

function objectChecks({ raw, required }: Schema): readonly Check[] {
  const { minProperties, maxProperties } = raw
  const isCounted = isNumber(minProperties) || isNumber(maxProperties)
  if (required.length === 0 && !isCounted) return []
  return [
    (value, walk) => {
      if (!isObject(value)) return
      if (isCounted) {
        const count = Object.keys(value).length
        walk.spend(costOfMany(count))
        checkCount(count, minProperties, maxProperties, 'properties', walk)
      }
      if (!walk.spend(costOfMany(required.length))) return
      for (const name of required) {
        if (!Object.hasOwn(value, name)) walk.addError('FieldValueRequired', 'Required value', name)
      }
    },
  ]
}

function enumChecks({ enum: values }: Schema): readonly Check[] {
  if (values.length === 0) return []
  const plain = new Set(values)
  const complex = values.filter((one) => typeof one === 'object' && one !== null)
  const supported = values
    .map((one) => formatValue(typeof one === 'string' ? one : formatValue(one)))
    .join(', ')
  const work = costOfMany(complex.length)
  return [
    (value, walk) => {
      if (plain.has(value) || !walk.spend(work) || complex.some((one) => deepEqual(one, value)))
        return
      const message = `Unsupported value: ${formatValueWithTypes(value)}: supported values: ${supported}`
      walk.addError('FieldValueNotSupported', message)
    },
  ]
}
