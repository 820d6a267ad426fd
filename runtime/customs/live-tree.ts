import { defaultGates, type Gates } from '../kernel/gates.ts'
import type { AnyKind } from '../kernel/kind.ts'
import { apiVersionOf, type Metadata } from '../kernel/object.ts'
import { createReport } from '../kernel/read.ts'
import type { Group, Tree } from '../kernel/tree.ts'
import type { Asking } from './conversion.ts'
import type { MadeKind, Surroundings } from './kind.ts'
import { withDocuments } from './openapi.ts'
import { compareVersions } from './versions.ts'

/** Where discovery lists groups that a definition brings: after those that the server brings itself. */
const customPriority = 1000

/** The tree with more kinds: routes, groups and documents. What the tree has itself stays its own. */
export function liveTree(base: Tree, kinds: readonly MadeKind[]): Tree {
  if (kinds.length === 0) return base
  const added = kinds.filter(({ kind }) => !Object.hasOwn(base.routes, pathOf(kind)))
  const routes = Object.fromEntries(added.map(({ kind }) => [pathOf(kind), kind]))
  return {
    ...base,
    routes: { ...base.routes, ...routes },
    groups: groupsOf(base, added),
    openapi: async () => withDocuments(await base.openapi(), added, base.platform),
  }
}

function pathOf(kind: AnyKind): string {
  return `apis/${apiVersionOf(kind)}/${kind.plural}`
}

function groupsOf(base: Tree, kinds: readonly MadeKind[]): readonly Group[] {
  const groups = new Map(base.groups.map((one) => [one.group, one]))
  const added = new Map<string, Set<string>>()
  for (const { kind } of kinds) {
    added.set(kind.group, (added.get(kind.group) ?? new Set()).add(kind.version))
  }
  for (const [group, versions] of added) {
    const known = groups.get(group)
    const all = [...new Set([...(known?.versions ?? []), ...versions])]
    groups.set(group, {
      priority: customPriority,
      ...known,
      group,
      versions: known && !isCustom(known) ? all : all.sort(compareVersions),
    })
  }
  return [...groups.values()]
}

function isCustom({ priority }: Group): boolean {
  return priority === customPriority
}

/** What kinds made at run time take from a tree. */
export function surroundingsOf(
  { routes, platform }: Tree,
  { gates = defaultGates, asking }: { readonly gates?: Gates; readonly asking?: Asking } = {},
): Surroundings {
  const kinds = Object.values(routes)
  const model = routes['api/v1/namespaces'] ?? kinds[0]
  const scale = kinds
    .flatMap(({ subresources }) => subresources)
    .find((sub) => sub.scale !== undefined && sub.body !== undefined)
  const merge = model?.merge.fields?.metadata
  return {
    extension: platform.extension,
    gates,
    ...(asking && { asking }),
    readMetadata(value, report) {
      if (model === undefined) return {}
      const apart = createReport()
      const { metadata } = model.read({ metadata: value }, apart) as { metadata: Metadata }
      for (const list of ['types', 'findings'] as const) {
        for (const one of apart[list]) if (one.path.startsWith('metadata')) report[list].push(one)
      }
      report.unknown.push(...apart.unknown)
      return metadata
    },
    metadataMerge: typeof merge === 'function' ? merge() : merge,
    scale: scale?.body?.(),
  }
}
