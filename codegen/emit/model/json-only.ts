/** Which structs have no protobuf form. */
import type { StructType, Type } from '../../schema/named-type.ts'
import { refsIn } from '../../schema/rules/reachable-types.ts'
import type { Model } from './model.ts'
import { leadingTo, referencesOf } from './references.ts'

/**
 * The ids of structs without a message: they, or a type that they contain, lack field numbers. A message that left such
 * a field out would lose data.
 */
export function jsonOnly(model: Model): ReadonlySet<string> {
  const structs = model.api.types.filter((type) => type.is === 'struct')
  const without = structs.filter((one) => !isMessage(one, model)).map(({ id }) => id)
  return leadingTo(without, structs, (struct) => structsIn(struct, model))
}

/** What a struct refers to, itself or as a member of a union. */
function structsIn(struct: StructType, model: Model): readonly string[] {
  return referencesOf(struct).flatMap((id) => {
    const type = model.type(id)
    return type.is === 'union' ? type.members.flatMap((member) => refsIn(member.type)) : [id]
  })
}

/**
 * Unknown fields have no numbers, so a struct that preserves them has no message either. A
 * reference to a struct without a message counts only through `leadingTo`.
 */
function isMessage({ fields, preserveUnknown }: StructType, model: Model): boolean {
  return (
    !preserveUnknown &&
    fields.every(({ proto, type }) => proto !== undefined && hasForm(type, model))
  )
}

/** A union has a protobuf form if every member has a number and is a boolean, a struct, or a list of structs or strings. */
function hasForm(type: Type, model: Model): boolean {
  if (type.is === 'list') return hasForm(type.items, model)
  if (type.is === 'map') return hasForm(type.values, model)
  const named = type.is === 'ref' ? model.type(type.to) : undefined
  if (named?.is !== 'union') return true
  return named.members.every(
    ({ proto, type: member }) => proto !== undefined && canBeMember(member, model),
  )
}

function canBeMember(type: Type, model: Model): boolean {
  if (type.is === 'boolean' || model.struct(type) !== undefined) return true
  if (type.is !== 'list') return false
  return type.items.is === 'string' || model.struct(type.items) !== undefined
}
