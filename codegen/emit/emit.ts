/**
 * All files of a tree at once: for tests and tools. A run of the generator emits unit by unit (`cache/incremental.ts`).
 */
import type { Api } from '../schema/ir.ts'
import type { Artefact, Specifiers } from './artefact.ts'
import { modelOf } from './model/create-model.ts'
import { unitsOf } from './units.ts'

/** Every file of the tree, sorted by path. */
export function emit(api: Api, specifiers: Specifiers): readonly Artefact[] {
  const model = modelOf(api)
  const artefacts = unitsOf(model).flatMap((unit) => unit.emit(model, specifiers))
  return [...artefacts].sort((a, b) => (a.path < b.path ? -1 : 1))
}
