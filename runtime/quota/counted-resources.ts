/** By which names quotas limit what objects use. */
import { type AnyKind, resourceName } from '../kernel/descriptors/kind.ts'

/** Resources of the core group that quotas also name without `count/`. */
export const countedByPlural: readonly string[] = [
  'configmaps',
  'secrets',
  'replicationcontrollers',
  'resourcequotas',
]

/** What containers request and are limited to, beside what clusters add. */
export const computeResources: readonly string[] = ['cpu', 'memory', 'ephemeral-storage']

const ofPods = new Set([
  'pods',
  ...computeResources.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
])
const ofServices = new Set(['services', 'services.nodeports', 'services.loadbalancers'])
/** Names of storage classes come first. */
const ofClaims = /(^|\.storageclass\.storage\.[^/]+\/)(persistentvolumeclaims|requests\.storage)$/
const ofPodsByPrefix = /^(requests\.)?hugepages-|^requests\.[^/]+\//

/** The names that quotas limit by what objects use them, which are called by resource: `pods`, `widgets.example.com`. Names of nothing are left out. */
export function namesByResource(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const name of names) {
    const resource = resourceOf(name)
    if (resource !== undefined && !found.get(resource)?.push(name)) found.set(resource, [name])
  }
  return found
}

function resourceOf(name: string): string | undefined {
  if (name.startsWith('count/')) return name.slice('count/'.length)
  if (ofServices.has(name)) return 'services'
  if (ofClaims.test(name)) return 'persistentvolumeclaims'
  if (ofPods.has(name) || ofPodsByPrefix.test(name)) return 'pods'
  return countedByPlural.includes(name) ? name : undefined
}

const needed = ['create', 'delete', 'list', 'watch'] as const

/** True for kinds whose objects quotas count: they stand in namespaces, come and go. Events are let be. */
export function isQuotable({ group, plural, scope, verbs }: AnyKind): boolean {
  if (plural === 'events' && (group === '' || group.startsWith('events.'))) return false
  return scope === 'Namespaced' && needed.every((verb) => verbs.includes(verb))
}

/** The kinds that quotas count, by resource: the first one of each that is served in several versions. */
export function quotableKinds(served: Iterable<AnyKind>): ReadonlyMap<string, AnyKind> {
  const kinds = new Map<string, AnyKind>()
  for (const kind of served) {
    const resource = resourceName(kind)
    if (isQuotable(kind) && !kinds.has(resource)) kinds.set(resource, kind)
  }
  return kinds
}
