import type { Job, JobStatus } from '../../../../generated/apis/batch/v1/job.ts'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import type { Clock } from '../../../kernel/async/clock.ts'
import type { Metrics } from '../../../observe/observe.ts'
import { hasEnded } from '../../../pods/pods.ts'
import type { Change } from '../../../reconcile/reconcile.ts'
import type { PodPlan } from './decide-pods.ts'
import { countIndexes, parseIndexes } from './index-ranges.ts'
import { isHeld, isIndexed, type JobRules, limitPerIndex } from './job-rules.ts'
import type { EndOfJob } from './observed-job.ts'

/** A look at a job that is under way. */
export interface JobLook {
  /** What is done about its pods. */
  does(plan: PodPlan): void
  ended(failed: boolean): void
}

/** What is counted of jobs and their pods. */
export interface JobMetrics {
  look(job: Job, clock: Clock): JobLook
  /** A job is over, and its status says so. */
  jobEnded(job: Job, end: EndOfJob): void
  /** The status of a job was written: what it counts now and did not before. */
  statusWritten(job: Job, before: JobStatus, after: JobStatus): void
  /** A pod was to be created. */
  podCreated(job: Job, succeeded: boolean): void
  /** A pod that failed was released, and a rule with this action was why it counts or does not. */
  failureHandled(action: string): void
  /** A pod appeared, changed or went. */
  podChanged(change: Change<Pod>): void
}

const actions: Readonly<Record<PodPlan['is'], string>> = {
  ...{ keep: 'tracking', create: 'pods_created', wait: 'pods_created' },
  ...{ stop: 'pods_deleted', delete: 'pods_deleted' },
}

/** Counts under the names that dashboards of release 1.29 know. */
export function jobMetrics(metrics: Metrics, rules: JobRules): JobMetrics {
  const counter = (name: string) => metrics.counter(`job_controller_${name}`)
  const syncs = counter('job_syncs_total')
  const seconds = metrics.histogram('job_controller_job_sync_duration_seconds')
  const jobs = counter('jobs_finished_total')
  const pods = counter('job_pods_finished_total')
  const indexes = counter('job_finished_indexes_total')
  const created = counter('job_pods_creation_total')
  const handled = counter('pod_failures_handled_by_failure_policy_total')
  const tracked = counter('terminated_pods_tracking_finalizer_total')
  const isTracked = (pod: Pod | undefined): boolean =>
    pod !== undefined && hasEnded(pod) && isHeld(pod, rules)
  return {
    look(job, clock) {
      const begun = clock.monotonic()
      let action = 'reconciling'
      return {
        does(plan) {
          action = 'pods' in plan && plan.pods.length === 0 ? 'tracking' : actions[plan.is]
        },
        ended(failed) {
          const labels = [modeOf(job), failed ? 'error' : 'success', action]
          syncs.add(labels)
          seconds.observe(labels, (clock.monotonic() - begun) / 1000)
        },
      }
    },
    jobEnded(job, { type, reason }) {
      const succeeded = type === 'Complete'
      jobs.add([modeOf(job), succeeded ? 'succeeded' : 'failed', succeeded ? '' : reason])
    },
    statusWritten(job, before, after) {
      const limit = limitPerIndex(job, rules) === undefined ? 'global' : 'perIndex'
      for (const result of ['succeeded', 'failed'] as const) {
        const more = (after[result] ?? 0) - (before[result] ?? 0)
        if (more > 0) pods.add([modeOf(job), result], more)
      }
      if (!isIndexed(job)) return
      const finished = { succeeded: 'completedIndexes', failed: 'failedIndexes' } as const
      for (const [result, field] of Object.entries(finished)) {
        const more = indexCount(job, after[field]) - indexCount(job, before[field])
        if (more > 0) indexes.add([result, limit], more)
      }
    },
    podCreated(job, succeeded) {
      created.add([creationReason(job, rules), succeeded ? 'succeeded' : 'failed'])
    },
    failureHandled: (action) => handled.add([action]),
    podChanged({ type, object, before }) {
      const is = type !== 'deleted' && isTracked(object)
      const was = isTracked(type === 'deleted' ? object : before)
      if (is !== was) tracked.add([is ? 'add' : 'delete'])
    },
  }
}

function modeOf({ spec }: Job): string {
  return spec?.completionMode ?? 'NonIndexed'
}

function indexCount({ spec }: Job, text = ''): number {
  return countIndexes(parseIndexes(text, spec?.completions ?? 0))
}

/** Why pods of a job are created: others failed or go, where a policy says when they are replaced. */
function creationReason({ spec, status }: Job, { gates }: JobRules): string {
  const { terminating = 0, failed = 0 } = status ?? {}
  if (!gates.has('JobPodReplacementPolicy') || terminating + failed === 0) return 'new'
  const isLate = spec?.podReplacementPolicy === 'Failed'
  return isLate ? 'recreate_failed' : 'recreate_terminating_or_failed'
}
