/** What all objects of a namespace use of what a quota counts, from the objects themselves. */
import type { ResourceQuota } from '../../../../generated/apis/core/v1/resource-quota.ts'
import type { Steps } from '../../../kernel/async/slices.ts'
import { type AnyKind, resourceName } from '../../../kernel/descriptors/kind.ts'
import type { Quantity } from '../../../kernel/values/quantity.ts'
import { type PluginContext, type StoredObject, servedKind } from '../../chain/plugin-context.ts'
import { addQuantities, countQuantity, type ResourceList } from '../pods/resource-lists.ts'
import { matchesScopes, scopesOf } from './scopes.ts'
import { objectCountUsage, type Usage, usageOf } from './usage.ts'

/** The names that a quota limits. */
export function limitedResources({ spec }: ResourceQuota): readonly string[] {
  return Object.keys(spec?.hard ?? {}).sort()
}

/** Only the amounts of these names. */
export function pickResources(amounts: ResourceList, names: readonly string[]): ResourceList {
  return new Map(
    names.flatMap((name) => {
      const amount = amounts.get(name)
      return amount === undefined ? [] : [[name, amount] as const]
    }),
  )
}

/** Tells an object from all others of its namespace. */
export function objectIdentity(kind: AnyKind, name: string): string {
  return `${resourceName(kind)}/${name}`
}

/** Reading an object; adding what is known of one. */
const [workOfReading, workOfAdding] = [100, 2]

/**
 * Counts what is used of everything that the quota limits, zeroes included; `except` names objects that count elsewhere. An
 * object is read once for each of its versions, and only if more is limited than how many there are.
 */
export function* countUsage(
  world: PluginContext,
  quota: ResourceQuota,
  except: ReadonlySet<string> = new Set(),
): Steps<ResourceList> {
  const names = limitedResources(quota)
  const used = new Map(names.map((name) => [name, countQuantity(0)]))
  for (const [kind, own] of namesByKind(world, names)) {
    const place = objectCountUsage(kind)
    const alike = !isScoped(quota) && own.every((name) => place.has(name))
    if (alike) addAll(world, quota, kind, except, used)
    else yield* addEach(world, quota, kind, except, used)
  }
  return used
}

function isScoped(quota: ResourceQuota): boolean {
  return scopesOf(quota).length > 0
}

type Totals = Map<string, Quantity>

/** Counts objects that are all alike: by how many there are. */
function addAll(
  { lister }: PluginContext,
  { metadata: { namespace } }: ResourceQuota,
  kind: AnyKind,
  except: ReadonlySet<string>,
  used: Totals,
): void {
  const start = objectIdentity(kind, '')
  const elsewhere = [...except].filter(
    (one) =>
      one.startsWith(start) && lister.peek(kind, one.slice(start.length), namespace) !== undefined,
  )
  const count = countQuantity(lister.list(kind, namespace).length - elsewhere.length)
  for (const name of objectCountUsage(kind).keys()) if (used.has(name)) used.set(name, count)
}

function* addEach(
  { lister, scheme, clock }: PluginContext,
  quota: ResourceQuota,
  kind: AnyKind,
  except: ReadonlySet<string>,
  used: Totals,
): Steps<void> {
  const now = clock.now()
  const scoped = isScoped(quota)
  for (const stored of lister.list(kind, quota.metadata.namespace)) {
    yield scoped || !known.has(stored) ? workOfReading : workOfAdding
    if (scoped && !matchesScopes(quota, kind, stored.object())) continue
    const { name, usage } = parsedUsage(kind, stored, scheme.platform)
    if (except.has(objectIdentity(kind, name))) continue
    addTo(used, usage.place)
    if (now <= usage.until) addTo(used, usage.more)
  }
}

/** Adds what is counted of some amounts. */
function addTo(used: Totals, amounts: ResourceList): void {
  for (const [name, amount] of amounts) {
    const before = used.get(name)
    if (before !== undefined) used.set(name, addQuantities(before, amount))
  }
}

interface ParsedUsage {
  readonly name: string
  readonly usage: Usage
}

const known = new WeakMap<StoredObject, ParsedUsage>()

function parsedUsage(
  kind: AnyKind,
  stored: StoredObject,
  platform: PluginContext['scheme']['platform'],
): ParsedUsage {
  const before = known.get(stored)
  if (before !== undefined) return before
  const object = stored.object()
  const found = { name: object.metadata.name ?? '', usage: usageOf(kind, object, platform) }
  known.set(stored, found)
  return found
}

/** The kinds of which objects use any of these names, each with those. */
function namesByKind(
  world: PluginContext,
  names: readonly string[],
): ReadonlyMap<AnyKind, readonly string[]> {
  const found = new Map<AnyKind, string[]>()
  for (const name of names) {
    const path = pathOf(world, name)
    const kind = path === undefined ? undefined : servedKind(world, path)
    if (kind !== undefined) found.set(kind, [...(found.get(kind) ?? []), name])
  }
  return found
}

function pathOf(world: PluginContext, name: string): string | undefined {
  if (name.startsWith('count/')) return countedPath(world, name.slice('count/'.length))
  if (name.startsWith('services')) return 'api/v1/services'
  if (/^(configmaps|secrets|replicationcontrollers|resourcequotas)$/.test(name))
    return `api/v1/${name}`
  const claims = /(^|\/)(persistentvolumeclaims|requests\.storage)$/
  return claims.test(name) ? 'api/v1/persistentvolumeclaims' : 'api/v1/pods'
}

function countedPath({ scheme }: PluginContext, resource: string): string | undefined {
  return Object.keys(scheme.routes).find((path) => {
    const kind = scheme.routes[path]
    return kind?.scope === 'Namespaced' && resourceName(kind) === resource
  })
}
