import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { hasEnded } from '../../pods/pods.ts'
import { certainlyPastMs } from '../contract/whole-seconds.ts'

/** True for a pod that has not finished and does not go. */
export function isActive(pod: Pod): boolean {
  return !hasEnded(pod) && pod.metadata.deletionTimestamp === undefined
}

/** True for a pod that serves: its Ready condition is True. */
export function isReady(pod: Pod): boolean {
  return readyCondition(pod) !== undefined
}

/** Since when a pod is ready, in milliseconds; undefined for one that is not ready, or does not say. */
export function readySince(pod: Pod): number | undefined {
  const since = Date.parse(readyCondition(pod)?.lastTransitionTime ?? '')
  return Number.isNaN(since) ? undefined : since
}

/** True for a pod that has been ready for more than so many seconds: for none, as soon as it is. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isReady(pod)) return false
  if (minReadySeconds === 0) return true
  const since = readySince(pod)
  return since !== undefined && since + minReadySeconds * 1000 < now
}

/** Milliseconds until the next of the pods that are ready has certainly been so for long enough; undefined if none will have been by waiting. */
export function nextAvailableMs(
  pods: readonly Stored<Pod>[],
  minReadySeconds: number,
  now: number,
): number | undefined {
  if (minReadySeconds === 0) return undefined
  const due = pods
    .filter((pod) => isReady(pod) && !isAvailable(pod, minReadySeconds, now))
    .map((pod) => certainlyPastMs(readySince(pod) ?? now, minReadySeconds, now))
  return due.length === 0 ? undefined : Math.max(0, Math.min(...due))
}

function readyCondition({ status }: Pod) {
  return status?.conditions?.find((one) => one.type === 'Ready' && one.status === 'True')
}
