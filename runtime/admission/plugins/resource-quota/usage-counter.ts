import type { ResourceQuota } from '../../../../generated/apis/core/v1/resource-quota.ts'
import type { Steps } from '../../../kernel/async/slices.ts'
import { type AnyKind, resourceName } from '../../../kernel/descriptors/kind.ts'
import type { Quantity } from '../../../kernel/values/quantity.ts'
import { countQuantity, type ResourceList } from '../../../pods/pods.ts'
import {
  addUsage,
  isScoped,
  limitedResources,
  matchesScopes,
  namesByResource,
  objectCountUsage,
  quotableKinds,
  type Usage,
  usageOf,
} from '../../../quota/quota.ts'
import { ParsedObjects } from '../../chain/parsed-objects.ts'
import type { PluginContext, StoredObject } from '../../chain/plugin-context.ts'

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
  /** What the routes of one scheme serve and quotas count, by resource. */
  #counted: { readonly routes: Routes; readonly kinds: ReadonlyMap<string, AnyKind> } | undefined

  constructor(context: PluginContext) {
    this.#context = context
  }

  /**
   * The use of every resource that the quota limits and something served uses, zeroes included, by the objects in its namespace
   * except those with the identities. Where only objects are counted, none is read.
   */
  *count(quota: ResourceQuota, except: ReadonlySet<string> = new Set()): Steps<ResourceList> {
    const totals = new Map<string, Quantity>()
    const count = { quota, except, totals }
    const kinds = this.#quotableKinds()
    for (const [resource, own] of namesByResource(limitedResources(quota))) {
      const kind = kinds.get(resource)
      if (kind === undefined) continue
      for (const name of own) totals.set(name, countQuantity(0))
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
      addUsage(totals, usage, now)
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

  #quotableKinds(): ReadonlyMap<string, AnyKind> {
    const { routes } = this.#context.scheme
    if (this.#counted?.routes !== routes)
      this.#counted = { routes, kinds: quotableKinds(Object.values(routes)) }
    return this.#counted.kinds
  }
}

type Routes = PluginContext['scheme']['routes']
