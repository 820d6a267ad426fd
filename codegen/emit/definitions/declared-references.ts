import type { ReferenceRow } from '../../../runtime/kernel/descriptors/reference-row.ts'
import type { KindFacts } from '../../schema/ir.ts'
import type { StructType, Type } from '../../schema/named-type.ts'
import type { Model } from '../model/model.ts'

/** The references of a kind as the text of its definition's annotation; undefined for a kind without any. */
export function declaredReferences({ type }: KindFacts, model: Model): string | undefined {
  const rows = rowsBelow(type, '', [], model)
  return rows.length === 0 ? undefined : JSON.stringify(rows)
}

/** The rows of a struct and of those in it, with paths from the object on. Metadata is the same for all kinds; circles end. */
function rowsBelow(
  id: string,
  path: string,
  above: readonly string[],
  model: Model,
): readonly ReferenceRow[] {
  const struct = model.type(id)
  if (struct.is !== 'struct' || above.includes(id)) return []
  const own = (struct.references ?? []).map((row) => ({ ...row, field: `${path}${row.field}` }))
  return [...own, ...fieldsBelow(struct, path, [...above, id], model)]
}

function fieldsBelow(
  { fields, root }: StructType,
  path: string,
  above: readonly string[],
  model: Model,
): readonly ReferenceRow[] {
  return fields.flatMap(({ name, type }) => {
    if (root && (name === 'metadata' || name === 'status')) return []
    const { to, lists } = structIn(type)
    return to === undefined ? [] : rowsBelow(to, `${path}${name}${lists}.`, above, model)
  })
}

/** The struct of a type, behind lists; a path does not lead through maps. */
function structIn(type: Type, lists = ''): { readonly to?: string; readonly lists: string } {
  if (type.is === 'ref') return { to: type.to, lists }
  return type.is === 'list' ? structIn(type.items, `${lists}[]`) : { lists }
}
