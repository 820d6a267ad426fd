/**
 * Counting pods exactly once. A pod that ended is named in the status before its finalizer goes, and is counted when it has none: whenever the
 * controller stops and begins again, the two together say what is counted.
 */
import type { JobStatus } from '../../../../generated/apis/batch/v1/job.ts'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { type AssessedJob, hasPlace } from './assess-job.ts'
import { countIndexes, hasIndex, printIndexes, withIndexes } from './index-ranges.ts'
import { indexOf, isHeld, isIndexed } from './job-rules.ts'
import type { EndOfJob } from './observed-job.ts'
import { hasFailed, judgeFailure } from './pod-failures.ts'

/** How many pods the status names at a time. */
const mostUncounted = 500

/** The counts of a job with the pods that ended since. */
export interface CountedPods {
  readonly status: JobStatus
  readonly changed: boolean
  /** Pods that may go once the status is written. */
  readonly release: readonly Stored<Pod>[]
  /** False if there were too many to name. */
  readonly complete: boolean
}

/** The job, and why it is over: then all of its pods are counted, however they end. */
export interface PodsToCount {
  readonly assessed: AssessedJob
  readonly end: EndOfJob | undefined
}

/** Names the pods that ended in the status, and counts those that are released already. */
export function countPods({ assessed, end }: PodsToCount): CountedPods {
  const { job, pods, rules, indexes } = assessed
  const held = pods.filter((pod) => isHeld(pod, rules))
  const uids = new Set(held.map(({ metadata }) => metadata.uid))
  const { status: before, changed } = countReleased(job.status ?? {}, uids)
  const { succeeded = [], failed = [] } = job.status?.uncountedTerminatedPods ?? {}
  const known = { succeeded: new Set(succeeded), failed: new Set(failed) }
  const uncounted = {
    succeeded: [...(before.uncountedTerminatedPods?.succeeded ?? [])],
    failed: [...(before.uncountedTerminatedPods?.failed ?? [])],
  }
  const done: number[] = []
  const release: Stored<Pod>[] = []
  const named = uncounted.succeeded.length + uncounted.failed.length
  let count = named
  for (const pod of isIndexed(job) ? byIndex(held, assessed) : held) {
    const { uid } = pod.metadata
    const isFailed = hasFailed(pod, job, rules)
    if (!mayGo(pod, isFailed, assessed, end)) continue
    release.push(pod)
    if (pod.status?.phase === 'Succeeded' && !known.failed.has(uid)) {
      const index = indexOf(pod, rules) ?? Infinity
      if (indexes === undefined && !known.succeeded.has(uid)) uncounted.succeeded.push(uid)
      else if (indexes && hasPlace(pod, job, rules) && !hasIndex(indexes.completed, index))
        done.push(index)
    } else if (isFailed || end !== undefined) {
      const counts = hasPlace(pod, job, rules) && judgeFailure(pod, job, rules).counts
      if (counts && !known.failed.has(uid)) uncounted.failed.push(uid)
    }
    count = done.length + uncounted.succeeded.length + uncounted.failed.length
    if (count >= mostUncounted) break
  }
  const counted: JobStatus = { ...before, uncountedTerminatedPods: listsOf(uncounted) }
  const status = indexes ? { ...counted, ...indexedStatus(assessed, done) } : counted
  const hasOther =
    indexes !== undefined &&
    ((status.completedIndexes ?? '') !== (job.status?.completedIndexes ?? '') ||
      status.failedIndexes !== job.status?.failedIndexes)
  return {
    ...{ status, release, complete: count < mostUncounted },
    changed: changed || count > named || hasOther,
  }
}

/** Counts pods that are named in the status and held no longer. */
export function countReleased(
  status: JobStatus,
  held: ReadonlySet<string>,
): { readonly status: JobStatus; readonly changed: boolean } {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {}
  const left = {
    succeeded: succeeded.filter((uid) => held.has(uid)),
    failed: failed.filter((uid) => held.has(uid)),
  }
  const [good, bad] = [succeeded.length - left.succeeded.length, failed.length - left.failed.length]
  return {
    status: {
      ...status,
      ...(good > 0 && { succeeded: (status.succeeded ?? 0) + good }),
      ...(bad > 0 && { failed: (status.failed ?? 0) + bad }),
      uncountedTerminatedPods: listsOf(left),
    },
    changed: good + bad > 0,
  }
}

function listsOf({
  succeeded,
  failed,
}: Record<'succeeded' | 'failed', readonly string[]>): NonNullable<
  JobStatus['uncountedTerminatedPods']
> {
  return { ...(succeeded.length > 0 && { succeeded }), ...(failed.length > 0 && { failed }) }
}

/** True for a pod that is held for nothing any more, once it is counted. */
function mayGo(
  pod: Stored<Pod>,
  isFailed: boolean,
  { job, indexes, rules }: AssessedJob,
  end: EndOfJob | undefined,
): boolean {
  if (job.metadata.deletionTimestamp !== undefined || end !== undefined) return true
  if (pod.status?.phase === 'Succeeded') return true
  const awaiting = indexes?.awaiting.get(indexOf(pod, rules) ?? Infinity)
  return isFailed && awaiting?.metadata.uid !== pod.metadata.uid
}

/** So that completed indexes are named in order. */
function byIndex(pods: readonly Stored<Pod>[], { rules }: AssessedJob): readonly Stored<Pod>[] {
  const ranked = pods.map((pod) => ({ pod, index: indexOf(pod, rules) ?? -1 }))
  return ranked.sort((a, b) => a.index - b.index).map(({ pod }) => pod)
}

/** Of an indexed job the indexes are what counts, not the pods. */
function indexedStatus({ indexes }: AssessedJob, done: readonly number[]): JobStatus {
  const { succeeded = [], failed } = indexes ?? {}
  const all = withIndexes(succeeded, done)
  return {
    succeeded: countIndexes(all),
    completedIndexes: printIndexes(all),
    ...(failed && { failedIndexes: printIndexes(failed) }),
  }
}
