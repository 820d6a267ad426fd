/** The keywords of a schema about a value itself, each compiled once into a check. */
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { formatCheck } from '../formats/formats.ts'
import type { Schema } from '../schema/schema.ts'
import { type Check, costOfMany } from './check.ts'
import { jsonTypeOf } from './json-values.ts'
import { numberChecks } from './number-checks.ts'
import type { ReadContext } from './read-context.ts'
import { stringChecks } from './string-checks.ts'
import { enumChecks, listChecks, objectChecks, typeCheck } from './structure-checks.ts'

/**
 * The check of a node about its own value, that of its type and of `allOf`, `anyOf`, `oneOf` and
 * `not` included; undefined for a node that accepts everything. The order is the order of errors:
 * type, alternatives, strings, numbers, lists, enumerations, objects. All of them run; none ends the
 * others (C-09). Of null only the type and the enumeration are judged.
 */
export function valueCheck(schema: Schema): Check | undefined {
  const type = typeCheck(schema)
  const ofType = type === undefined ? [] : [type]
  const enums = enumChecks(schema)
  const { raw } = schema
  const checks = [
    ...ofType,
    ...logicalChecks(schema),
    ...stringChecks(schema),
    ...numberChecks(raw),
    ...listChecks(raw),
    ...enums,
    ...objectChecks(schema),
  ]
  const ofNull = inOrder([...ofType, ...enums])
  const [only] = checks
  if (only === undefined) return undefined
  if (checks.length === 1 && ofNull !== undefined) return only
  const all = inOrder(checks) as Check
  return (value, context) => {
    if (value === null) ofNull?.(value, context)
    else all(value, context)
  }
}

/** A check that runs others in their order; undefined if there are none. */
export function inOrder(checks: readonly Check[]): Check | undefined {
  if (checks.length < 2) return checks[0]
  return (value, context) => {
    for (const check of checks) check(value, context)
  }
}

/** Alternatives are compiled at once and not when needed, as small parts of a schema. */
function logicalChecks({ allOf, anyOf, oneOf, not }: Schema): readonly Check[] {
  const excluded = not && alternativeCheck(not)
  return [
    ...(anyOf.length > 0 ? [anyOfCheck(anyOf.map(alternativeCheck))] : []),
    ...(oneOf.length > 0 ? [oneOfCheck(oneOf.map(alternativeCheck))] : []),
    ...(allOf.length > 0 ? [allOfCheck(allOf.map(alternativeCheck))] : []),
    ...(excluded ? [notCheck(excluded)] : []),
  ]
}

/**
 * The check of a node inside an alternative, with everything below it: it restricts values and
 * declares no structure. It prunes nothing and sets no defaults (C-05). Once the work is spent it
 * passes everything; `finish` then reports that the value is too costly. It counts matches as
 * `nearest` compares them: what looked at a value, and each type that fits.
 */
function alternativeCheck(schema: Schema): Check {
  const own = valueCheck(schema)
  const fits = typeCheck(schema)
  const properties = [...schema.properties].map(
    ([name, one]) => [name, alternativeCheck(one)] as const,
  )
  const items = schema.items && alternativeCheck(schema.items)
  const cost = 1 + costOfMany(properties.length)
  const hasFormat = formatCheck(schema.format) !== undefined
  return (value, context) => {
    if (!context.spend(cost)) return
    own?.(value, context)
    const typed =
      fits === undefined ? 0 : context.countErrors(() => fits(value, context)) === 0 ? 2 : 1
    context.matchCount += matchesOf(value, typed, hasFormat)
    if (isObject(value)) {
      for (const [name, check] of properties) checkProperty(value, name, check, context)
    } else if (items !== undefined && Array.isArray(value)) {
      checkItems(value as readonly Json[], items, context)
    }
  }
}

