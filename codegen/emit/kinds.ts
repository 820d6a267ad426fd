/** Emits kind descriptors. */
import { StructureKind, VariableDeclarationKind, type VariableStatementStructure } from 'ts-morph'
import type { Column, Subresource } from '../../runtime/kernel/kind.ts'
import type { KindFacts, StructType } from '../schema/ir.ts'
import type { Imports } from './imports.ts'
import { code, literal } from './literal.ts'
import type { Model } from './model.ts'
import { kindName, mergeName } from './names.ts'
import { messageOf } from './protobuf.ts'

/** The `defineKind` call of a kind. */
export function kindStatement(
  kind: KindFacts,
  merging: ReadonlySet<string>,
  model: Model,
  imports: Imports,
): VariableStatementStructure {
  const struct = model.type(kind.type) as StructType
  const facts = {
    ...factsOf(kind),
    subresources: kind.subresources.map((sub) => subresourceOf(sub, kind, model, imports)),
    merge: merging.has(struct.id) ? code(imports.value(struct, mergeName(struct))) : {},
    read: code(imports.reader(struct)),
    proto: messageOf(kind, model),
  }
  return {
    kind: StructureKind.VariableStatement,
    isExported: true,
    declarationKind: VariableDeclarationKind.Const,
    docs: [`What the platform knows of the kind ${kind.kind}.`],
    declarations: [
      {
        name: kindName(kind),
        initializer: `${imports.kernel('kind', 'defineKind')}<${struct.name}>(${literal(facts)})`,
      },
    ],
  }
}

function factsOf(kind: KindFacts) {
  return {
    group: kind.group,
    version: kind.version,
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    plural: kind.plural,
    singular: kind.singular,
    shortNames: kind.shortNames,
    categories: kind.categories,
    scope: kind.scope,
    verbs: kind.verbs,
    subresources: kind.subresources,
    nameRule: kind.nameRule,
    createOnUpdate: kind.createOnUpdate,
    unconditionalUpdate: kind.unconditionalUpdate,
    deleteReturns: kind.deleteReturns,
    generation: kind.generation,
    statusOnCreate: kind.statusOnCreate,
    dependents: kind.dependents,
    deleteWarning: kind.deleteWarning,
    columns: kind.columns.map(columnOf),
    selectableFields: kind.selectableFields,
    rules: kind.rules,
    ...(kind.immutable && { immutable: kind.immutable }),
    applyReset: kind.applyReset,
  }
}

/** A subresource, with the descriptor of its body if that is another kind's. */
function subresourceOf(sub: Subresource, kind: KindFacts, model: Model, imports: Imports): object {
  const body = model.bodyOf(sub)
  if (body === undefined || body.type === kind.type) return sub
  const name = imports.value(model.type(body.type), kindName(body))
  return { ...sub, body: code(`() => ${name}`) }
}

function columnOf({ name, type, format, description, priority, cell }: Column) {
  return { name, type, format, description, priority, cell }
}
