/** What the status of a cron job says of the jobs that it started. */
import type { CronJob, CronJobStatus } from '../../../../generated/apis/batch/v1/cron-job.ts'
import type { Job } from '../../../../generated/apis/batch/v1/job.ts'
import type { ObjectReference } from '../../../../generated/apis/core/v1/common.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import type { EventFacts } from '../../../recorder/recorder.ts'

/** What is seen of the jobs. */
export interface ObservedRuns {
  readonly status: CronJobStatus
  readonly events: readonly EventFacts[]
  /** Active jobs that are not seen. */
  readonly missing: readonly ObjectReference[]
}

/** How a job ended; undefined for one that has not. */
export function endOfRun({ status }: Job): 'Complete' | 'Failed' | undefined {
  const end = status?.conditions?.find(
    (one) => (one.type === 'Complete' || one.type === 'Failed') && one.status === 'True',
  )
  return end?.type as 'Complete' | 'Failed' | undefined
}

/** Brings the list of active jobs, and the time of the last success, up to what is seen of the jobs. */
export function observeRuns(before: CronJobStatus, jobs: readonly Stored<Job>[]): ObservedRuns {
  const { active = [] } = before
  const events: EventFacts[] = []
  const ended = new Set<string>()
  let { lastSuccessfulTime: last } = before
  for (const job of jobs) {
    const { metadata, status } = job
    const end = endOfRun(job)
    const isActive = active.some(({ uid }) => uid === metadata.uid)
    if (end === undefined && !isActive) {
      const message = `Saw a job that the controller did not create or forgot: ${metadata.name}`
      events.push({ type: 'Warning', reason: 'UnexpectedJob', message })
    }
    if (end === undefined) continue
    if (isActive) {
      ended.add(metadata.uid)
      const message = `Saw completed job: ${metadata.name}, status: ${end}`
      events.push({ type: 'Normal', reason: 'SawCompletedJob', message })
    }
    const time = status?.completionTime
    if (time !== undefined && (last === undefined || Date.parse(time) > Date.parse(last)))
      last = time
  }
  const seen = new Set(jobs.map(({ metadata }) => metadata.uid))
  const left = active.filter(({ uid = '' }) => !ended.has(uid))
  return {
    status: {
      ...withActive(before, left),
      ...(last !== undefined && { lastSuccessfulTime: last }),
    },
    events,
    missing: left.filter(({ uid = '' }) => !seen.has(uid)),
  }
}

/** A status with another list of active jobs. */
export function withActive(
  { active: _, ...status }: CronJobStatus,
  active: readonly ObjectReference[],
): CronJobStatus {
  return active.length === 0 ? status : { ...status, active }
}

/** The oldest of the jobs that ended, beyond what the cron job keeps of those that succeeded and those that failed. */
export function decideHistory(
  { spec }: CronJob,
  jobs: readonly Stored<Job>[],
): readonly Stored<Job>[] {
  const beyond = (end: 'Complete' | 'Failed', most: number | undefined) => {
    const ended = jobs
      .filter((job) => endOfRun(job) === end && job.metadata.deletionTimestamp === undefined)
      .sort(byStart)
    return most === undefined ? [] : ended.slice(0, Math.max(0, ended.length - most))
  }
  return [
    ...beyond('Complete', spec?.successfulJobsHistoryLimit),
    ...beyond('Failed', spec?.failedJobsHistoryLimit),
  ]
}

/** By start, those that have not begun last, then by name. */
function byStart(one: Stored<Job>, other: Stored<Job>): number {
  const [a, b] = [one, other].map(({ status }) => Date.parse(status?.startTime ?? '') || Infinity)
  if (a !== b) return a! < b! ? -1 : 1
  return one.metadata.name < other.metadata.name ? -1 : 1
}
