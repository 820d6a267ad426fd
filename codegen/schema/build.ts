import { type Definition, type Definitions, readDefinitions } from './definitions.ts'
import { buildFlowControl, buildMetrics, buildRemovals } from './facts.ts'
import { buildFeatures } from './features.ts'
import type { Report } from './finding.ts'
import { buildGroups } from './groups.ts'
import type { Api } from './ir.ts'
import { buildBodies, buildKind } from './kinds.ts'
import type { Documents } from './load.ts'
import { readMarkers } from './markers.ts'
import { buildOptions } from './options.ts'
import type { Part } from './parts.ts'
import { ownPrefix } from './sources.ts'
import { allTypes, type TypeContext, typesOf } from './types.ts'

/** The intermediate representation, and the definitions it was made of for the rules that look at those. */
export interface Built {
  readonly api: Api
  readonly definitions: Definitions
  /** What became of each definition. */
  readonly parts: ReadonlyMap<Definition, Part>
}

/**
 * Makes the intermediate representation. What the documents get wrong is reported; the result is only fit for emitters if
 * nothing was.
 */
export function build(
  documents: Documents,
  specifierOf: (definition: Definition) => string,
  report: Report,
): Built {
  const find = (file: string) =>
    documents.documents.get(file) ?? documents.documents.get(ownPrefix + file)
  const markers = readMarkers(find('markers.yaml'), report)
  const definitions = readDefinitions(documents, markers, report)
  const context = { definitions, report, specifierOf }
  const parts = new Map(definitions.all.map((each) => [each, each.part ?? partOf(each, context)]))
  const kinds = [...parts.values()]
    .flatMap(({ kind }) => kind ?? [])
    .sort((a, b) => (a.type < b.type ? -1 : 1))
  const types = allTypes([...parts.values()], report)
  const flowControl = buildFlowControl(documents.documents.get('flow-control.yaml'), report)
  const api: Api = {
    platform: documents.platform,
    groups: buildGroups(find('groups.yaml'), kinds, report),
    types,
    kinds,
    bodies: buildBodies(definitions.all, kinds),
    markers,
    optionSets: buildOptions({ documents, definitions, types, report }),
    features: buildFeatures(documents, report),
    removals: buildRemovals(documents.documents.get('removals.yaml'), report),
    metrics: buildMetrics(documents.documents.get('metrics.yaml'), report),
    ...(flowControl && { flowControl }),
  }
  return { api, definitions, parts }
}

function partOf(definition: Definition, context: TypeContext): Part {
  const { name, at } = definition
  const kind = buildKind(definition, context.report)
  return { name, at, types: typesOf(definition, context), ...(kind && { kind }) }
}
