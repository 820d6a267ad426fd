/** Emits the names of checks that schemas state: one constant for each struct that has some, or leads to them. */
import type { VariableStatementStructure } from 'ts-morph'
import type { Field, StructType } from '../../schema/named-type.ts'
import type { Imports } from '../code/imports.ts'
import { literal } from '../code/literal.ts'
import { checksName } from '../code/names.ts'
import { constDeclaration, structure } from '../code/structures.ts'
import type { Model } from '../model/model.ts'
import { leadingTo, referencesOf } from '../model/references.ts'
import { linkBelow, structBelow } from './links.ts'

/** The structs that have checks, themselves or further down. */
export function checkedStructs(model: Model): ReadonlySet<string> {
  const structs = model.api.types.filter((type) => type.is === 'struct')
  const checked = structs
    .filter(({ checks, fields }) => checks ?? fields.some((field) => field.checks))
    .map(({ id }) => id)
  return leadingTo(checked, structs, referencesOf)
}

/**
 * The `Checks` constant of a struct.
 * Names only; the functions behind them are written by hand.
 *
 *   export const certificateSigningRequestSpecChecks: Checks = {
 */
export function checksStatement(
  struct: StructType,
  model: Model,
  imports: Imports,
): VariableStatementStructure {
  const fields = struct.fields.flatMap((field) => {
    const facts = fieldFacts(field, model, imports)
    return facts === undefined ? [] : [[field.name, facts] as const]
  })
  const { checks } = struct
  const facts = {
    ...(checks && { checks }),
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
  }
  return {
    kind: structure.variable,
    isExported: true,
    declarationKind: constDeclaration,
    docs: [`Names of the checks of a ${struct.name}.`],
    declarations: [
      {
        name: checksName(struct),
        type: imports.kernel('descriptors/kind', 'Checks', true),
        initializer: literal(facts),
      },
    ],
  }
}

/** Undefined for a field without checks, its own or below. */
function fieldFacts({ checks, type }: Field, model: Model, imports: Imports): unknown {
  const target = structBelow(type)
  const leads = target !== undefined && model.isChecked(target)
  if (checks === undefined && !leads) return undefined
  return { ...(checks && { checks }), ...(leads && linkBelow(type, checksName, model, imports)) }
}
