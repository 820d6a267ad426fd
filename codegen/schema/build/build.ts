/** From parsed documents to the intermediate representation. */
import type { Documents } from '../files/load.ts'
import { ownPrefix } from '../files/sources.ts'
import type { Report } from '../finding.ts'
import type { Api, KindFacts } from '../ir.ts'
import type { YamlNode } from '../yaml/node.ts'
import { readAccess } from './access-facts.ts'
import type { BuiltDefinition, BuiltFile } from './built-file.ts'
import { FactsByFile, typesByFile } from './built-files.ts'
import { buildControllers, withControllerNames } from './controllers.ts'
import { type Definition, type Definitions, readDefinitions } from './definitions.ts'
import { buildFeatures } from './feature-gates.ts'
import { buildGroups, readGroups } from './groups.ts'
import { bodiesOf, buildBody, buildKind } from './kinds.ts'
import { readMarkers } from './markers.ts'
import { buildOptions } from './options.ts'
import { buildMetrics, buildRemovals, readFlowControl } from './server-facts.ts'
import { allTypes, type TypeContext, typesOf } from './types.ts'
import { buildWellKnown } from './well-known.ts'

/** The representation, and the definitions that it was made from: lint rules look at both. */
export interface Built {
  readonly api: Api
  readonly definitions: Definitions
  /** What was built from each definition. */
  readonly builtDefinitions: ReadonlyMap<Definition, BuiltDefinition>
  /** What was built from each file. */
  readonly files: ReadonlyMap<string, BuiltFile>
}

/**
 * Makes the representation. What is wrong with the documents is reported; only without findings is the result fit for
 * emitters. `specifierOf` gives the generated module of a definition that another tree generates.
 */
export function build(
  documents: Documents,
  specifierOf: (definition: Definition) => string,
  report: Report,
): Built {
  const facts = new FactsByFile(documents.builtFile)
  const rowsOf = <T>(file: string, read: (node: YamlNode | undefined) => readonly T[]) => {
    const node = documents.documents.get(file)
    return node === undefined ? [] : facts.of(file, () => read(node))
  }
  const either = (file: string) => (documents.documents.has(file) ? file : ownPrefix + file)
  const markers = rowsOf(either('markers.yaml'), (node) => readMarkers(node, report))
  const definitions = readDefinitions(documents, markers, report)
  const context = { definitions, report, specifierOf }
  const parts = new Map(definitions.all.map((each) => [each, each.built ?? partOf(each, context)]))
  const kinds = kindsOf([...parts.values()].map(({ kind }) => kind))
  const types = allTypes([...parts.values()], report)
  const listed = rowsOf(either('groups.yaml'), (node) => readGroups(node, report))
  const [flowControl] = rowsOf('flow-control.yaml', (node) => readFlowControl(node, report))
  const [access] = rowsOf('access.yaml', (node) => readAccess(node, report))
  const controllers = rowsOf('controllers.yaml', (node) => buildControllers(node, report))
  const api: Api = {
    platform: documents.platform,
    groups: buildGroups(listed, kinds),
    types: withControllerNames(types, controllers),
    kinds,
    bodies: bodiesOf(kinds, kindsOf([...parts.values()].map(({ body }) => body))),
    markers,
    optionSets: buildOptions({ documents, definitions, types, report }, facts),
    features: buildFeatures(documents, report, facts),
    removals: rowsOf('removals.yaml', (node) => buildRemovals(node, report)),
    metrics: rowsOf('metrics.yaml', (node) => buildMetrics(node, report)),
    controllers,
    wellKnown: rowsOf('well-known.yaml', (node) =>
      buildWellKnown(node, documents.platform, report),
    ),
    ...(flowControl && { flowControl }),
    ...(access && { access }),
  }
  const files = new Map([...typesByFile(parts, documents.builtFile), ...facts.all()])
  return { api, definitions, builtDefinitions: parts, files }
}

/**
 * What one definition gives, whatever the others say.
 * Independent of other definitions except through references, so that it can be taken from an
 * earlier run.
 */
function partOf(definition: Definition, context: TypeContext): BuiltDefinition {
  const { name, at } = definition
  const kind = buildKind(definition, context.report)
  const body = buildBody(definition)
  const types = typesOf(definition, context)
  return { name, at, types, ...(kind && { kind }), ...(body && { body }) }
}

/**
 * Those that are kinds, sorted by the ids of their types.
 * The order of files must not show in what is emitted.
 */
function kindsOf(found: readonly (KindFacts | undefined)[]): readonly KindFacts[] {
  return found.flatMap((kind) => kind ?? []).sort((a, b) => (a.type < b.type ? -1 : 1))
}
