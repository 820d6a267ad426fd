import { createHash } from 'node:crypto'
import type { RemoteDiscovery, RemoteServerMap } from '../../aggregator/aggregator.ts'
import { type Kind, type Subresource, storedKind } from '../../kernel/descriptors/kind.ts'
import { type RouteTable, servedSubresources } from '../request/resource-path.ts'
import { type ServedGroup, versionPath } from '../request/served-groups.ts'

/** `/api`: the versions of the core group, and the address at which the client reached the server. */
export function coreVersions(groups: readonly ServedGroup[], address: string): object {
  return {
    kind: 'APIVersions',
    versions: groups.find(({ group }) => group === '')?.versions ?? [],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  }
}

/** `/apis`: the named groups. */
export function groupList(groups: readonly ServedGroup[]): object {
  const named = groups.filter(({ group }) => group !== '').map(groupFields)
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: named }
}

/** `/apis/<group>`: one named group; its first version is the preferred one. */
export function groupDocument(group: ServedGroup): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupFields(group) }
}

function groupFields({ group, versions }: ServedGroup): object {
  const rows = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }))
  return { name: group, versions: rows, preferredVersion: rows[0] }
}

/** `/api/v1` and `/apis/<group>/<version>`: resources by name, subresources among them. */
export function resourceList(group: string, version: string, kinds: Iterable<Kind>): object {
  const resources = [...kinds].flatMap((kind) => [
    resourceRow(kind),
    ...servedSubresources(kind).map((sub) => subresourceRow(kind, sub)),
  ])
  return {
    kind: 'APIResourceList',
    ...(group !== '' && { apiVersion: 'v1' }),
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: resources.sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/** A resource whose objects are stored says under which hash. */
function resourceRow(kind: Kind): { readonly name: string } {
  return {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.scope === 'Namespaced',
    kind: kind.kind,
    verbs: verbsOf(kind),
    ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
    ...(kind.categories.length > 0 && { categories: kind.categories }),
    ...(isStored(kind) && { storageVersionHash: storageVersionHash(kind) }),
  } as { readonly name: string }
}

/** A subresource of another group version than its resource's says its own. */
function subresourceRow(kind: Kind, sub: Subresource): { readonly name: string } {
  const own = groupVersionOf(sub.apiVersion)
  const elsewhere = own.group !== kind.group || own.version !== kind.version
  return {
    name: `${kind.plural}/${sub.name}`,
    singularName: '',
    namespaced: kind.scope === 'Namespaced',
    ...(elsewhere && own),
    kind: sub.kind,
    verbs: [...sub.verbs].sort(),
  } as { readonly name: string }
}

function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf('/')
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) }
}

/** What can only be read is made at each request; what can only be created is evaluated. */
function isStored({ verbs }: Kind): boolean {
  return verbs.includes('get') && verbs.includes('create')
}

/**
 * The first eight bytes of SHA-256 of `<group>/<version>/<Kind>` of the stored version, in base64: clients compare it to see
 * that objects are stored in another version.
 */
export function storageVersionHash(of: Kind): string {
  const stored = storedKind(of)
  const name = stored.hashedAs ?? `${stored.group}/${stored.version}`
  const digest = createHash('sha256').update(`${name}/${stored.kind}`).digest()
  return digest.subarray(0, 8).toString('base64')
}

/** Aggregated discovery: all named groups (`/apis`) or the core group (`/api`) with all of their resources in one document. */
export function aggregated(
  apiVersion: string,
  groups: readonly ServedGroup[],
  routes: RouteTable,
  remote?: RemoteServerMap,
): object {
  const items = groups.map(({ group, versions }) => ({
    metadata: { ...(group !== '' && { name: group }), creationTimestamp: null },
    versions: versions.map((version) => {
      const path = versionPath(group, version)
      const server = remote?.get(path)
      if (server !== undefined) return remoteEntry(version, server.discovery)
      const resources = aggregatedResources(routes.get(path)?.values() ?? [])
      return { version, resources, freshness: 'Current' }
    }),
  }))
  return { kind: 'APIGroupDiscoveryList', apiVersion, metadata: {}, items }
}

/** What another server last said that it serves. */
function remoteEntry(version: string, discovery: RemoteDiscovery | undefined): object {
  const { isCurrent = false, resources = [] } = discovery ?? {}
  return {
    version,
    ...(resources.length > 0 && { resources }),
    freshness: isCurrent ? 'Current' : 'Stale',
  }
}

/** Resources by plural; kinds of the same group version as their resource are not repeated. */
function aggregatedResources(kinds: Iterable<Kind>): readonly object[] {
  return [...kinds]
    .sort((a, b) => (a.plural < b.plural ? -1 : 1))
    .map((kind) => ({
      resource: kind.plural,
      responseKind: { group: '', version: '', kind: kind.kind },
      scope: kind.scope,
      singularResource: kind.singular,
      verbs: verbsOf(kind),
      ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
      ...(kind.categories.length > 0 && { categories: kind.categories }),
      ...subresourcesOf(kind),
    }))
}

function subresourcesOf(kind: Kind): object {
  const subresources = servedSubresources(kind).map((sub) => {
    const own = groupVersionOf(sub.apiVersion)
    const same = own.group === kind.group && own.version === kind.version
    const responseKind = { ...(same ? { group: '', version: '' } : own), kind: sub.kind }
    return { subresource: sub.name, responseKind, verbs: [...sub.verbs].sort() }
  })
  return subresources.length === 0 ? {} : { subresources }
}

/** Sorted by name, but for custom resources, whose verbs come in the order that public clients see (supplement S-08). */
function verbsOf({
  verbs,
  customResource: custom,
}: Pick<Kind, 'verbs' | 'customResource'>): readonly string[] {
  return custom === undefined ? [...verbs].sort() : verbs
}
