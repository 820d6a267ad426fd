/** Emits kind descriptors. */
import { StructureKind, VariableDeclarationKind, type VariableStatementStructure } from 'ts-morph'
import type { Column } from '../../runtime/kernel/kind.ts'
import type { KindFacts, StructType } from '../schema/ir.ts'
import type { Imports } from './imports.ts'
import { code, literal } from './literal.ts'
import type { Model } from './model.ts'
import { kindName, mergeName } from './names.ts'

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
    merge: merging.has(struct.id) ? code(imports.value(struct, mergeName(struct))) : {},
    read: code(imports.reader(struct)),
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
    columns: kind.columns.map(columnOf),
    selectableFields: kind.selectableFields,
    rules: kind.rules,
    ...(kind.immutable && { immutable: kind.immutable }),
    applyReset: kind.applyReset,
  }
}

function columnOf({ name, type, format, description, priority, cell }: Column) {
  return { name, type, format, description, priority, cell }
}
