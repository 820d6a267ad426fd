/** Emits one readable module for each schema file: its types, its kinds and how they merge. */
import type { KindFacts } from '../../schema/ir.ts'
import type { ModuleArtefact, Specifiers } from '../artefact.ts'
import { importsOf } from '../code/imports.ts'
import {
  checksName,
  conversionName,
  gatedName,
  kindName,
  mergeName,
  modulePath,
} from '../code/names.ts'
import type { Model } from '../model/model.ts'
import { checksStatement } from './checks.ts'
import { gatedStatement } from './gated-fields.ts'
import { conversionStatement, kindStatement } from './kinds.ts'
import { mergeStatement } from './merge.ts'
import { clusterMetadataStatements, derivedTypeNames } from './object-metadata.ts'
import { typeStatement } from './types.ts'

/**
 * The module of a schema file.
 * Statements come in a fixed order: types, then constants about their structs, then conversions,
 * then kinds, so that a constant is declared before the kinds that refer to it.
 */
export function typesModule(file: string, model: Model, specifiers: Specifiers): ModuleArtefact {
  const types = model.typesIn('file', file)
  const path = modulePath(types[0]!)
  const structs = types.filter((type) => type.is === 'struct')
  const kinds = structs.map((struct) => model.kindOf(struct)).filter((kind) => kind !== undefined)
  const merging = structs.filter((struct) => model.isMerging(struct.id))
  const gated = structs.filter((struct) => model.isGated(struct.id))
  const checked = structs.filter((struct) => model.isChecked(struct.id))
  const names = [
    ...types.map(({ name }) => name),
    ...derivedTypeNames(types),
    ...merging.map(mergeName),
    ...gated.map(gatedName),
    ...checked.map(checksName),
  ]
  const imports = importsOf(path, specifiers, [...names, ...kinds.flatMap(constantsOf)])
  const statements = [
    ...types.map((type) => typeStatement(type, model, imports)),
    ...clusterMetadataStatements(types),
    ...merging.map((struct) => mergeStatement(struct, model, imports)),
    ...gated.map((struct) => gatedStatement(struct, model, imports)),
    ...checked.map((struct) => checksStatement(struct, model, imports)),
    ...kinds.flatMap(({ conversion, ...kind }) =>
      conversion === undefined ? [] : [conversionStatement(kind, conversion, imports)],
    ),
    ...kinds.map((kind) => kindStatement(kind, model, imports)),
  ]
  return {
    is: 'module',
    path,
    from: [file],
    statements,
    imports: imports.structures(),
  }
}

/** The constants that a kind may declare. */
function constantsOf(kind: KindFacts): readonly string[] {
  return [kindName(kind), conversionName(kind)]
}

/** The schema files that types come from, in order of names. */
export function filesOf({ types }: Model): readonly string[] {
  return [...new Set(types.map(({ at }) => at.file))].sort()
}
