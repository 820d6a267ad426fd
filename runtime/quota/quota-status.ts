/** What the status of a quota says is in use. */
import type { ResourceQuota } from '../../generated/apis/core/v1/resource-quota.ts'
import { deepEqual } from '../kernel/values/deep-equal.ts'
import {
  parseResourceList,
  pickResources,
  printResourceList,
  type ResourceList,
} from '../pods/pods.ts'

/** The names of the resources that a quota limits, sorted. */
export function limitedResources({ spec }: ResourceQuota): readonly string[] {
  return Object.keys(spec?.hard ?? {}).sort()
}

/** The resources in use by the status. */
export function usedResources({ status }: ResourceQuota): ResourceList {
  return parseResourceList(status?.used)
}

/**
 * The quota with another status: its limits, and what is in use of them. What was not counted, since nothing of it is served, stays as it was
 * told before.
 */
export function withUsed<Q extends ResourceQuota>(quota: Q, counted: ResourceList): Q {
  const known = new Map([...usedResources(quota), ...counted])
  const used = printResourceList(pickResources(known, limitedResources(quota)))
  return { ...quota, status: { ...quota.status, hard: quota.spec?.hard ?? {}, used } }
}

/**
 * True if the status is about the limits of the spec, and says how much of these resources is in use. A quota whose status was
 * never written, or that has other limits by now, is counted anew before it is charged.
 */
export function isStatusCurrent(
  { spec, status }: ResourceQuota,
  names: readonly string[] = [],
): boolean {
  const used = status?.used ?? {}
  const isKnown = names.every((name) => Object.hasOwn(used, name))
  return isKnown && deepEqual(status?.hard ?? {}, spec?.hard ?? {})
}
