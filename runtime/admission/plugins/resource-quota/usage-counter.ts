import type { ResourceQuota } from '../../../../generated/apis/core/v1/resource-quota.ts'
import type { Steps } from '../../../kernel/async/slices.ts'
import { type AnyKind, resourceName } from '../../../kernel/descriptors/kind.ts'
import type { Quantity } from '../../../kernel/values/quantity.ts'
import { addQuantities, countQuantity, type ResourceList } from '../../../pods/pods.ts'
import { ParsedObjects } from '../../chain/parsed-objects.ts'
import { type PluginContext, type StoredObject, servedKind } from '../../chain/plugin-context.ts'
import { limitedResources } from './quota-status.ts'
import { isScoped, matchesScopes } from './scopes.ts'
import { objectCountUsage, type Usage, usageOf } from './usage.ts'

/** Identifies an object in its namespace: `pods/web-1`. */
export function objectIdentity(kind: AnyKind, name: string): string {
  return `${resourceName(kind)}/${name}`
}

/** Costs in steps: reading an object, and adding a usage that is known already. */
const [readCost, addCost] = [100, 2]

/** One count of a quota: its totals so far, and the objects that are counted elsewhere. */
interface Count {
  readonly quota: ResourceQuota
  readonly except: ReadonlySet<string>
  readonly totals: Map<string, Quantity>
}

interface NamedUsage {
  readonly name: string
  readonly usage: Usage
}

/** Counts what the stored objects of a namespace use. Each version of an object is read once. */
export class UsageCounter {
  readonly #context: PluginContext
  readonly #usages = new Map<AnyKind, ParsedObjects<NamedUsage>>()
  /** The paths of one scheme by the names that quotas count them under. */
  #counted: { readonly routes: Routes; readonly paths: ReadonlyMap<string, string> } | undefined

  constructor(context: PluginContext) {
    this.#context = context
  }

  /**
   * The use of every resource that the quota limits, zeroes included, by the objects in its namespace except those with the
   * identities. Where only objects are counted, none is read.
   */
  *count(quota: ResourceQuota, except: ReadonlySet<string> = new Set()): Steps<ResourceList> {
    const names = limitedResources(quota)
    const totals = new Map(names.map((name) => [name, countQuantity(0)]))
    const count = { quota, except, totals }
    for (const [kind, own] of this.#namesByKind(names)) {
      const countNames = objectCountUsage(kind)
      const onlyCounts = !isScoped(quota) && own.every((name) => countNames.has(name))
      if (onlyCounts) this.#addNumber(kind, count)
      else yield* this.#addEach(kind, count)
    }
    return totals
  }

  /** Counts by the length of the list. Only identities that are stored are subtracted. */
  #addNumber(kind: AnyKind, { quota, except, totals }: Count): void {
    const { lister } = this.#context
    const { namespace } = quota.metadata
    const prefix = objectIdentity(kind, '')
    const isStored = (identity: string) =>
      lister.peek(kind, identity.slice(prefix.length), namespace) !== undefined
    const elsewhere = [...except].filter((one) => one.startsWith(prefix) && isStored(one))
    const number = countQuantity(lister.list(kind, namespace).length - elsewhere.length)
    for (const name of objectCountUsage(kind).keys()) if (totals.has(name)) totals.set(name, number)
  }

  *#addEach(kind: AnyKind, { quota, except, totals }: Count): Steps<void> {
    const { lister, clock } = this.#context
    const now = clock.now()
    const scoped = isScoped(quota)
    const usages = this.#usagesOf(kind)
    for (const stored of lister.list(kind, quota.metadata.namespace)) {
      yield scoped || !usages.has(stored) ? readCost : addCost
      if (scoped && !matchesScopes(quota, kind, stored.object())) continue
      const { name, usage } = usages.get(stored)
      if (except.has(objectIdentity(kind, name))) continue
      addLimited(totals, usage.count)
      if (now <= usage.activeUntil) addLimited(totals, usage.active)
    }
  }

  #usagesOf(kind: AnyKind): ParsedObjects<NamedUsage> {
    const { platform } = this.#context.scheme
    const usages =
      this.#usages.get(kind) ??
      new ParsedObjects((stored: StoredObject) => {
        const object = stored.object()
        return { name: object.metadata.name, usage: usageOf(kind, object, platform) }
      })
    this.#usages.set(kind, usages)
    return usages
  }

  /** The kinds whose objects use any of the resources, each with the names of these. */
  #namesByKind(names: readonly string[]): ReadonlyMap<AnyKind, readonly string[]> {
    const found = new Map<AnyKind, string[]>()
    for (const name of names) {
      const path = this.#pathOf(name)
      const kind = path === undefined ? undefined : servedKind(this.#context, path)
      if (kind === undefined) continue
      const own = found.get(kind)
      if (own === undefined) found.set(kind, [name])
      else own.push(name)
    }
    return found
  }

  /** Names of storage classes contain slashes and end in the resource; everything else is of pods. */
  #pathOf(name: string): string | undefined {
    if (name.startsWith('count/')) return this.#countedPath(name.slice('count/'.length))
    if (name.startsWith('services')) return 'api/v1/services'
    if (/^(configmaps|secrets|replicationcontrollers|resourcequotas)$/.test(name))
      return `api/v1/${name}`
    const ofClaims = /(^|\/)(persistentvolumeclaims|requests\.storage)$/
    return ofClaims.test(name) ? 'api/v1/persistentvolumeclaims' : 'api/v1/pods'
  }

  #countedPath(resource: string): string | undefined {
    const { routes } = this.#context.scheme
    if (this.#counted?.routes !== routes) this.#counted = { routes, paths: countedPaths(routes) }
    return this.#counted.paths.get(resource)
  }
}

type Routes = PluginContext['scheme']['routes']

/** The first path of each resource whose objects stand in namespaces. */
function countedPaths(routes: Routes): ReadonlyMap<string, string> {
  const paths = new Map<string, string>()
  for (const [path, kind] of Object.entries(routes)) {
    const name = resourceName(kind)
    if (kind.scope === 'Namespaced' && !paths.has(name)) paths.set(name, path)
  }
  return paths
}

function addLimited(totals: Map<string, Quantity>, list: ResourceList): void {
  for (const [name, quantity] of list) {
    const total = totals.get(name)
    if (total !== undefined) totals.set(name, addQuantities(total, quantity))
  }
}
