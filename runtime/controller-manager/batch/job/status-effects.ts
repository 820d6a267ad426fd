import { type Job, type JobStatus, jobs } from '../../../../generated/apis/batch/v1/job.ts'
import { timestamp } from '../../../kernel/async/clock.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import type { KeyContext } from '../../../reconcile/reconcile.ts'
import type { AssessedJob } from './assess-job.ts'
import { countReleased } from './count-pods.ts'
import type { StatusPlan } from './decide-status.ts'
import { putCondition } from './job-conditions.ts'
import type { JobMetrics } from './job-metrics.ts'
import { isHeld } from './job-rules.ts'
import type { EndOfJob } from './observed-job.ts'
import { releasePod } from './pod-effects.ts'
import { hasFailed, judgeFailure } from './pod-failures.ts'

/** What the status of a job is recorded with. */
export interface StatusContext extends KeyContext {
  /** Hears that the pods that ended are in the status. */
  readonly counted: () => void
  readonly metrics: JobMetrics
}

/**
 * Writes the status of a job, releases the pods that it names, and writes the status once more that counts them. Each write has the version of
 * the job that was looked at.
 *
 * @throws StatusError `Conflict` if the job has changed meanwhile, and what else kept a pod from being released.
 */
export async function recordStatus(
  plan: StatusPlan,
  { job, pods, rules }: AssessedJob,
  context: StatusContext,
): Promise<void> {
  const { client, clock, event, signal, metrics } = context
  const write = async (at: Stored<Job>, status: JobStatus): Promise<Stored<Job>> => {
    const written = await client.resource(jobs).updateStatus({ ...at, status }, {}, signal)
    metrics.statusWritten(job, at.status ?? {}, status)
    return written
  }
  let current = job
  if (plan.changed) {
    current = await write(job, plan.status)
    context.counted()
  }
  const held = new Set(pods.filter((pod) => isHeld(pod, rules)).map(({ metadata }) => metadata.uid))
  const settled = await Promise.allSettled(
    plan.release.map((pod) => releasePod(pod, rules, context)),
  )
  for (const [at, { status }] of settled.entries()) {
    if (status !== 'fulfilled') continue
    const pod = plan.release[at]!
    held.delete(pod.metadata.uid)
    const { action } = hasFailed(pod, job, rules) ? judgeFailure(pod, job, rules) : {}
    if (action !== undefined) metrics.failureHandled(action)
  }
  const counted = countReleased(plan.status, held)
  const wrong = settled.find((one) => one.status === 'rejected')
  const end = wrong === undefined && isAllCounted(counted.status) ? plan.end : undefined
  const now = clock.now()
  const status = end === undefined ? counted.status : endedStatus(counted.status, end, now)
  if (counted.changed || end !== undefined) await write(current, status)
  if (wrong !== undefined) throw wrong.reason
  if (end !== undefined) {
    metrics.jobEnded(job, end)
    for (const facts of endEvents(job, status, end)) event(job, facts)
  }
}

function isAllCounted({ uncountedTerminatedPods }: JobStatus): boolean {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {}
  return succeeded.length + failed.length === 0
}

function endedStatus(status: JobStatus, end: EndOfJob, now: number): JobStatus {
  const ended = putCondition(status, end, now)
  return end.type === 'Complete' ? { ...ended, completionTime: timestamp(now) } : ended
}

function endEvents({ spec }: Job, { succeeded = 0 }: JobStatus, end: EndOfJob) {
  const { type, reason, message } = end
  if (type !== 'Complete') return [{ type: 'Warning', reason, message } as const]
  const tooMany = 'Too many succeeded pods running after completion count reached'
  const surplus = spec?.completions !== undefined && succeeded > spec.completions
  return [
    ...(surplus
      ? [{ type: 'Warning', reason: 'TooManySucceededPods', message: tooMany } as const]
      : []),
    { type: 'Normal', reason: 'Completed', message: 'Job completed' } as const,
  ]
}
