import type { JsonObject } from '../../kernel/values/json.ts'
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
  if (exclusiveMaximum === true) {
    const problem = `should be less than ${maximum}`
    return [(value, context) => value >= maximum && context.addInvalid(value, problem)]
  }
  const problem = `should be less than or equal to ${maximum}`
  return [(value, context) => value > maximum && context.addInvalid(value, problem)]
}

function minimumChecks({ minimum, exclusiveMinimum }: JsonObject): readonly NumberCheck[] {
  if (!isNumber(minimum)) return []
  if (exclusiveMinimum === true) {
    const problem = `should be greater than ${minimum}`
    return [(value, context) => value <= minimum && context.addInvalid(value, problem)]
  }
  const problem = `should be greater than or equal to ${minimum}`
  return [(value, context) => value < minimum && context.addInvalid(value, problem)]
}

/** An integer is divided as one, however large; any other number as a double. */
function multipleChecks({ multipleOf }: JsonObject): readonly NumberCheck[] {
  if (!isNumber(multipleOf) || Number(multipleOf) === 0) return []
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
