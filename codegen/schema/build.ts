import { type Definition, type Definitions, readDefinitions } from './definitions.ts'
import { buildMetrics, buildRemovals, readFlowControl } from './facts.ts'
import { buildFeatures } from './features.ts'
import type { Report } from './finding.ts'
import { buildGroups, readGroups } from './groups.ts'
import type { Api, KindFacts } from './ir.ts'
import { bodiesOf, buildBody, buildKind } from './kinds.ts'
import type { Documents } from './load.ts'
import { readMarkers } from './markers.ts'
import type { Node } from './node.ts'
import { buildOptions } from './options.ts'
import { FactsByFile, type FileParts, type Part, typesByFile } from './parts.ts'
import { ownPrefix } from './sources.ts'
import { allTypes, type TypeContext, typesOf } from './types.ts'

/** The intermediate representation, and the definitions it was made of for the rules that look at those. */
export interface Built {
  readonly api: Api
  readonly definitions: Definitions
  /** What became of each definition. */
  readonly parts: ReadonlyMap<Definition, Part>
  /** What became of each file. */
  readonly files: ReadonlyMap<string, FileParts>
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
  const facts = new FactsByFile(documents.parts)
  const rowsOf = <T>(file: string, read: (node: Node | undefined) => readonly T[]) => {
    const node = documents.documents.get(file)
    return node === undefined ? [] : facts.of(file, () => read(node))
  }
  const either = (file: string) => (documents.documents.has(file) ? file : ownPrefix + file)
  const markers = rowsOf(either('markers.yaml'), (node) => readMarkers(node, report))
  const definitions = readDefinitions(documents, markers, report)
  const context = { definitions, report, specifierOf }
  const parts = new Map(definitions.all.map((each) => [each, each.part ?? partOf(each, context)]))
  const kinds = kindsOf([...parts.values()].map(({ kind }) => kind))
  const types = allTypes([...parts.values()], report)
  const listed = rowsOf(either('groups.yaml'), (node) => readGroups(node, report))
  const [flowControl] = rowsOf('flow-control.yaml', (node) => readFlowControl(node, report))
  const api: Api = {
    platform: documents.platform,
    groups: buildGroups(listed, kinds),
    types,
    kinds,
    bodies: bodiesOf(kinds, kindsOf([...parts.values()].map(({ body }) => body))),
    markers,
    optionSets: buildOptions({ documents, definitions, types, report }, facts),
    features: buildFeatures(documents, report, facts),
    removals: rowsOf('removals.yaml', (node) => buildRemovals(node, report)),
    metrics: rowsOf('metrics.yaml', (node) => buildMetrics(node, report)),
    ...(flowControl && { flowControl }),
  }
  const files = new Map([...typesByFile(parts, documents.parts), ...facts.all()])
  return { api, definitions, parts, files }
}

function partOf(definition: Definition, context: TypeContext): Part {
  const { name, at } = definition
  const kind = buildKind(definition, context.report)
  const body = buildBody(definition)
  const types = typesOf(definition, context)
  return { name, at, types, ...(kind && { kind }), ...(body && { body }) }
}

function kindsOf(found: readonly (KindFacts | undefined)[]): readonly KindFacts[] {
  return found.flatMap((kind) => kind ?? []).sort((a, b) => (a.type < b.type ? -1 : 1))
}
