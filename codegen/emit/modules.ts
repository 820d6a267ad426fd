/** Emits one readable module for each schema file: its types, its kinds and how they merge. */
import type { KindFacts, NamedType } from '../schema/ir.ts'
import type { ModuleArtefact, Specifiers } from './artefact.ts'
import { gatedStatement, gatedStructs } from './gated.ts'
import { importsOf } from './imports.ts'
import { conversionStatement, kindStatement } from './kinds.ts'
import { mergeStatement, mergingStructs } from './merge.ts'
import type { Model } from './model.ts'
import { conversionName, gatedName, kindName, mergeName, modulePath } from './names.ts'
import { typeStatement } from './types.ts'

export function modulesOf(model: Model, specifiers: Specifiers): readonly ModuleArtefact[] {
  const merging = mergingStructs(model)
  const gated = gatedStructs(model)
  return [...filesOf(model)].map(([file, types]) => {
    const path = modulePath(types[0]!)
    const structs = types.filter((type) => type.is === 'struct')
    const kinds = structs.map((struct) => model.kindOf(struct)).filter((kind) => kind !== undefined)
    const merges = structs.filter((struct) => merging.has(struct.id)).map(mergeName)
    const gates = structs.filter((struct) => gated.has(struct.id))
    const names = [...types.map(({ name }) => name), ...merges, ...gates.map(gatedName)]
    const own = [...names, ...kinds.flatMap(constantsOf)]
    const imports = importsOf(path, specifiers, own)
    const statements = [
      ...types.map((type) => typeStatement(type, model, imports)),
      ...structs
        .filter((struct) => merging.has(struct.id))
        .map((struct) => mergeStatement(struct, merging, model, imports)),
      ...gates.map((struct) => gatedStatement(struct, gated, model, imports)),
      ...kinds.flatMap(({ conversion, ...kind }) =>
        conversion === undefined ? [] : [conversionStatement(kind, conversion, imports)],
      ),
      ...kinds.map((kind) => kindStatement(kind, { merging, gated }, model, imports)),
    ]
    return {
      is: 'module',
      path,
      from: [file],
      statements,
      imports: imports.structures(),
    }
  })
}

function constantsOf(kind: KindFacts): readonly string[] {
  return [kindName(kind), conversionName(kind)]
}

/** The types of each schema file, kinds first, then by name. */
export function filesOf(model: Model): ReadonlyMap<string, readonly NamedType[]> {
  const files = new Map<string, NamedType[]>()
  const rank = (type: NamedType): number =>
    type.is === 'struct' ? (model.kindOf(type) === undefined ? 1 : 0) : 2
  const ordered = [...model.types].sort(
    (a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  )
  for (const type of ordered) {
    files.set(type.at.file, [...(files.get(type.at.file) ?? []), type])
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}
