/** Emits which fields feature gates switch: one constant for each struct that has such fields, or leads to them. */
import type { VariableStatementStructure } from 'ts-morph'
import type { Field, StructType, Type } from '../../schema/ir.ts'
import type { Imports } from '../code/imports.ts'
import { code, literal } from '../code/literal.ts'
import { gatedName } from '../code/names.ts'
import { constDeclaration, structure } from '../code/structures.ts'
import type { Model } from '../model/model.ts'
import { leadingTo, referencesOf } from '../model/references.ts'

/** The structs that hold a gated field, themselves or further down. */
export function gatedStructs(model: Model): ReadonlySet<string> {
  const structs = model.api.types.filter((type) => type.is === 'struct')
  const gated = structs
    .filter(({ fields }) => fields.some(({ featureGate }) => featureGate !== undefined))
    .map(({ id }) => id)
  return leadingTo(gated, structs, referencesOf)
}

/** The `Gated` constant of a struct. */
export function gatedStatement(
  struct: StructType,
  model: Model,
  imports: Imports,
): VariableStatementStructure {
  const fields = struct.fields.flatMap((field) => {
    const facts = fieldFacts(field, model, imports)
    return facts === undefined ? [] : [[field.name, facts] as const]
  })
  return {
    kind: structure.variable,
    isExported: true,
    declarationKind: constDeclaration,
    docs: [`Which fields of a ${struct.name} feature gates switch.`],
    declarations: [
      {
        name: gatedName(struct),
        type: imports.kernel('descriptors/kind', 'GatedFields', true),
        initializer: literal({ fields: Object.fromEntries(fields) }),
      },
    ],
  }
}

function fieldFacts({ featureGate: gate, type }: Field, model: Model, imports: Imports): unknown {
  const target = targetOf(type)
  const leads = target !== undefined && model.isGated(target)
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
