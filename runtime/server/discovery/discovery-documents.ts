import { groupNames } from '../../kernel/descriptors/platform.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { type HashedDocument, hashedDocument } from '../negotiation/document.ts'
import type { RouteTable } from '../request/resource-path.ts'
import { servedGroups, versionPath } from '../request/served-groups.ts'
import { aggregated, groupDocument, groupList, resourceList } from './api-groups.ts'
import { discoveryPathKeys } from './openapi/v3-discovery-paths.ts'
import { versionDocument } from './version.ts'

/** The versions in which aggregated discovery is written, the preferred one first. */
export const aggregatedVersions = ['v2', 'v2beta1'] as const

/** Makes one document. */
type Build = () => object | Promise<object>

/**
 * The documents that depend on nothing but the scheme, each made at its first request and kept. Keys are paths without the
 * leading slash; aggregated discovery stands under `<path>;<group>/<version>`.
 */
export function discoveryDocuments(
  scheme: Scheme,
  routes: RouteTable,
): ReadonlyMap<string, () => Promise<HashedDocument>> {
  const groups = servedGroups(scheme, routes)
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
  builds.set('', async () => ({ paths: await pathsOf(scheme, routes, paths) }))
  const core = groups.filter(({ group }) => group === '')
  const named = groups.filter(({ group }) => group !== '')
  for (const group of groupNames('apidiscovery', scheme.platform)) {
    for (const version of aggregatedVersions) {
      const apiVersion = `${group}/${version}`
      builds.set(`api;${apiVersion}`, () => aggregated(apiVersion, core, routes))
      builds.set(`apis;${apiVersion}`, () => aggregated(apiVersion, named, routes))
    }
  }
  return new Map([...builds].map(([path, build]) => [path, once(build)]))
}

/** Makes a document at the first call. Requests that come meanwhile wait for the same one. */
function once(build: Build): () => Promise<HashedDocument> {
  let built: Promise<HashedDocument> | undefined
  return () => {
    built ??= Promise.resolve(build()).then(hashedDocument)
    return built
  }
}

/** `/`: every path that is served, sorted. */
async function pathsOf(
  scheme: Scheme,
  routes: RouteTable,
  own: readonly string[],
): Promise<string[]> {
  const fixed = [
    'api',
    'healthz',
    'livez',
    'readyz',
    'openapi/v2',
    'openapi/v3',
    'metrics',
    'metrics/slis',
  ]
  const groups = servedGroups(scheme, routes).map(({ group }) => group)
  const keys = [...Object.keys(await scheme.openapi()), ...discoveryPathKeys(groups)]
  const schemas = keys.map((key) => `openapi/v3/${key}`)
  return [...own, ...fixed, ...schemas].map((path) => `/${path}`).sort()
}
