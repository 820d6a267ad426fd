/**
 * From the IR to artefacts: one pure function for each sort of output. Nothing here reads a file, formats text or fails:
 * what could be wrong was found by `lint`.
 */
import type { Api } from '../schema/ir.ts'
import type { Artefact, Specifiers } from './artefact.ts'
import { clientOf } from './client.ts'
import { configOf } from './config.ts'
import { flagPagesOf } from './docs/flags.ts'
import { gatePagesOf } from './docs/gates.ts'
import { pagesOf } from './docs/pages.ts'
import { factsOf } from './facts.ts'
import { featuresOf } from './features.ts'
import { modelOf } from './model.ts'
import { modulesOf } from './modules.ts'
import { documentModules, documentsOf } from './openapi/documents.ts'
import { pathTypesOf } from './openapi/path-types.ts'
import { optionsOf } from './options.ts'
import { protobufModules } from './protobuf.ts'
import { readersOf } from './readers.ts'
import { routesOf } from './routes.ts'
import { rulesOf } from './rules.ts'
import { platformOf, treeOf } from './tree.ts'

/** Every file of the tree, sorted by path. */
export async function emit(api: Api, specifiers: Specifiers): Promise<readonly Artefact[]> {
  const model = modelOf(api)
  const documents = documentsOf(model)
  const artefacts: readonly Artefact[] = [
    ...modulesOf(model, specifiers),
    ...readersOf(model, specifiers),
    clientOf(model, specifiers),
    routesOf(model, specifiers),
    ...rulesOf(model, specifiers),
    platformOf(model, specifiers),
    treeOf(model, specifiers),
    ...configOf(model, specifiers),
    ...featuresOf(model, specifiers),
    ...factsOf(model, specifiers),
    ...optionsOf(model, specifiers),
    ...protobufModules(model, specifiers),
    ...documentModules(documents, specifiers),
    ...pagesOf(model),
    ...flagPagesOf(model),
    ...gatePagesOf(model),
    ...(specifiers.pathTypes ? pathTypesOf(documents) : []),
  ]
  return [...artefacts].sort((a, b) => (a.path < b.path ? -1 : 1))
}
