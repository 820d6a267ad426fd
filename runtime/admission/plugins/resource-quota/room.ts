/** What the status of a quota leaves. */
import type { ResourceQuota } from '../../../../generated/apis/core/v1/resource-quota.ts'
import { compareQuantities } from '../../../kernel/values/quantity.ts'
import {
  addResources,
  isPositive,
  parseResourceList,
  type ResourceList,
} from '../../../pods/pods.ts'
import { isStatusCurrent, limitedResources, usedResources } from '../../../quota/quota.ts'

/** True if the status is current for what is requested and leaves enough for it. */
export function hasRoom(quota: ResourceQuota, requested: ResourceList): boolean {
  if (!isStatusCurrent(quota, [...requested.keys()])) return false
  return exceeded(quota, requested, addResources(usedResources(quota), requested)).length === 0
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
