/** Schema keywords about a value itself, each compiled once into a closure that tells what is wrong. */
import { equal } from '../kernel/equal.ts'
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
  return (value, walk) => {
    if (!walk.mayTry()) return
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

function whole(walk: Walk, must: string): void {
  const message = `Invalid value: "": ${JSON.stringify(walk.at())} ${must}`
  walk.findings.push({ path: '', reason: 'FieldValueInvalid', message })
}

function anyCheck(checks: readonly Check[]): Check {
  return (value, walk) => {
    const failures = checks.map((check) => walk.apart(() => check(value, walk)))
    if (failures.some((found) => found.length === 0)) return
    whole(walk, 'must validate at least one schema (anyOf)')
    walk.findings.push(...nearest(failures))
  }
}

function oneCheck(checks: readonly Check[]): Check {
  return (value, walk) => {
    const failures = checks.map((check) => walk.apart(() => check(value, walk)))
    const valid = failures.filter((found) => found.length === 0).length
    if (valid === 1) return
    const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
    whole(walk, `must validate one and only one schema (oneOf). ${found}`)
    if (valid === 0) walk.findings.push(...nearest(failures))
  }
}

/** What the alternative finds that comes nearest: the first with the fewest findings. */
function nearest<T>(failures: readonly (readonly T[])[]): readonly T[] {
  const least = Math.min(...failures.map((found) => found.length))
  return failures.find((found) => found.length === least) ?? []
}

function allCheck(checks: readonly Check[]): Check {
  return (value, walk) => {
    const found = walk.apart(() => {
      for (const check of checks) check(value, walk)
    })
    if (found.length === 0) return
    whole(walk, 'must validate all the schemas (allOf)')
    walk.findings.push(...found)
  }
}

function notCheck(check: Check): Check {
  return (value, walk) => {
    if (walk.apart(() => check(value, walk)).length > 0) return
    whole(walk, 'must not validate the schema (not)')
  }
}

function textChecks({ raw, pattern, format }: Schema): readonly Check[] {
  const { minLength, maxLength } = raw
  const checks: ((value: string, walk: Walk) => void)[] = []
  if (isNumber(maxLength)) {
    const message = `Too long: may not be longer than ${maxLength}`
    checks.push((value, walk) => {
      if (value.length > maxLength && length(value) > maxLength) {
        walk.tell('FieldValueTooLong', message)
      }
    })
  }
  if (isNumber(minLength)) {
    checks.push((value, walk) => {
      if (length(value) < minLength) walk.wrong(value, `should be at least ${minLength} chars long`)
    })
  }
  if (pattern !== '') {
    const compiled = patternOf(pattern)
    invariant(typeof compiled !== 'string', `${pattern} was accepted`)
    checks.push((value, walk) => {
      if (!compiled.matcher(value).find()) walk.wrong(value, `should match '${pattern}'`)
    })
  }
  const formed = formatCheck(format)
  if (formed !== undefined) {
    checks.push((value, walk) => {
      if (formed(value)) return
      const must = `must be of type ${format}: ${JSON.stringify(value)}`
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

/** Characters of a text, as its reader counts them. */
function length(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
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
  if (required.length === 0 && !isNumber(minProperties) && !isNumber(maxProperties)) return []
  return [
    (value, walk) => {
      if (!isObject(value)) return
      const count = Object.keys(value).length
      counted(count, minProperties, maxProperties, 'properties', walk)
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
  const supported = values
    .map((one) => JSON.stringify(typeof one === 'string' ? one : jsonText(one)))
    .join(', ')
  return [
    (value, walk) => {
      if (plain.has(value) || complex.some((one) => equal(one, value))) return
      const message = `Unsupported value: ${shown(value)}: supported values: ${supported}`
      walk.tell('FieldValueNotSupported', message)
    },
  ]
}

function jsonText(value: Json): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value)
}