/** How many checks look at a value of a JSON type, and how often they count it. */
const matchesOfType: Readonly<Record<string, number>> = {
  boolean: 4,
  string: 5,
  object: 5,
  integer: 6,
  number: 6,
  array: 6,
}

function matchesOf(value: Json, typed: number, hasFormat: boolean): number {
  if (value === null) return typed === 1 ? 0 : 1
  const type = jsonTypeOf(value)
  return (matchesOfType[type] ?? 0) + typed + (hasFormat && type === 'string' ? 1 : 0)
}

/** An absent property passes: that it must be there is for `required` to say. */
function checkProperty(value: JsonObject, name: string, check: Check, context: ReadContext): void {
  const property = Object.hasOwn(value, name) ? value[name] : undefined
  if (property === undefined) return
  context.path.push(name)
  check(property, context)
  context.path.pop()
}

function checkItems(value: readonly Json[], check: Check, context: ReadContext): void {
  for (const [index, item] of value.entries()) {
    context.path.push(index)
    check(item, context)
    context.path.pop()
  }
}

/**
 * Reports the errors of the nearest alternative if none is valid. It stops at the first valid one.
 */
function anyOfCheck(checks: readonly Check[]): Check {
  return (value, context) => {
    const { valid, nearest, errors } = tryAlternatives(checks, value, context, 1)
    if (valid > 0) return
    context.addAlternativesError('must validate at least one schema (anyOf)')
    context.addErrorsOf(errors, () => nearest(value, context))
  }
}

/**
 * Tries all alternatives, because a second valid one is an error too. With two valid ones only
 * their number is told, for neither has an error.
 */
function oneOfCheck(checks: readonly Check[]): Check {
  return (value, context) => {
    const { valid, nearest, errors } = tryAlternatives(checks, value, context, checks.length)
    if (valid === 1) return
    const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
    context.addAlternativesError(`must validate one and only one schema (oneOf). ${found}`)
    if (valid === 0) context.addErrorsOf(errors, () => nearest(value, context))
  }
}

/** The outcome of trying alternatives. */
interface AlternativesOutcome {
  readonly valid: number
  /** The first alternative with the most matches, whose errors are reported. */
  readonly nearest: Check
  /** The number of these errors. */
  readonly errors: number
}

/** Tries alternatives until `enough` of them are valid. Of the matches those of the nearest one count, or of the first valid one. */
function tryAlternatives(
  checks: readonly Check[],
  value: Json,
  context: ReadContext,
  enough: number,
): AlternativesOutcome {
  const before = context.matchCount
  let valid = 0
  let matches = -1
  let [nearest, errors] = [checks[0] as Check, 0]
  for (const check of checks) {
    context.matchCount = 0
    const count = context.countErrors(() => check(value, context))
    if (count === 0) {
      if (valid === 0) matches = context.matchCount
      if (++valid >= enough) break
    } else if (valid === 0 && context.matchCount > matches) {
      ;[nearest, errors, matches] = [check, count, context.matchCount]
    }
  }
  context.matchCount = before + (valid > 1 ? 0 : matches)
  return { valid, nearest, errors }
}

/** Counts first: most values are valid, and need no message. */
function allOfCheck(checks: readonly Check[]): Check {
  return (value, context) => {
    const counts = checks.map((check) => context.countErrors(() => check(value, context)))
    const errors = counts.reduce((all, count) => all + count, 0)
    if (errors === 0) return
    context.addErrorsOf(errors, () => {
      for (const check of checks) check(value, context)
    })
    const none = counts.includes(0) ? '' : '. None validated'
    context.addAlternativesError(`must validate all the schemas (allOf)${none}`)
  }
}

/** The errors of the excluded schema are what makes the value valid, so that none is told. */
function notCheck(check: Check): Check {
  return (value, context) => {
    const { matchCount } = context
    const errors = context.countErrors(() => check(value, context))
    context.matchCount = matchCount
    if (errors > 0) return
    context.addAlternativesError('must not validate the schema (not)')
  }
}
