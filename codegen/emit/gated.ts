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
  const leads = gated.has(targetOf(type) ?? '')
  if (gate === undefined && !leads) return undefined
  return { ...(gate && { gate }), ...(leads && downFrom(type, model, imports)) }
}

/** How to go on below a value of the type: to the struct, or to what the items are. */
function downFrom(type: Type, model: Model, imports: Imports): Readonly<Record<string, unknown>> {
  if (type.is === 'list' || type.is === 'map') {
    const inner = type.is === 'list' ? type.items : type.values
    if (inner.is === 'ref') return { items: thunk(inner.to, model, imports) }
    const { items } = downFrom(inner, model, imports)
    return { items: code(`() => ({ items: ${literal(items)} })`) }
  }
  return type.is === 'ref' ? { value: thunk(type.to, model, imports) } : {}
}

function thunk(id: string, model: Model, imports: Imports): unknown {
  const struct = model.type(id)
  return code(`() => ${imports.value(struct, gatedName(struct as StructType))}`)
}

/** The struct that a field holds, or whose objects it holds. */
function targetOf(type: Type): string | undefined {
  if (type.is === 'list') return targetOf(type.items)
  if (type.is === 'map') return targetOf(type.values)
  return type.is === 'ref' ? type.to : undefined
}
