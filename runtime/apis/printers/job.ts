/** What lists of Jobs and CronJobs show. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { CronJob, Job } from '../batch/job-shapes.ts'
import { formatAge, since } from './age.ts'
import { formatContainers, formatSelector } from './format.ts'

/** `1/3`: pods that finished well of those that must; without a number of them, one is enough. */
export function jobCompletions(object: ApiObject): string {
  const { spec, status } = object as Job
  const succeeded = status?.succeeded ?? 0
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`
  const parallelism = spec?.parallelism ?? 0
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

/** How long the job took, or has taken so far; empty before it begins. */
export function jobDuration(object: ApiObject, now: number): string {
  const { startTime, completionTime } = (object as Job).status ?? {}
  if (!startTime) return ''
  return formatAge((completionTime ? Date.parse(completionTime) : now) - Date.parse(startTime))
}

export function cronSuspended(object: ApiObject): string {
  const suspended = (object as CronJob).spec?.suspend
  return suspended === undefined ? '<unset>' : suspended ? 'True' : 'False'
}

export function cronActive(object: ApiObject): number {
  return (object as CronJob).status?.active?.length ?? 0
}

export function cronLastSchedule(object: ApiObject, now: number): string {
  const { lastScheduleTime } = (object as CronJob).status ?? {}
  return lastScheduleTime ? since(lastScheduleTime, now) : '<none>'
}

export function cronContainers(object: ApiObject): string {
  return formatContainers((object as CronJob).spec?.jobTemplate?.spec?.template, ({ name }) => name)
}

export function cronImages(object: ApiObject): string {
  return formatContainers(
    (object as CronJob).spec?.jobTemplate?.spec?.template,
    ({ image }) => image,
  )
}

export function cronSelector(object: ApiObject): string {
  return formatSelector((object as CronJob).spec?.jobTemplate?.spec?.selector)
}
