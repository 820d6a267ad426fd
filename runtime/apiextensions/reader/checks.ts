/** The keywords of a schema about a value itself, each compiled once into a check. */
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { Schema } from '../schema/schema.ts'
import { type Check, costOfMany } from './check.ts'
import { numberChecks } from './number-checks.ts'
import type { ReadContext } from './read-context.ts'
import { stringChecks } from './string-checks.ts'
import { enumChecks, listChecks, objectChecks, typeCheck } from './structure-checks.ts'

/** The checks of a node about its own value, those of `allOf`, `anyOf`, `oneOf` and `not` included. */
export function valueChecks(schema: Schema): readonly Check[] {
  const { raw } = schema
  return logicalChecks(schema).concat(
    stringChecks(schema),
    numberChecks(raw),
    listChecks(raw),
    enumChecks(schema),
    objectChecks(schema),
  )
}

function logicalChecks({ allOf, anyOf, oneOf, not }: Schema): readonly Check[] {
  const excluded = not && alternativeCheck(not)
  return [
    ...(anyOf.length > 0 ? [anyOfCheck(anyOf.map(alternativeCheck))] : []),
    ...(oneOf.length > 0 ? [oneOfCheck(oneOf.map(alternativeCheck))] : []),
    ...(allOf.length > 0 ? [allOfCheck(allOf.map(alternativeCheck))] : []),
    ...(excluded ? [notCheck(excluded)] : []),
  ]
}

/** The check of a node inside an alternative, with everything below it: it restricts values and declares no structure. */
function alternativeCheck(schema: Schema): Check {
  const type = typeCheck(schema)
  const own = valueChecks(schema)
  const properties = [...schema.properties].map(
    ([name, one]) => [name, alternativeCheck(one)] as const,
  )
  const items = schema.items && alternativeCheck(schema.items)
  const cost = 1 + costOfMany(properties.length)
  return (value, context) => {
    if (!context.spend(cost)) return
    type?.(value, context)
    for (const check of own) check(value, context)
    if (isObject(value)) {
      for (const [name, check] of properties) checkProperty(value, name, check, context)
    } else if (items !== undefined && Array.isArray(value)) {
      checkItems(value as readonly Json[], items, context)
    }
  }
}

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

/** Reports the errors of the nearest alternative if none is valid. */
function anyOfCheck(checks: readonly Check[]): Check {
  return (value, context) => {
    const { valid, nearest, errors } = tryAlternatives(checks, value, context, 1)
    if (valid > 0) return
    context.addAlternativesError('must validate at least one schema (anyOf)')
    context.addErrorsOf(errors, () => nearest(value, context))
  }
}

/** Tries all alternatives, because a second valid one is an error too. */
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
  /** The first alternative with the fewest errors, which are reported. */
  readonly nearest: Check
  /** The number of these errors. */
  readonly errors: number
}

/** Tries alternatives until `enough` of them are valid. */
function tryAlternatives(
  checks: readonly Check[],
  value: Json,
  context: ReadContext,
  enough: number,
): AlternativesOutcome {
  let valid = 0
  let [nearest, errors] = [checks[0] as Check, Number.POSITIVE_INFINITY]
  for (const check of checks) {
    const count = context.countErrors(() => check(value, context))
    if (count === 0 && ++valid >= enough) break
    if (count < errors) [nearest, errors] = [check, count]
  }
  return { valid, nearest, errors }
}

/** Counts first: most values are valid, and need no message. */
function allOfCheck(checks: readonly Check[]): Check {
  const all: Check = (value, context) => {
    for (const check of checks) check(value, context)
  }
  return (value, context) => {
    const errors = context.countErrors(() => all(value, context))
    if (errors === 0) return
    context.addAlternativesError('must validate all the schemas (allOf)')
    context.addErrorsOf(errors, () => all(value, context))
  }
}

function notCheck(check: Check): Check {
  return (value, context) => {
    if (context.countErrors(() => check(value, context)) > 0) return
    context.addAlternativesError('must not validate the schema (not)')
  }
}
