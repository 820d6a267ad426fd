import { defaultEnabledGates, type EnabledGates } from '../kernel/descriptors/enabled-gates.ts'
import type { AnyKind, MergeStrategy } from '../kernel/descriptors/kind.ts'
import type { ApiGroup, Scheme } from '../kernel/descriptors/scheme.ts'
import { apiVersionOf, type Metadata } from '../kernel/meta/object.ts'
import { compareVersions } from '../kernel/meta/version-order.ts'
import { createReport, type ReadReport } from '../kernel/validation/field-error.ts'
import type { ConversionClient } from './conversion/conversion.ts'
import type { CustomKind, KindEnvironment } from './kind/kind.ts'
import { KindDocuments } from './openapi/openapi.ts'

/** The priority of groups that definitions bring: discovery lists them after the server's own. */
const customGroupPriority = 1000

/** A scheme that custom kinds can be added to. */
export class ExtensibleScheme {
  readonly #base: Scheme
  readonly #documents: KindDocuments
  readonly #baseRoutes: ReadonlySet<string>

  constructor(base: Scheme) {
    this.#base = base
    this.#baseRoutes = new Set(Object.keys(base.routes))
    this.#documents = new KindDocuments(base.platform)
  }

  /** The base scheme with the routes, groups and OpenAPI documents of custom kinds. Routes of the base are not replaced. */
  with(kinds: readonly CustomKind[]): Scheme {
    const base = this.#base
    if (kinds.length === 0) return base
    const routes: Record<string, AnyKind> = Object.assign(Object.create(null), base.routes)
    const added = kinds.filter((custom) => {
      const route = routeOf(custom.kind)
      if (this.#baseRoutes.has(route)) return false
      routes[route] = custom.kind
      return true
    })
    return {
      ...base,
      routes,
      groups: groupsWith(base.groups, added),
      openapi: async () => this.#documents.add(await base.openapi(), added),
    }
  }
}

/** Kept for each kind: every change of a definition looks up all of them. */
const routesOfKinds = new WeakMap<AnyKind, string>()

function routeOf(kind: AnyKind): string {
  const known = routesOfKinds.get(kind)
  if (known !== undefined) return known
  const route = `apis/${apiVersionOf(kind)}/${kind.plural}`
  routesOfKinds.set(kind, route)
  return route
}

/** Adds groups and versions. Only groups without kinds of the base are sorted anew. */
function groupsWith(base: readonly ApiGroup[], kinds: readonly CustomKind[]): readonly ApiGroup[] {
  const groups = new Map(base.map((one) => [one.group, one]))
  const versions = new Map<string, Set<string>>()
  for (const { kind } of kinds) {
    const { group, version } = kind
    const known = groups.get(group) ?? { group, versions: [], priority: customGroupPriority }
    const all = versions.get(group) ?? new Set(known.versions)
    versions.set(group, all.add(version))
    groups.set(group, known)
  }
  return [...groups.values()].map((one) => {
    const all = versions.get(one.group)
    if (all === undefined) return one
    const isSorted = one.priority === customGroupPriority && all.size > 1
    return { ...one, versions: isSorted ? [...all].sort(compareVersions) : [...all] }
  })
}

/** The environment of custom kinds in a scheme: its metadata is read and merged as that of the scheme's own kinds. */
export function kindEnvironmentOf(
  { routes, platform }: Scheme,
  {
    gates = defaultEnabledGates,
    conversionClient,
  }: { readonly gates?: EnabledGates; readonly conversionClient?: ConversionClient } = {},
): KindEnvironment {
  const kinds = Object.values(routes)
  const model = routes['api/v1/namespaces'] ?? kinds[0]
  const scale = kinds
    .flatMap(({ subresources }) => subresources)
    .find((sub) => sub.scale !== undefined && sub.body !== undefined)
  return {
    extension: platform.extension,
    gates,
    ...(conversionClient && { conversionClient }),
    readMetadata: (value, report) =>
      model === undefined ? {} : readMetadataBy(model, value, report),
    metadataMerge: model && metadataMergeOf(model),
    scale: scale?.body?.(),
  }
}

/** Reads metadata with the reader of a kind; what this reports about other fields is dropped. */
function readMetadataBy(kind: AnyKind, value: unknown, report: ReadReport): Metadata {
  const own = createReport()
  const { metadata } = kind.read({ metadata: value }, own) as { metadata: Metadata }
  for (const list of ['typeErrors', 'errors'] as const) {
    report[list].push(...own[list].filter(({ path }) => path.startsWith('metadata')))
  }
  report.unknownFields.push(...own.unknownFields)
  return metadata
}

function metadataMergeOf(kind: AnyKind): MergeStrategy | undefined {
  const merge = kind.merge.fields?.metadata
  return typeof merge === 'function' ? merge() : merge
}
