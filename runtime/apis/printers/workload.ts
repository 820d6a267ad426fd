/** Cells of the kinds that keep or let pods run. */

import type { Deployment } from '../../../generated/apis/apps/v1/deployment.ts'
import type { CronJob } from '../../../generated/apis/batch/v1/cron-job.ts'
import type { Job } from '../../../generated/apis/batch/v1/job.ts'
import { controllerOf } from '../../kernel/meta/controller-of.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { formatAge } from '../../kernel/values/age.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'

/** `1/2`: ready pods of the desired ones. */
export function readyOfDesired({ spec, status }: LooseObject<Deployment>): string {
  return `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`
}

/** The controller that the revision is of: `daemonset.apps/web`. */
export function revisionController(revision: ApiObject): string {
  const owner = controllerOf(revision)
  if (owner === undefined) return '<none>'
  const [group, version] = owner.apiVersion.split('/')
  const kind = owner.kind.toLowerCase()
  return `${version === undefined ? kind : `${kind}.${group}`}/${owner.name}`
}

/** `1/3`: pods that finished well of those that must; without a number of them, one is enough. */
export function jobCompletions({ spec, status }: LooseObject<Job>): string {
  const succeeded = status?.succeeded ?? 0
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`
  const parallelism = spec?.parallelism ?? 0
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

/** How long the job took, or has taken so far; empty before it begins. */
export function jobDuration({ status }: LooseObject<Job>, now: number): string {
  const { startTime, completionTime } = status ?? {}
  if (!startTime) return ''
  return formatAge((completionTime ? Date.parse(completionTime) : now) - Date.parse(startTime))
}

/** Whether no more runs start. */
export function cronSuspended({ spec }: LooseObject<CronJob>): string {
  return spec?.suspend === undefined ? '<unset>' : spec.suspend ? 'True' : 'False'
}
