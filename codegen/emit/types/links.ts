/** How a constant about a struct refers to those about the structs in its fields. */
import type { StructType, Type } from '../../schema/named-type.ts'
import type { Imports } from '../code/imports.ts'
import { code, literal } from '../code/literal.ts'
import type { Model } from '../model/model.ts'

/**
 * `value` with the constant of the struct that a field holds, or `items` with that of the structs in its list or map.
 * Constants refer to each other by functions, because types may refer to themselves.
 * A list of lists needs a second level: `items: () => ({ items: () => portMerge })`.
 */
export function linkBelow(
  type: Type,
  nameOf: (struct: StructType) => string,
  model: Model,
  imports: Imports,
): Readonly<Record<string, unknown>> {
  const constant = (id: string) => {
    const struct = model.type(id) as StructType
    return code(`() => ${imports.value(struct, nameOf(struct))}`)
  }
  if (type.is === 'list' || type.is === 'map') {
    const inner = type.is === 'list' ? type.items : type.values
    if (inner.is === 'ref') return { items: constant(inner.to) }
    const { items } = linkBelow(inner, nameOf, model, imports)
    return { items: code(`() => ({ items: ${literal(items)} })`) }
  }
  return type.is === 'ref' ? { value: constant(type.to) } : {}
}

/** The id of the struct that a field holds, or whose objects it holds. */
export function structBelow(type: Type): string | undefined {
  if (type.is === 'list') return structBelow(type.items)
  if (type.is === 'map') return structBelow(type.values)
  return type.is === 'ref' ? type.to : undefined
}
