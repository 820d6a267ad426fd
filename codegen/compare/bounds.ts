import type { NumberBounds, StringBounds, Type } from '../schema/ir.ts'

/** Rule 1 about values: what a type accepts less than it did, each as the end of a sentence about the field. */
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

function tighterNumber(before: NumberBounds, after: NumberBounds): readonly string[] {
  return [
    ...higher('minimum', before.minimum, after.minimum),
    ...lower('maximum', before.maximum, after.maximum),
    ...higher('exclusiveMinimum', before.exclusiveMinimum, after.exclusiveMinimum),
    ...lower('exclusiveMaximum', before.exclusiveMaximum, after.exclusiveMaximum),
  ]
}

/** A lower bound that rises. */
export function higher(
  name: string,
  before: number | undefined,
  after: number | undefined,
): readonly string[] {
  if (after === undefined || (before !== undefined && after <= before)) return []
  return [`has a higher ${name}: ${before ?? 'none'} before, ${after} now`]
}

/** An upper bound that falls. */
export function lower(
  name: string,
  before: number | undefined,
  after: number | undefined,
): readonly string[] {
  if (after === undefined || (before !== undefined && after >= before)) return []
  return [`has a lower ${name}: ${before ?? 'none'} before, ${after} now`]
}
