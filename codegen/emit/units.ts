/**
 * From the model to artefacts: one pure function for each sort of output. No emitter reads a file, lays text out or
 * fails: lint found everything that could be wrong.
 *
 * The output falls into units. A unit whose queries have the results of an earlier run gives the artefacts of that run,
 * and is not emitted again.
 */
import type { Artefact, Specifiers } from './artefact.ts'
import { configFiles, configIndex, configModule } from './config/config.ts'
import { optionsOf } from './config/options.ts'
import { definitionNames, definitionOf } from './definitions/definitions.ts'
import { gatePagesOf } from './docs/feature-gates.ts'
import { flagPagesOf } from './docs/flags.ts'
import { metricPagesOf } from './docs/metrics.ts'
import { packagePages } from './docs/pages.ts'
import type { Model } from './model/model.ts'
import { documentKeys, documentLoader, documentModule, documentOf } from './openapi/documents.ts'
import { pathTypesOf } from './openapi/path-types.ts'
import { readersModule } from './readers/readers.ts'
import { clientModule } from './scheme/client.ts'
import { controllersOf } from './scheme/controllers.ts'
import { featuresOf } from './scheme/feature-gates.ts'
import { fieldTypesModule } from './scheme/field-types.ts'
import { protobufModules } from './scheme/protobuf.ts'
import { routesModule } from './scheme/routes.ts'
import { platformModule, schemeModule } from './scheme/scheme.ts'
import { serverFactModules } from './scheme/server-facts.ts'
import { rulesOf } from './scheme/validation-rules.ts'
import { wellKnownOf } from './scheme/well-known.ts'
import { filesOf, typesModule } from './types/types-module.ts'

/** Artefacts that are emitted together. The name is unique in the tree: earlier runs are compared by it. */
export interface Unit {
  readonly name: string
  readonly emit: (model: Model, specifiers: Specifiers) => readonly Artefact[]
}

/** The units of a tree. */
export function unitsOf(model: Model): readonly Unit[] {
  const files = filesOf(model)
  const config = configFiles(model)
  const packages = [...new Set(model.types.map((type) => type.package))].sort()
  return [
    ...files.map((file) => unit(`types ${file}`, (m, s) => [typesModule(file, m, s)])),
    ...files.map((file) => unit(`readers ${file}`, (m, s) => [readersModule(file, m, s)])),
    ...documentKeys(model).map((key) => unit(`document ${key}`, documentUnit(key))),
    ...definitionNames(model).map((name) =>
      unit(`definition ${name}`, (m) => [definitionOf(name, m)]),
    ),
    ...packages.map((name) => unit(`pages ${name}`, (m) => packagePages(name, m))),
    ...config.map((file) => unit(`config ${file}`, (m, s) => [configModule(file, m, s)])),
    ...(config.length === 0 ? [] : [unit('config', (m, s) => [configIndex(m, s)])]),
    unit('openapi', documentLoader),
    unit('client', (m, s) => [clientModule(m, s)]),
    unit('routes', (m, s) => [routesModule(m, s)]),
    unit('rules', rulesOf),
    unit('platform', (m, s) => [platformModule(m, s)]),
    unit('scheme', (m, s) => [schemeModule(m, s)]),
    unit('features', (m, s) => [...featuresOf(m, s), ...gatePagesOf(m)]),
    unit('controllers', controllersOf),
    unit('well-known names', wellKnownOf),
    unit('facts', (m, s) => [...serverFactModules(m, s), ...metricPagesOf(m)]),
    unit('options', (m, s) => [...optionsOf(m, s), ...flagPagesOf(m)]),
    unit('protobuf', protobufModules),
    unit('field types', fieldTypesModule),
  ]
}

function unit(name: string, emit: Unit['emit']): Unit {
  return { name, emit }
}

/** A document is built once for both of its modules. */
function documentUnit(key: string): Unit['emit'] {
  return (model, specifiers) => {
    const document = documentOf(key, model)
    const module = documentModule(document)
    return specifiers.pathTypes ? [module, pathTypesOf(document)] : [module]
  }
}
