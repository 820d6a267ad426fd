/** Emits which fields feature gates switch: one constant for each struct that has such fields, or leads to them. */
import { StructureKind, VariableDeclarationKind, type VariableStatementStructure } from 'ts-morph'
import type { Field, StructType, Type } from '../schema/ir.ts'
import type { Imports } from './imports.ts'
import { code, literal } from './literal.ts'
import type { Model } from './model.ts'
import { gatedName } from './names.ts'

/** The structs that hold a gated field, themselves or further down. */
export function gatedStructs(model: Model): ReadonlySet<string> {
  const structs = model.api.types.filter((type) => type.is === 'struct')
  const gated = new Set(
    structs
      .filter(({ fields }) => fields.some(({ featureGate }) => featureGate !== undefined))
      .map(({ id }) => id),
  )
  for (let before = -1; before !== gated.size; ) {
    before = gated.size
    for (const { id, fields } of structs) {
      if (fields.some(({ type }) => gated.has(targetOf(type) ?? ''))) gated.add(id)
    }
  }
  return gated
}

/** The `Gated` constant of a struct. */
export function gatedStatement(
  struct: StructType,
  gated: ReadonlySet<string>,
  model: Model,
  imports: Imports,
): VariableStatementStructure {
  const fields = struct.fields.flatMap((field) => {
    const facts = fieldFacts(field, gated, model, imports)
    return facts === undefined ? [] : [[field.name, facts] as const]
  })
  return {
    kind: StructureKind.VariableStatement,
    isExported: true,
    declarationKind: VariableDeclarationKind.Const,
    docs: [`Which fields of a ${struct.name} feature gates switch.`],
    declarations: [
      {
        name: gatedName(struct),
        type: imports.kernel('kind', 'Gated', true),
        initializer: literal({ fields: Object.fromEntries(fields) }),
      },
    ],
  }
}

function fieldFacts(
  { featureGate: gate, type }: Field,
  gated: ReadonlySet<string>,
  model: Model,
  imports: Imports,
): unknown {
  const target = targetOf(type)
  const below = target !== undefined && gated.has(target) ? target : undefined
  if (gate === undefined && below === undefined) return undefined
  if (below === undefined) return { gate }
  const struct = model.type(below)
  const down = code(`() => ${imports.value(struct, gatedName(struct as StructType))}`)
  return { ...(gate && { gate }), [type.is === 'ref' ? 'value' : 'items']: down }
}

/** The struct that a field holds, or whose objects it holds. */
function targetOf(type: Type): string | undefined {
  if (type.is === 'list') return targetOf(type.items)
  if (type.is === 'map') return targetOf(type.values)
  return type.is === 'ref' ? type.to : undefined
}
