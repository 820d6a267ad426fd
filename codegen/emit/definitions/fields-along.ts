import type { Field, StructType } from '../../schema/named-type.ts'
import type { Model } from '../model/model.ts'

/** The field at each step of a path; undefined from the first step on that leads to none. */
export function fieldsAlong(
  names: readonly string[],
  root: StructType,
  model: Model,
): readonly (Field | undefined)[] {
  let struct: StructType | undefined = root
  return names.map((name) => {
    const field: Field | undefined = struct?.fields.find((each) => each.name === name)
    struct = field && model.struct(field.type)
    return field
  })
}
