/** Rule 1 about values: a value that was accepted is accepted. */
import type { NumberBounds, StringBounds, Type } from '../schema/named-type.ts'

/**
 * What a type accepts no longer, each as the end of a sentence about the field. Types of different kinds are compared
 * elsewhere: of them nothing is returned.
 * A message reads on from the name of the field: `spec.replicas has a lower maximum: 10 before, 5
 * now`.
 */
export function tighterBounds(before: Type, after: Type): readonly string[] {
  if (before.is === 'string' && after.is === 'string') {
    return tighterString(before.bounds, after.bounds)
  }
  if (before.is === 'integer' && after.is === 'integer') {
    return tighterNumber(before.bounds, after.bounds)
  }
  if (before.is === 'number' && after.is === 'number') {
    return tighterNumber(before.bounds, after.bounds)
  }
  if (before.is !== 'list' || after.is !== 'list') return []
  return [
    ...higher('minItems', before.minItems, after.minItems),
    ...lower('maxItems', before.maxItems, after.maxItems),
  ]
}

/**
 * A pattern that differs counts as tighter: whether it accepts more is not decided here.
 * A first list of values is one change; a list that loses members is one change for each that is
 * gone.
 */
function tighterString(before: StringBounds, after: StringBounds): readonly string[] {
  const { values } = after
  const gone = before.values?.filter((value) => values !== undefined && !values.includes(value))
  return [
    ...higher('minLength', before.minLength, after.minLength),
    ...lower('maxLength', before.maxLength, after.maxLength),
    ...(after.pattern !== undefined && after.pattern !== before.pattern
      ? [`must match another pattern: ${after.pattern}`]
      : []),
    ...(before.values === undefined && values !== undefined ? ['accepts listed values only'] : []),
    ...(gone ?? []).map((value) => `loses the value "${value}"`),
  ]
}

/** Bounds and exclusive bounds are compared each with its like. */
function tighterNumber(before: NumberBounds, after: NumberBounds): readonly string[] {
  return [
    ...higher('minimum', before.minimum, after.minimum),
    ...lower('maximum', before.maximum, after.maximum),
    ...higher('exclusiveMinimum', before.exclusiveMinimum, after.exclusiveMinimum),
    ...lower('exclusiveMaximum', before.exclusiveMaximum, after.exclusiveMaximum),
  ]
}

/** A lower bound that rises, or that is new; `name` is its keyword. */
export function higher(
  name: string,
  before: number | undefined,
  after: number | undefined,
): readonly string[] {
  if (after === undefined || (before !== undefined && after <= before)) return []
  return [`has a higher ${name}: ${before ?? 'none'} before, ${after} now`]
}

/** An upper bound that falls, or that is new; `name` is its keyword. */
export function lower(
  name: string,
  before: number | undefined,
  after: number | undefined,
): readonly string[] {
  if (after === undefined || (before !== undefined && after >= before)) return []
  return [`has a lower ${name}: ${before ?? 'none'} before, ${after} now`]
}
