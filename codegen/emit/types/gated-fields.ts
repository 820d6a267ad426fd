/** Emits which fields feature gates switch: one constant for each struct that has such fields, or leads to them. */
import type { VariableStatementStructure } from 'ts-morph'
import type { Field, StructType, Type } from '../../schema/named-type.ts'
import type { Imports } from '../code/imports.ts'
import { literal } from '../code/literal.ts'
import { gatedName } from '../code/names.ts'
import { constDeclaration, structure } from '../code/structures.ts'
import type { Model } from '../model/model.ts'
import { leadingTo, referencesOf, structOf } from '../model/references.ts'
import { linkBelow, structBelow } from './links.ts'

/** The ids of structs with a gated field, their own or further down. */
export function gatedStructs(model: Model): ReadonlySet<string> {
  const structs = model.api.types.filter((type) => type.is === 'struct')
  const gated = structs
    .filter(({ fields }) => fields.some(({ featureGate }) => featureGate !== undefined))
    .map(({ id }) => id)
  return leadingTo(gated, structs, referencesOf)
}

/**
 * The constant of a struct.
 *     export const jsonSchemaPropsGated: GatedFields = {
 */
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

function fieldFacts(field: Field, model: Model, imports: Imports): unknown {
  const { featureGate: gate, gateOff: off, ungated } = field
  const type = structForm(field.type, model)
  const target = structBelow(type)
  const leads = target !== undefined && !ungated && model.isGated(target)
  if (gate === undefined && !leads) return undefined
  const own = { ...(gate && { gate }), ...(off && { off }) }
  return { ...own, ...(leads && linkBelow(type, gatedName, model, imports)) }
}

/** The form of a union that is an object; other types as they are. */
function structForm(type: Type, model: Model): Type {
  const union = type.is === 'ref' ? model.type(type.to) : undefined
  if (union?.is !== 'union') return type
  const found = union.members.find((member) => structOf(member.type, model.type) !== undefined)
  return found?.type ?? type
}
