/** What the status of a quota says is in use, and what it leaves. */
import type { ResourceQuota } from '../../../../generated/apis/core/v1/resource-quota.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { compareQuantities } from '../../../kernel/values/quantity.ts'
import {
  addResources,
  isPositive,
  parseResourceList,
  pickResources,
  printResourceList,
  type ResourceList,
} from '../../../pods/pods.ts'

/** The names of the resources that a quota limits, sorted. */
export function limitedResources({ spec }: ResourceQuota): readonly string[] {
  return Object.keys(spec?.hard ?? {}).sort()
}

/** The resources in use by the status. */
export function usedResources({ status }: ResourceQuota): ResourceList {
  return parseResourceList(status?.used)
}

/** The quota with another status: its limits, and what is in use of them. */
export function withUsed(quota: ResourceQuota, used: ResourceList): ResourceQuota {
  const limited = printResourceList(pickResources(used, limitedResources(quota)))
  return { ...quota, status: { ...quota.status, hard: quota.spec?.hard ?? {}, used: limited } }
}

/** True if the status is current and leaves enough for the request. */
export function hasRoom(quota: ResourceQuota, requested: ResourceList): boolean {
  if (!isStatusCurrent(quota)) return false
  return exceeded(quota, requested, addResources(usedResources(quota), requested)).length === 0
}

/**
 * True if the status is about the limits of the spec. A quota whose status was never written, or
 * that has other limits by now, is counted anew before it is charged.
 */
export function isStatusCurrent({ spec, status }: ResourceQuota): boolean {
  const hard = spec?.hard ?? {}
  const used = status?.used ?? {}
  const hasAll = Object.keys(hard).every((name) => Object.hasOwn(used, name))
  return hasAll && deepEqual(status?.hard ?? {}, hard)
}

/**
 * The requested resources of which more would be in use than the quota allows. Only what the
 * request adds to can exceed: a quota that was lowered below its use does not keep other changes
 * out.
 */
export function exceeded(
  quota: ResourceQuota,
  requested: ResourceList,
  next: ResourceList,
): readonly string[] {
  const hard = parseResourceList(quota.spec?.hard)
  return limitedResources(quota).filter((name) => {
    const [limit, used, more] = [hard.get(name), next.get(name), requested.get(name)]
    if (limit === undefined || used === undefined || more === undefined) return false
    return isPositive(more) && compareQuantities(used, limit) > 0
  })
}
