/** Which pods of a job go, and which are made. */
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { youngestFirst } from '../../pods/deletion-order.ts'
import type { AssessedJob } from './assess-job.ts'
import { firstFree, mergeIndexes, withIndexes } from './index-ranges.ts'
import {
  failuresBefore,
  ignoredBefore,
  indexOf,
  isTerminating,
  replacesFailedOnly,
} from './job-rules.ts'
import { endedAt, waitAfter } from './retry-delay.ts'

/** How many pods one run creates or deletes. */
const mostAtOnce = 500

/** What is to become of the pods of a job. */
export type PodPlan =
  | { readonly is: 'keep' }
  /** The job is over: its active pods go, and are counted. */
  | { readonly is: 'stop'; readonly pods: readonly Stored<Pod>[] }
  /** There are too many pods: these go, and are not counted. */
  | { readonly is: 'delete'; readonly pods: readonly Stored<Pod>[] }
  /** So many pods are created, of these indexes where the job has them. */
  | {
      readonly is: 'create'
      readonly count: number
      readonly indexes: readonly number[] | undefined
    }
  /** Pods failed: no other is created for so many milliseconds. */
  | { readonly is: 'wait'; readonly ms: number }

const keep: PodPlan = { is: 'keep' }

/** What is to become of the pods of a job now. */
export function decidePods(assessed: AssessedJob, now: number): PodPlan {
  const { job, pods, active, end, rules } = assessed
  if (end !== undefined) return { is: 'stop', pods: active }
  if (job.metadata.deletionTimestamp !== undefined) return keep
  if (job.spec?.suspend === true) return deletion(active)
  const wanted = wantedPods(assessed)
  const surplus = surplusPods(assessed, Math.max(0, active.length - wanted))
  if (surplus.length > 0) return deletion(surplus.slice(0, mostAtOnce))
  const ending = replacesFailedOnly(job, rules) ? pods.filter(isTerminating).length : 0
  const missing = wanted - ending - active.length
  return missing > 0 ? creation(assessed, Math.min(missing, mostAtOnce), now) : keep
}

function deletion(pods: readonly Stored<Pod>[]): PodPlan {
  return pods.length === 0 ? keep : { is: 'delete', pods }
}

/** How many pods are to be active. Those of a job without a number of completions stay as they are after the first success. */
function wantedPods({ job, active, succeeded }: AssessedJob): number {
  const { completions, parallelism = 1 } = job.spec ?? {}
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism
  return Math.max(0, Math.min(completions - succeeded, parallelism))
}

/** At least so many active pods, and those that have no index, or that of another one. */
function surplusPods(
  { job, active, indexes, rules }: AssessedJob,
  least: number,
): readonly Stored<Pod>[] {
  const surplus: Stored<Pod>[] = []
  let left: readonly Stored<Pod>[] = active
  if (indexes !== undefined) {
    const { completions = 0 } = job.spec ?? {}
    const byIndex = new Map<number, Stored<Pod>[]>()
    for (const pod of active) {
      const index = indexOf(pod, rules) ?? Infinity
      if (index >= completions) surplus.push(pod)
      else if (!byIndex.get(index)?.push(pod)) byIndex.set(index, [pod])
    }
    const sorted = [...byIndex.values()].map(youngestFirst)
    surplus.push(...sorted.flatMap((pods) => pods.slice(0, -1)))
    left = sorted.flatMap((pods) => pods.slice(-1))
  }
  return [...surplus, ...youngestFirst(left).slice(0, Math.max(0, least - surplus.length))]
}

function creation(assessed: AssessedJob, count: number, now: number): PodPlan {
  const { job, indexes, failures, rules } = assessed
  if (indexes?.failed === undefined) {
    const ms = waitAfter(failures, now)
    if (ms > 0) return { is: 'wait', ms }
  }
  if (indexes === undefined) return { is: 'create', count, indexes: undefined }
  const free = firstFree(takenIndexes(assessed), count, job.spec?.completions ?? 0)
  if (indexes.failed === undefined) return { is: 'create', count: free.length, indexes: free }
  const waits = free.map((index) => {
    const pod = indexes.awaiting.get(index)
    if (pod === undefined) return 0
    const tries = failuresBefore(pod, rules) + ignoredBefore(pod, rules) + 1
    return waitAfter({ failures: tries, lastMs: endedAt(pod) }, now)
  })
  const due = free.filter((_, at) => waits[at] === 0)
  if (due.length > 0) return { is: 'create', count: due.length, indexes: due }
  return waits.length > 0 ? { is: 'wait', ms: Math.min(...waits) } : keep
}

/** Indexes that no pod is made for: those that are done, failed for good, or have a pod. */
function takenIndexes({ job, pods, active, indexes, rules }: AssessedJob) {
  const ending = replacesFailedOnly(job, rules) ? pods.filter(isTerminating) : []
  const busy = new Set([...active, ...ending].map((pod) => indexOf(pod, rules)))
  busy.delete(undefined)
  const taken = withIndexes(indexes?.succeeded ?? [], busy as Set<number>)
  return mergeIndexes(taken, indexes?.failed ?? [])
}
