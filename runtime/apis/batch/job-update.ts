/** What of a job may change after it was created. */
import type { Job, JobSpec } from '../../../generated/apis/batch/v1/job.ts'
import type { PodTemplateSpec } from '../../../generated/apis/core/v1/pod.ts'
import type { Affinity } from '../../../generated/apis/core/v1/scheduling.ts'
import { change } from '../../kernel/values/change.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { Loose } from '../../kernel/walker/loose.ts'

/**
 * Reports what a new specification may not change of the old one; the schema names what never
 * changes.
 * Completions come before the template. A job that is suspended and has never started may change
 * where its pods run, and their labels and annotations; resuming it in the same update is allowed
 * (supplement I-14).
 */
export function checkJobUpdate(job: Field<Job>): void {
  const spec = job.child('spec')
  checkCompletions(spec, job.old?.spec ?? {})
  const old = job.old?.spec?.template
  const { template } = spec.value
  const waiting = job.old?.spec?.suspend === true && !job.old.status?.startTime
  const allowed = waiting && template && old ? withScheduling(template, old) : template
  if (!deepEqual(allowed, old)) spec.invalid('template', 'field is immutable')
}

/** An indexed job grows and shrinks, with as many pods at once as there are indexes; that it says how many is judged elsewhere. */
function checkCompletions(spec: Field<JobSpec>, old: Loose<JobSpec>) {
  const { completions, completionMode, parallelism } = spec.value
  if (completions === old.completions) return
  if (completionMode !== 'Indexed') return spec.invalid('completions', 'field is immutable')
  if (completions === undefined || completions === parallelism) return
  spec.invalid('completions', 'can only be modified in tandem with spec.parallelism')
}

type Template = Loose<PodTemplateSpec>
type Attraction = Loose<Affinity> | undefined

/** The old affinity where the new one differs from it in nodes only, which may be absent as a whole. */
function withNodes(affinity: Attraction, old: Attraction): Attraction {
  const { nodeAffinity: _, ...others } = affinity ?? {}
  const { nodeAffinity: __, ...before } = old ?? {}
  return deepEqual(others, before) ? old : affinity
}

/** The template with the old values of what a suspended job may change: where its pods may run. */
function withScheduling(template: Template, old: Template): Template {
  const { nodeSelector, tolerations, schedulingGates } = old.spec ?? {}
  const { labels, annotations } = old.metadata ?? {}
  const affinity = withNodes(template.spec?.affinity, old.spec?.affinity)
  const kept = { affinity, nodeSelector, tolerations, schedulingGates }
  return change(template, {
    spec: change(template.spec ?? {}, kept),
    metadata: change(template.metadata ?? {}, { labels, annotations }),
  })
}
