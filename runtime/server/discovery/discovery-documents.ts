import type { RemoteServerMap } from '../../aggregator/aggregator.ts'
import type { HealthCheck } from '../../daemon/daemon.ts'
import { groupNames } from '../../kernel/descriptors/platform.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { type HashedDocument, hashedDocument } from '../negotiation/document.ts'
import type { RouteTable } from '../request/resource-path.ts'
import { servedGroups, versionPath } from '../request/served-groups.ts'
import { aggregated, groupDocument, groupList, resourceList } from './api-groups.ts'
import { versionDocument } from './version.ts'

/** The versions in which aggregated discovery is written, the preferred one first. */
export const aggregatedVersions = ['v2', 'v2beta1'] as const

/** Makes one document. */
type Build = () => object

/**
 * The documents that depend on nothing but the scheme, each made at its first request and kept. Keys are paths without the
 * leading slash; aggregated discovery stands under `<path>;<group>/<version>`.
 */
export function discoveryDocuments(
  scheme: Scheme,
  routes: RouteTable,
  checks: readonly HealthCheck[],
  remote?: RemoteServerMap,
): ReadonlyMap<string, () => HashedDocument> {
  const groups = servedGroups(scheme, routes, remote)
  const builds = new Map<string, Build>([
    ['version', () => versionDocument(scheme.platform)],
    ['apis', () => groupList(groups)],
  ])
  for (const group of groups) {
    if (group.group !== '') builds.set(`apis/${group.group}`, () => groupDocument(group))
    for (const version of group.versions) {
      const path = versionPath(group.group, version)
      builds.set(path, () => resourceList(group.group, version, routes.get(path)?.values() ?? []))
    }
  }
  const paths = [...builds.keys()]
  builds.set('', () => ({ paths: pathsOf(paths, checks) }))
  const core = groups.filter(({ group }) => group === '')
  const named = groups.filter(({ group }) => group !== '')
  for (const group of groupNames('apidiscovery', scheme.platform)) {
    for (const version of aggregatedVersions) {
      const apiVersion = `${group}/${version}`
      builds.set(`api;${apiVersion}`, () => aggregated(apiVersion, core, routes))
      builds.set(`apis;${apiVersion}`, () => aggregated(apiVersion, named, routes, remote))
    }
  }
  return new Map([...builds].map(([path, build]) => [path, once(build)]))
}

/** Makes a document at the first call. */
function once(build: Build): () => HashedDocument {
  let built: HashedDocument | undefined
  return () => {
    built ??= hashedDocument(build())
    return built
  }
}

/** `/`: every path that is served, sorted; a health check has one below each endpoint that it counts for. */
function pathsOf(own: readonly string[], checks: readonly HealthCheck[]): string[] {
  const health = healthEndpoints.flatMap((endpoint) => {
    const counting = checks.filter(({ endpoints }) => endpoints?.includes(endpoint) ?? true)
    return [endpoint, ...counting.map(({ name }) => `${endpoint}/${name}`)]
  })
  return [...own, ...fixedPaths, ...health].map((path) => `/${path}`).sort()
}

const healthEndpoints = ['healthz', 'livez', 'readyz'] as const
const fixedPaths = [
  'api',
  'apis/',
  'openapi/v2',
  'openapi/v3',
  'openapi/v3/',
  'metrics',
  'metrics/slis',
]
