/** What an absent field means: its default, or the zero value of its type. */
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import type { Field, Scalar, StructType, Type } from '../../schema/named-type.ts'
import type { Model } from './model.ts'

/**
 * The zero value of a type, as JSON.
 * As Go has it, the language in which the API was first declared: a list and a map are null, a
 * struct is its fields' zeros as they are written.
 */
export function zeroOf(type: Type, model: Model): unknown {
  switch (type.is) {
    case 'string':
      return ''
    case 'integer':
    case 'number':
      return 0
    case 'boolean':
      return false
    case 'list':
    case 'map':
      return null
    case 'ref':
      return zeroOfNamed(type.to, model)
  }
}

/** A closed enum has the zero `''` although that is none of its values: it means absent. */
function zeroOfNamed(id: string, model: Model): unknown {
  const type = model.type(id)
  if (type.is === 'struct') return withDefaults(type, {}, model)
  if (type.is === 'union') return null
  return type.is === 'enum' ? '' : zeroOfScalar(type.scalar)
}

/** Times, raw objects and `any` have no zero but null. */
function zeroOfScalar(scalar: Scalar): unknown {
  switch (scalar) {
    case 'quantity':
      return '0'
    case 'int-or-string':
      return 0
    case 'duration':
      return '0s'
    default:
      return null
  }
}

/** A struct value as its reader would give it: `given` completed with defaults and kept zeros, in declaration order. */
export function withDefaults(
  struct: StructType,
  given: Readonly<Record<string, unknown>>,
  model: Model,
): unknown {
  const kind = model.kindOf(struct)
  const head = kind === undefined ? {} : { kind: kind.kind, apiVersion: apiVersionOf(kind) }
  const fields = struct.fields.flatMap((field) => {
    const value = given[field.name] ?? field.default
    if (value !== undefined) return [[field.name, completed(field.type, value, model)]]
    if (field.zero === 'null') return [[field.name, null]]
    return isKept(field) ? [[field.name, zeroOf(field.type, model)]] : []
  })
  return { ...head, ...Object.fromEntries(fields) }
}

/** True for a field that objects are always written with. */
export function isKept(field: Field): boolean {
  return field.zero === 'keep' || field.required || field.checkAbsent
}

/**
 * The value that a default stands for, completed with the defaults of the structs in it.
 * Values of maps are taken as given.
 */
export function completed(type: Type, value: unknown, model: Model): unknown {
  const struct = model.struct(type)
  if (struct !== undefined) return withDefaults(struct, value as Record<string, unknown>, model)
  if (type.is !== 'list' || !Array.isArray(value)) return value
  return value.map((item) => completed(type.items, item, model))
}

/**
 * True for the values that mean absent in a field with `x-orch-zero: omit`.
 * The zeros of quantities and durations (`'0'`, `'0s'`) are texts and not among them: readers
 * compare with those explicitly.
 */
export function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false || value === null
}
