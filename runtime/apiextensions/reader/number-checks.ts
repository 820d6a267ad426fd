import type { JsonObject } from '../../kernel/values/json.ts'
import { doubleText } from '../../kernel/values/number-text.ts'
import { type Check, checkFor, isNumber } from './check.ts'
import type { ReadContext } from './read-context.ts'

/** Checks a number; integers beyond 2^53 come as bigint and compare the same. */
type NumberCheck = (value: number, context: ReadContext) => void

/** The checks of `maximum`, `minimum`, their exclusive forms and `multipleOf`. */
export function numberChecks(keywords: JsonObject): readonly Check[] {
  const checks = [
    ...multipleChecks(keywords),
    ...minimumChecks(keywords),
    ...maximumChecks(keywords),
  ]
  return checkFor(isNumber, checks)
}

/**
 * `exclusiveMaximum` is true or false as in OpenAPI 3.0, not a bound of its own as in later JSON
 * Schema.
 */
function maximumChecks({ maximum, exclusiveMaximum }: JsonObject): readonly NumberCheck[] {
  if (!isNumber(maximum)) return []
  const isExclusive = exclusiveMaximum === true
  return [
    (value, context) => {
      const bound = boundFor(value, maximum)
      if (isExclusive ? value < bound : value <= bound) return
      const problem = `should be less than ${isExclusive ? '' : 'or equal to '}${shown(bound, value)}`
      context.addInvalid(value, problem)
    },
  ]
}

function minimumChecks({ minimum, exclusiveMinimum }: JsonObject): readonly NumberCheck[] {
  if (!isNumber(minimum)) return []
  const isExclusive = exclusiveMinimum === true
  return [
    (value, context) => {
      const bound = boundFor(value, minimum)
      if (isExclusive ? value > bound : value >= bound) return
      const problem = `should be greater than ${isExclusive ? '' : 'or equal to '}${shown(bound, value)}`
      context.addInvalid(value, problem)
    },
  ]
}

/** An integer is compared with the whole part of a bound, as in release 1.29. */
function boundFor(value: number | bigint, bound: number | bigint): number | bigint {
  if (typeof bound === 'bigint' || Number.isInteger(bound)) return bound
  return typeof value === 'bigint' || Number.isInteger(value) ? Math.trunc(bound) : bound
}

/** A bound in the words of the value's type: beside a double it is one, and 1e18 has an exponent. */
function shown(bound: number | bigint, value: number | bigint): string {
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value)
  return isWhole ? String(bound) : doubleText(Number(bound))
}

/** An integer is divided as one, however large; any other number as a double. Nothing is a multiple of a factor below or at 0. */
function multipleChecks({ multipleOf }: JsonObject): readonly NumberCheck[] {
  if (!isNumber(multipleOf)) return []
  if (Number(multipleOf) <= 0) return [(_, context) => context.addBadFactor(Number(multipleOf))]
  return [
    (value, context) => {
      if (isMultiple(value, Number(multipleOf))) return
      context.addInvalid(value, `should be a multiple of ${multipleOf}`)
    },
  ]
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (Number.isInteger(factor) && (typeof value === 'bigint' || Number.isSafeInteger(value))) {
    return BigInt(value) % BigInt(factor) === 0n
  }
  const number = Number(value)
  return isNearlyInteger(factor < 1 ? (1 / factor) * number : number / factor)
}

/** True for an integer, and for what lies above one by a share of 1e-9: 0.3 is a multiple of 0.1. */
function isNearlyInteger(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
  const whole = Math.trunc(value)
  return value === whole || (value > 1 && (value - whole) / (value + whole) < 1e-9)
}
