/** What a job has come to, as its pods and its status show it. */
import type { Job } from '../../../../generated/apis/batch/v1/job.ts'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { isActive } from '../../pods/pod-state.ts'
import { type AssessedIndexes, assessIndexes } from './assess-indexes.ts'
import { countIndexes } from './index-ranges.ts'
import { indexOf, isHeld, isIndexed, type JobRules } from './job-rules.ts'
import type { EndOfJob, ObservedJob } from './observed-job.ts'
import { hasFailed, judgeFailure } from './pod-failures.ts'
import { afterEnded } from './retry-delay.ts'

/** A job with what its pods make of it. */
export interface AssessedJob extends ObservedJob {
  readonly rules: JobRules
  readonly active: readonly Stored<Pod>[]
  /** Pods that finished well, whether they are counted or not. */
  readonly succeeded: number
  readonly indexes: AssessedIndexes | undefined
  /** Undefined unless it failed. */
  readonly end: EndOfJob | undefined
  /** Milliseconds until it has been active for too long. */
  readonly deadlineMs: number | undefined
}

/** When a job that is not suspended began: now, if it does now. */
export function startOf({ spec, status }: Job, now: number): number | undefined {
  if (status?.startTime !== undefined) return Date.parse(status.startTime)
  return spec?.suspend === true ? undefined : now
}

/** Counts the pods of a job, and says whether it failed. */
export function assessJob(observed: ObservedJob, rules: JobRules, now: number): AssessedJob {
  const { job, pods, failures } = observed
  const active = pods.filter(isActive)
  const uncounted = job.status?.uncountedTerminatedPods
  const succeeded = uncountedPods(observed, rules, uncounted?.succeeded).filter(
    ({ status }) => status?.phase === 'Succeeded',
  )
  const failed = uncountedPods(observed, rules, uncounted?.failed).filter((pod) =>
    hasFailed(pod, job, rules),
  )
  const counting = failed.filter((pod) => judgeFailure(pod, job, rules).counts)
  const failedCount = (job.status?.failed ?? 0) + counting.length + (uncounted?.failed?.length ?? 0)
  const succeededCount =
    (job.status?.succeeded ?? 0) + succeeded.length + (uncounted?.succeeded?.length ?? 0)
  const indexes = isIndexed(job) ? assessIndexes(observed, active, rules) : undefined
  const deadlineMs = deadlineOf(job, now)
  const end =
    targetOf(observed, rules) ??
    exceededLimit(observed, failedCount) ??
    (deadlineMs !== undefined && deadlineMs <= 0 ? pastDeadline : undefined) ??
    indexes?.end
  return {
    ...{ ...observed, rules, active, indexes, end, deadlineMs },
    failures: afterEnded(failures, succeeded, failed),
    succeeded: indexes === undefined ? succeededCount : countIndexes(indexes.succeeded),
  }
}

/** Pods that wait to be counted, without those that stand in the status already. */
function uncountedPods(
  { job, pods }: ObservedJob,
  rules: JobRules,
  listed: readonly string[] = [],
): readonly Stored<Pod>[] {
  const known = new Set(listed)
  return pods.filter(
    (pod) => isHeld(pod, rules) && !known.has(pod.metadata.uid) && hasPlace(pod, job, rules),
  )
}

/** True for a pod whose end counts: of an indexed job, one with an index that there is. */
export function hasPlace(pod: Pod, job: Job, rules: JobRules): boolean {
  return !isIndexed(job) || (indexOf(pod, rules) ?? Infinity) < (job.spec?.completions ?? 0)
}

/** The failure that a pod decided, now or before its job knew what became of the others. */
function targetOf({ job, pods }: ObservedJob, rules: JobRules): EndOfJob | undefined {
  if (!rules.gates.has('JobPodFailurePolicy')) return undefined
  const known = job.status?.conditions?.find(({ type }) => type === 'FailureTarget')
  if (known !== undefined) {
    const { reason = '', message = '' } = known
    return { type: 'Failed', reason, message }
  }
  if (job.spec?.podFailurePolicy === undefined) return undefined
  for (const pod of pods) {
    if (!hasFailed(pod, job, rules)) continue
    const { failsJob } = judgeFailure(pod, job, rules)
    if (failsJob !== undefined)
      return { type: 'FailureTarget', reason: 'PodFailurePolicy', message: failsJob }
  }
  return undefined
}

const pastDeadline: EndOfJob = {
  type: 'Failed',
  reason: 'DeadlineExceeded',
  message: 'Job was active longer than specified deadline',
}

/** Too many pods failed, or restarted their containers. */
function exceededLimit({ job, pods }: ObservedJob, failed: number): EndOfJob | undefined {
  const { backoffLimit = 0, template } = job.spec ?? {}
  const restarts = template?.spec?.restartPolicy === 'OnFailure' ? countRestarts(pods) : 0
  if (failed <= backoffLimit && (restarts === 0 || restarts < backoffLimit)) return undefined
  return {
    type: 'Failed',
    reason: 'BackoffLimitExceeded',
    message: 'Job has reached the specified backoff limit',
  }
}

function countRestarts(pods: readonly Stored<Pod>[]): number {
  const counts = pods
    .filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')
    .flatMap(({ status }) => [
      ...(status?.initContainerStatuses ?? []),
      ...(status?.containerStatuses ?? []),
    ])
    .map(({ restartCount }) => restartCount ?? 0)
  return counts.reduce((sum, count) => sum + count, 0)
}

function deadlineOf(job: Job, now: number): number | undefined {
  const { activeDeadlineSeconds, suspend } = job.spec ?? {}
  const start = startOf(job, now)
  if (activeDeadlineSeconds === undefined || suspend === true || start === undefined)
    return undefined
  return start + activeDeadlineSeconds * 1000 - now
}
