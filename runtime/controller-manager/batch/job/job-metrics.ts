import type { Job } from '../../../../generated/apis/batch/v1/job.ts'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import type { Metrics } from '../../../observe/observe.ts'
import type { EndOfJob } from './observed-job.ts'

/** What is counted of jobs and their pods. */
export interface JobMetrics {
  /** A job is over, and its status says so. */
  jobEnded(job: Job, end: EndOfJob): void
  /** A pod ended, and its finalizer is off. */
  podEnded(job: Job, pod: Pod): void
}

/** Counts under the names that dashboards of release 1.29 know. */
export function jobMetrics(metrics: Metrics): JobMetrics {
  const jobs = metrics.counter('job_controller_jobs_finished_total')
  const pods = metrics.counter('job_controller_job_pods_finished_total')
  const mode = ({ spec }: Job): string => spec?.completionMode ?? 'NonIndexed'
  return {
    jobEnded(job, { type, reason }) {
      const succeeded = type === 'Complete'
      jobs.add([mode(job), succeeded ? 'succeeded' : 'failed', succeeded ? '' : reason])
    },
    podEnded(job, { status }) {
      const { phase } = status ?? {}
      if (phase !== 'Succeeded' && phase !== 'Failed') return
      pods.add([mode(job), phase.toLowerCase()])
    },
  }
}
