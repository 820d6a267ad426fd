/** What is in use of a quota, counted anew. */
import type { ResourceQuota } from '../../../generated/apis/core/v1/resource-quota.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { compareQuantities, type Quantity } from '../../kernel/values/quantity.ts'
import { countQuantity, type ResourceList } from '../../pods/pods.ts'
import {
  addUsage,
  isScoped,
  isStatusCurrent,
  limitedResources,
  matchesScopes,
  namesByResource,
  type Usage,
  usedResources,
  withUsed,
} from '../../quota/quota.ts'

/** The objects of a namespace that quotas count, and what each uses. */
export interface Countable {
  readonly kind: AnyKind
  readonly objects: readonly Stored<ApiObject>[]
  readonly usageOf: (object: Stored<ApiObject>) => Usage
}

/** What is to be written. */
export interface QuotaPlan {
  readonly write: Stored<ResourceQuota>
  /** True if less is in use than was said: what a creation has charged and not stored yet is not seen here. */
  readonly frees: boolean
}

/**
 * What the status of a quota is to say; undefined if it says so. A resource that nothing served uses keeps what was said of it.
 */
export function decideQuota(
  quota: Stored<ResourceQuota>,
  countableOf: (resource: string) => Countable | undefined,
  now: number,
): QuotaPlan | undefined {
  const totals = new Map<string, Quantity>()
  for (const [resource, names] of namesByResource(limitedResources(quota))) {
    const countable = countableOf(resource)
    if (countable === undefined) continue
    for (const name of names) totals.set(name, countQuantity(0))
    addAll(totals, quota, countable, now)
  }
  const write = withUsed(quota, totals)
  const [before, after] = [usedResources(quota), usedResources(write)]
  if (isStatusCurrent(quota) && areEqual(before, after)) return undefined
  return { write, frees: [...after].some(([name, one]) => isLess(one, before.get(name))) }
}

function addAll(
  totals: Map<string, Quantity>,
  quota: ResourceQuota,
  { kind, objects, usageOf }: Countable,
  now: number,
): void {
  const scoped = isScoped(quota)
  for (const object of objects) {
    if (!scoped || matchesScopes(quota, kind, object)) addUsage(totals, usageOf(object), now)
  }
}

function areEqual(one: ResourceList, other: ResourceList): boolean {
  const isThere = ([name, quantity]: readonly [string, Quantity]) => {
    const found = other.get(name)
    return found !== undefined && compareQuantities(quantity, found) === 0
  }
  return one.size === other.size && [...one].every(isThere)
}

function isLess(one: Quantity, other: Quantity | undefined): boolean {
  return other !== undefined && compareQuantities(one, other) < 0
}
