/** Which structs have no protobuf form. */
import type { StructType, Type } from '../../schema/named-type.ts'
import type { Model } from './model.ts'
import { leadingTo, referencesOf } from './references.ts'

/**
 * The ids of structs without a message: they, or a type that they contain, lack field numbers. A message that left such
 * a field out would lose data.
 */
export function jsonOnly(model: Model): ReadonlySet<string> {
  const structs = model.api.types.filter((type) => type.is === 'struct')
  const without = structs.filter((one) => !isMessage(one, model)).map(({ id }) => id)
  return leadingTo(without, structs, referencesOf)
}

/**
 * Unknown fields have no numbers, so a struct that preserves them has no message either. A
 * reference to a struct without a message counts only through `leadingTo`.
 */
function isMessage({ fields, preserveUnknown }: StructType, model: Model): boolean {
  return (
    !preserveUnknown &&
    fields.every(({ proto, type }) => proto !== undefined && !isUnion(type, model))
  )
}

/** Unions have no protobuf form. */
function isUnion(type: Type, model: Model): boolean {
  if (type.is === 'list') return isUnion(type.items, model)
  if (type.is === 'map') return isUnion(type.values, model)
  return type.is === 'ref' && model.type(type.to).is === 'union'
}
