/** What of a job may change after it was created. */

import type { FieldError } from '../../kernel/validation/field-error.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { change } from '../strategy/change.ts'
import { invalid } from '../types/field-errors.ts'
import type { PodTemplate } from '../types/shapes.ts'
import type { Job, JobSpec } from './job-shapes.ts'

/** Everything that a new specification may not change of the old one; the schema names what never changes. */
export function checkJobUpdate(spec: JobSpec, old: Job): readonly FieldError[] {
  return [...checkCompletions(spec, old.spec ?? {}), ...checkTemplateUpdate(spec.template, old)]
}

/** An indexed job grows and shrinks, with as many pods at once as there are indexes. */
function checkCompletions(spec: JobSpec, old: JobSpec): readonly FieldError[] {
  const { completions } = spec
  if (completions === old.completions) return []
  const path = 'spec.completions'
  if (spec.completionMode !== 'Indexed') return [invalid(path, completions, 'field is immutable')]
  if (completions === spec.parallelism) return []
  return [invalid(path, completions, 'can only be modified in tandem with spec.parallelism')]
}

/** Where the pods may run can change until the first of them was started. */
function checkTemplateUpdate(template: PodTemplate | undefined, old: Job): readonly FieldError[] {
  const before = old.spec?.template
  const waiting = old.spec?.suspend === true && !old.status?.startTime
  const allowed = waiting && template && before ? withScheduling(template, before) : template
  if (deepEqual(allowed, before)) return []
  return [invalid('spec.template', template, 'field is immutable')]
}

/** The template with the old values of what a job that waits may change. */
function withScheduling(template: PodTemplate, old: PodTemplate): PodTemplate {
  const kept = Object.fromEntries(
    ['affinity', 'nodeSelector', 'tolerations', 'schedulingGates'].map((field) => [
      field,
      (old.spec as Readonly<Record<string, unknown>> | undefined)?.[field],
    ]),
  )
  const metadata = { ...template.metadata, ...annotated(old) }
  return change(template, { spec: change(template.spec ?? {}, kept), metadata })
}

function annotated({ metadata }: PodTemplate): object {
  const { labels, annotations } = (metadata ?? {}) as { labels?: object; annotations?: object }
  return { labels, annotations }
}
