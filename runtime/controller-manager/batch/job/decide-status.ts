/** What the status of a job says, and which of its pods are counted by it. */
import type { Job, JobStatus } from '../../../../generated/apis/batch/v1/job.ts'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import { timestamp } from '../../../kernel/async/clock.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import type { EventFacts } from '../../../recorder/recorder.ts'
import { isReady } from '../../pods/pod-state.ts'
import { type AssessedJob, startOf } from './assess-job.ts'
import { countPods } from './count-pods.ts'
import { putCondition } from './job-conditions.ts'
import { isTerminating } from './job-rules.ts'
import type { EndOfJob } from './observed-job.ts'

/** What came of the plan for the pods. */
export interface PodOutcome {
  /** How many active pods there are now. */
  readonly active: number
  /** False if pods of a job that is over could not be deleted: it is not over yet. */
  readonly stopped: boolean
}

/** What is to be written of a job. */
export interface StatusPlan {
  readonly status: JobStatus
  /** Whether the status differs from that of the job. */
  readonly changed: boolean
  /** Pods that the status counts: they are held no longer once it is written. */
  readonly release: readonly Stored<Pod>[]
  /** Why the job is over as soon as these pods are released. */
  readonly end: EndOfJob | undefined
  readonly events: readonly EventFacts[]
}

/** The status of a job before its pods are released, and what follows from it. */
export function decideStatus(assessed: AssessedJob, outcome: PodOutcome, now: number): StatusPlan {
  const { job, active, pods, rules } = assessed
  const end = endOf(assessed, outcome)
  const start = startOf(job, now)
  const suspension =
    end === undefined && assessed.end === undefined && job.metadata.deletionTimestamp === undefined
      ? suspensionOf(job, now)
      : undefined
  const ready = active.filter(isReady).length
  const terminating = rules.gates.has('JobPodReplacementPolicy')
    ? pods.filter(isTerminating).length
    : undefined
  const { status: before = {} } = job
  const counted = countPods({ assessed, end })
  const { terminating: _, ...kept } = counted.status
  const seen: JobStatus = {
    ...kept,
    ...(start !== undefined && { startTime: timestamp(start) }),
    ...suspension?.status,
    ...{ active: outcome.active, ready, ...(terminating !== undefined && { terminating }) },
  }
  const isTarget = end?.type === 'FailureTarget'
  const status = isTarget ? putCondition(seen, end, now) : seen
  return {
    status,
    changed:
      counted.changed ||
      isTarget ||
      suspension !== undefined ||
      outcome.active !== (before.active ?? 0) ||
      ready !== before.ready ||
      terminating !== before.terminating,
    release: counted.release,
    end: counted.complete ? (isTarget ? { ...end, type: 'Failed' } : end) : undefined,
    events: suspension?.events ?? [],
  }
}

/** Why the job is over, given what is left of its pods. */
function endOf(
  { job, end, succeeded }: AssessedJob,
  { active, stopped }: PodOutcome,
): EndOfJob | undefined {
  if (end !== undefined) return stopped ? end : undefined
  const { completions } = job.spec ?? {}
  const isDone = completions === undefined ? succeeded > 0 : succeeded >= completions
  return isDone && active === 0 ? { type: 'Complete', reason: '', message: '' } : undefined
}

/** The condition of a job that is suspended now, or no longer. */
function suspensionOf(
  { spec, status = {} }: Job,
  now: number,
): { readonly status: JobStatus; readonly events: readonly EventFacts[] } | undefined {
  const known = status.conditions?.find(({ type }) => type === 'Suspended')
  const suspended = spec?.suspend === true
  const word = suspended ? 'Suspended' : 'Resumed'
  if (known === undefined ? !suspended : known.reason === `Job${word}`) return undefined
  const message = `Job ${word.toLowerCase()}`
  const facts = { type: 'Suspended', reason: `Job${word}`, message } as const
  const { conditions = [] } = putCondition(status, facts, now, suspended ? 'True' : 'False')
  return {
    status: { conditions, ...(!suspended && { startTime: timestamp(now) }) },
    events: [{ type: 'Normal', reason: word, message }],
  }
}
