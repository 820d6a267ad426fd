/** How long a job waits after pods that failed, before it makes new ones. */
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'

/** The wait after the first failure, and the longest one. */
const firstMs = 10_000
const longestMs = 600_000

/** The failures since the last success, as far as they were seen. */
export interface FailureRecord {
  readonly failures: number
  /** When the last of them was. */
  readonly lastMs: number | undefined
}

export const noFailures: FailureRecord = { failures: 0, lastMs: undefined }

/** The record after further pods have ended. */
export function afterEnded(
  before: FailureRecord,
  succeeded: readonly Pod[],
  failed: readonly Pod[],
): FailureRecord {
  const times = failed.map(endedAt)
  if (succeeded.length === 0) {
    if (times.length === 0) return before
    return { failures: before.failures + times.length, lastMs: latest(times) }
  }
  const success = latest(succeeded.map(endedAt)) ?? 0
  const since = times.filter((time) => time > success)
  return { failures: since.length, lastMs: latest(since) }
}

/** Milliseconds until a pod may follow those that failed: ten seconds after one, twice as long after each further one. */
export function waitAfter({ failures, lastMs }: FailureRecord, now: number): number {
  if (failures === 0 || lastMs === undefined) return 0
  const wait = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 10))
  return Math.max(0, wait - (now - lastMs))
}

/** When a pod ended: by its containers, or when it was no longer ready, or when it was deleted, or else when it was made. */
export function endedAt(pod: Pod): number {
  const { metadata, status } = pod
  const unready = status?.conditions?.find((one) => one.type === 'Ready' && one.status === 'False')
  const deleted = Date.parse(metadata.deletionTimestamp ?? '')
  const times = [
    containersEndedAt(pod),
    Date.parse(unready?.lastTransitionTime ?? ''),
    deleted - (metadata.deletionGracePeriodSeconds ?? 0) * 1000,
    Date.parse(metadata.creationTimestamp ?? ''),
  ]
  return times.find((time) => !Number.isNaN(time)) ?? 0
}

/** When the last container ended; no number unless all have. */
function containersEndedAt({ status }: Pod): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) =>
    Date.parse(state?.terminated?.finishedAt ?? ''),
  )
  return ends.length === 0 ? Number.NaN : Math.max(...ends)
}

function latest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : times.reduce((one, other) => Math.max(one, other))
}
