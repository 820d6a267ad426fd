/** What the indexes of an indexed job have come to. */
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import {
  countIndexes,
  hasIndex,
  type IndexRanges,
  parseIndexes,
  withIndexes,
} from './index-ranges.ts'
import {
  failuresBefore,
  ignoredBefore,
  indexOf,
  isHeld,
  type JobRules,
  limitPerIndex,
} from './job-rules.ts'
import type { EndOfJob, ObservedJob } from './observed-job.ts'
import { hasFailed, judgeFailure } from './pod-failures.ts'
import { endedAt } from './retry-delay.ts'

/** The indexes of a job. */
export interface AssessedIndexes {
  /** Those that the status has as completed. */
  readonly completed: IndexRanges
  /** The same, with those whose pods are not counted yet. */
  readonly succeeded: IndexRanges
  /** Undefined for a job whose indexes do not fail by themselves. */
  readonly failed: IndexRanges | undefined
  /** The failed pods that stay until another one has their index, and the count of its failures. */
  readonly awaiting: ReadonlyMap<number, Stored<Pod>>
  readonly end: EndOfJob | undefined
}

/** Sorts indexes by what became of their pods. */
export function assessIndexes(
  observed: ObservedJob,
  active: readonly Stored<Pod>[],
  rules: JobRules,
): AssessedIndexes {
  const { job, pods } = observed
  const { completions = 0 } = job.spec ?? {}
  const held = pods
    .filter((pod) => isHeld(pod, rules))
    .map((pod) => ({ pod, index: indexOf(pod, rules) ?? Infinity }))
    .filter(({ index }) => index < completions)
  const completed = parseIndexes(job.status?.completedIndexes ?? '', completions)
  const done = held.filter(({ pod }) => pod.status?.phase === 'Succeeded')
  const succeeded = withIndexes(completed, new Set(done.map(({ index }) => index)))
  const limit = limitPerIndex(job, rules)
  if (limit === undefined)
    return { completed, succeeded, failed: undefined, awaiting: new Map(), end: undefined }
  const lost = held.filter(({ pod }) => failsIndex(pod, observed, limit, rules))
  const before = parseIndexes(job.status?.failedIndexes ?? '', completions)
  const failed = withIndexes(before, new Set(lost.map(({ index }) => index)))
  const busy = new Set(active.map((pod) => indexOf(pod, rules)))
  const isOpen = (index: number) =>
    !busy.has(index) && !hasIndex(succeeded, index) && !hasIndex(failed, index)
  const open = held.filter(({ pod, index }) => hasFailed(pod, job, rules) && isOpen(index))
  return {
    ...{ completed, succeeded, failed },
    awaiting: lastOfEach(open, rules),
    end: endOf(observed, countIndexes(succeeded), countIndexes(failed)),
  }
}

function failsIndex(
  pod: Stored<Pod>,
  { job }: ObservedJob,
  limit: number,
  rules: JobRules,
): boolean {
  if (!hasFailed(pod, job, rules)) return false
  const { counts, failsIndex: isLast } = judgeFailure(pod, job, rules)
  return isLast || (counts && failuresBefore(pod, rules) >= limit)
}

/** Of each index the pod that failed last. */
function lastOfEach(
  failed: readonly { readonly pod: Stored<Pod>; readonly index: number }[],
  rules: JobRules,
): ReadonlyMap<number, Stored<Pod>> {
  const last = new Map<number, Stored<Pod>>()
  const tries = (pod: Pod) => failuresBefore(pod, rules) + ignoredBefore(pod, rules)
  for (const { pod, index } of failed) {
    const known = last.get(index)
    const isLater =
      known === undefined || (tries(known) <= tries(pod) && endedAt(pod) >= endedAt(known))
    if (isLater) last.set(index, pod)
  }
  return last
}

function endOf({ job }: ObservedJob, succeeded: number, failed: number): EndOfJob | undefined {
  const { maxFailedIndexes, completions = 0 } = job.spec ?? {}
  if (maxFailedIndexes !== undefined && failed > maxFailedIndexes) {
    const message = 'Job has exceeded the specified maximal number of failed indexes'
    return { type: 'Failed', reason: 'MaxFailedIndexesExceeded', message }
  }
  if (failed === 0 || failed + succeeded < completions) return undefined
  return { type: 'Failed', reason: 'FailedIndexes', message: 'Job has failed indexes' }
}
