/** Schema keywords about a value itself, each compiled once into a closure that tells what is wrong. */
import { equal } from '../kernel/equal.ts'
import { show } from '../kernel/findings.ts'
import { invariant } from '../kernel/invariant.ts'
import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import { formatCheck } from './formats.ts'
import { patternOf } from './patterns.ts'
import type { Schema } from './schema.ts'
import { shown, typeName, type Walk } from './walk.ts'

/** Looks at a value and tells what is wrong with it. */
export type Check = (value: Json, walk: Walk) => void

/** The keywords of one node about its own value, those of logical alternatives included. */
export function checksOf(schema: Schema): readonly Check[] {
  const { raw } = schema
  return alternatives(schema).concat(
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
    const got = typeName(value)
    if (got === want || (want === 'number' && got === 'integer')) return
    if (intOrString && (got === 'integer' || got === 'string')) return
    if (got === 'null' && nullable) return
    walk.wrong(got, `must be of type ${want}: ${JSON.stringify(got)}`, 'FieldValueTypeInvalid')
  }
}

/** A node inside an alternative: it describes no structure, only what must hold. */
function nested(schema: Schema): Check {
  const type = typeCheck(schema)
  const own = checksOf(schema)
  const properties = [...schema.properties].map(([name, one]) => [name, nested(one)] as const)
  const items = schema.items && nested(schema.items)
  const work = 1 + many(properties.length)
  return (value, walk) => {
    if (!walk.may(work)) return
    type?.(value, walk)
    for (const check of own) check(value, walk)
    if (isObject(value)) {
      for (const [name, check] of properties) step(value, name, check, walk)
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
function many(count: number): number {
  return count >> 3
}

function step(value: JsonObject, name: string, check: Check, walk: Walk): void {
  if (!Object.hasOwn(value, name)) return
  const inner = value[name]
  if (inner === undefined) return
  walk.path.push(name)
  check(inner, walk)
  walk.path.pop()
}

function alternatives({ allOf, anyOf, oneOf, not }: Schema): readonly Check[] {
  const refused = not && nested(not)
  return [
    ...(anyOf.length > 0 ? [anyCheck(anyOf.map(nested))] : []),
    ...(oneOf.length > 0 ? [oneCheck(oneOf.map(nested))] : []),
    ...(allOf.length > 0 ? [allCheck(allOf.map(nested))] : []),
    ...(refused ? [notCheck(refused)] : []),
  ]
}

function anyCheck(checks: readonly Check[]): Check {
  return (value, walk) => {
    const { valid, nearest, least } = tried(checks, value, walk, 1)
    if (valid > 0) return
    walk.whole('must validate at least one schema (anyOf)')
    walk.detail(least, () => nearest(value, walk))
  }
}

function oneCheck(checks: readonly Check[]): Check {
  return (value, walk) => {
    const { valid, nearest, least } = tried(checks, value, walk, checks.length)
    if (valid === 1) return
    const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
    walk.whole(`must validate one and only one schema (oneOf). ${found}`)
    if (valid === 0) walk.detail(least, () => nearest(value, walk))
  }
}

interface Tried {
  readonly valid: number
  /** The alternative that comes nearest: the first with the fewest findings. */
  readonly nearest: Check
  readonly least: number
}

/** Tries alternatives until so many are valid. */
function tried(checks: readonly Check[], value: Json, walk: Walk, enough: number): Tried {
  let valid = 0
  let [nearest, least] = [checks[0] as Check, Number.POSITIVE_INFINITY]
  for (const check of checks) {
    const found = walk.count(() => check(value, walk))
    if (found === 0 && ++valid >= enough) break
    if (found < least) [nearest, least] = [check, found]
  }
  return { valid, nearest, least }
}

function allCheck(checks: readonly Check[]): Check {
  const all: Check = (value, walk) => {
    for (const check of checks) check(value, walk)
  }
  return (value, walk) => {
    const found = walk.count(() => all(value, walk))
    if (found === 0) return
    walk.whole('must validate all the schemas (allOf)')
    walk.detail(found, () => all(value, walk))
  }
}

function notCheck(check: Check): Check {
  return (value, walk) => {
    if (walk.count(() => check(value, walk)) > 0) return
    walk.whole('must not validate the schema (not)')
  }
}

function textChecks({ raw, pattern, format }: Schema): readonly Check[] {
  const { minLength, maxLength } = raw
  const checks: ((value: string, walk: Walk) => void)[] = []
  if (isNumber(maxLength)) {
    const message = `Too long: may not be longer than ${maxLength}`
    checks.push((value, walk) => {
      if (isLonger(value, Number(maxLength), walk)) walk.tell('FieldValueTooLong', message)
    })
  }
  if (isNumber(minLength)) {
    checks.push((value, walk) => {
      if (isLonger(value, Number(minLength) - 1, walk)) return
      walk.wrong(value, `should be at least ${minLength} chars long`)
    })
  }
  if (pattern !== '') {
    const compiled = patternOf(pattern)
    invariant(typeof compiled !== 'string', `${pattern} was accepted`)
    checks.push((value, walk) => {
      if (!walk.matches(compiled, value)) walk.wrong(value, `should match '${pattern}'`)
    })
  }
  const formed = formatCheck(format)
  if (formed !== undefined) {
    checks.push((value, walk) => {
      if (formed(value)) return
      const must = `must be of type ${format}: ${shown(value)}`
      walk.wrong(value, must, 'FieldValueTypeInvalid')
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
function isLonger(text: string, most: number, walk: Walk): boolean {
  if (text.length <= most) return false
  if (text.length > 2 * most || !walk.may(text.length >> 6)) return true
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
  const checks: ((value: number, walk: Walk) => void)[] = []
  if (isNumber(maximum)) {
    const [beyond, must] =
      exclusiveMaximum === true
        ? [(value: number) => value >= maximum, `should be less than ${maximum}`]
        : [(value: number) => value > maximum, `should be less than or equal to ${maximum}`]
    checks.push((value, walk) => beyond(value) && walk.wrong(value, must))
  }
  if (isNumber(minimum)) {
    const [below, must] =
      exclusiveMinimum === true
        ? [(value: number) => value <= minimum, `should be greater than ${minimum}`]
        : [(value: number) => value < minimum, `should be greater than or equal to ${minimum}`]
    checks.push((value, walk) => below(value) && walk.wrong(value, must))
  }
  if (isNumber(multipleOf)) {
    checks.push((value, walk) => {
      if (!isMultiple(Number(value), Number(multipleOf))) {
        walk.wrong(value, `should be a multiple of ${multipleOf}`)
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
      if (Array.isArray(value)) counted(value.length, minItems, maxItems, 'items', walk)
    },
  ]
}

function counted(
  count: number,
  min: Json | undefined,
  max: Json | undefined,
  what: string,
  walk: Walk,
): void {
  if (isNumber(min) && count < min) walk.wrong(count, `should have at least ${min} ${what}`)
  if (isNumber(max) && count > max) {
    walk.tell('FieldValueTooMany', `Too many: ${count}: must have at most ${max} items`)
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
        walk.may(many(count))
        counted(count, minProperties, maxProperties, 'properties', walk)
      }
      if (!walk.may(many(required.length))) return
      for (const name of required) {
        if (!Object.hasOwn(value, name)) walk.tell('FieldValueRequired', 'Required value', name)
      }
    },
  ]
}

function enumChecks({ enum: values }: Schema): readonly Check[] {
  if (values.length === 0) return []
  const plain = new Set(values)
  const complex = values.filter((one) => typeof one === 'object' && one !== null)
  const supported = values.map((one) => show(typeof one === 'string' ? one : show(one))).join(', ')
  const work = many(complex.length)
  return [
    (value, walk) => {
      if (plain.has(value) || !walk.may(work) || complex.some((one) => equal(one, value))) return
      const message = `Unsupported value: ${shown(value)}: supported values: ${supported}`
      walk.tell('FieldValueNotSupported', message)
    },
  ]
}
