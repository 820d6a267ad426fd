import { defaultEnabledGates, type EnabledGates } from '../../kernel/descriptors/enabled-gates.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiGroup, Scheme } from '../../kernel/descriptors/scheme.ts'
import { apiVersionOf, type Metadata } from '../../kernel/meta/object.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import type { ConversionClient } from '../conversion/conversion.ts'
import { compareVersions } from '../definition/version-order.ts'
import { withKindDocuments } from '../openapi/openapi.ts'
import type { CustomKind, KindEnvironment } from './kind.ts'

/** Where discovery lists groups that a definition brings: after those that the server brings itself. */
const customGroupPriority = 1000

/** The tree with more kinds: routes, groups and documents. What the tree has itself stays its own. */
export function schemeWithKinds(base: Scheme, kinds: readonly CustomKind[]): Scheme {
  if (kinds.length === 0) return base
  const added = kinds.filter(({ kind }) => !Object.hasOwn(base.routes, routeOf(kind)))
  const routes = Object.fromEntries(added.map(({ kind }) => [routeOf(kind), kind]))
  return {
    ...base,
    routes: { ...base.routes, ...routes },
    groups: groupsOf(base, added),
    openapi: async () => withKindDocuments(await base.openapi(), added, base.platform),
  }
}

function routeOf(kind: AnyKind): string {
  return `apis/${apiVersionOf(kind)}/${kind.plural}`
}

function groupsOf(base: Scheme, kinds: readonly CustomKind[]): readonly ApiGroup[] {
  const groups = new Map(base.groups.map((one) => [one.group, one]))
  const added = new Map<string, Set<string>>()
  for (const { kind } of kinds) {
    added.set(kind.group, (added.get(kind.group) ?? new Set()).add(kind.version))
  }
  for (const [group, versions] of added) {
    const known = groups.get(group)
    const all = [...new Set([...(known?.versions ?? []), ...versions])]
    groups.set(group, {
      priority: customGroupPriority,
      ...known,
      group,
      versions: known && !isCustomGroup(known) ? all : all.sort(compareVersions),
    })
  }
  return [...groups.values()]
}

function isCustomGroup({ priority }: ApiGroup): boolean {
  return priority === customGroupPriority
}

/** What kinds made at run time take from a tree. */
export function kindEnvironmentOf(
  { routes, platform }: Scheme,
  {
    gates = defaultEnabledGates,
    asking,
  }: { readonly gates?: EnabledGates; readonly asking?: ConversionClient } = {},
): KindEnvironment {
  const kinds = Object.values(routes)
  const model = routes['api/v1/namespaces'] ?? kinds[0]
  const scale = kinds
    .flatMap(({ subresources }) => subresources)
    .find((sub) => sub.scale !== undefined && sub.body !== undefined)
  const merge = model?.merge.fields?.metadata
  return {
    extension: platform.extension,
    gates,
    ...(asking && { conversionClient: asking }),
    readMetadata(value, report) {
      if (model === undefined) return {}
      const apart = createReport()
      const { metadata } = model.read({ metadata: value }, apart) as { metadata: Metadata }
      for (const list of ['typeErrors', 'errors'] as const) {
        for (const one of apart[list]) if (one.path.startsWith('metadata')) report[list].push(one)
      }
      report.unknownFields.push(...apart.unknownFields)
      return metadata
    },
    metadataMerge: typeof merge === 'function' ? merge() : merge,
    scale: scale?.body?.(),
  }
}
