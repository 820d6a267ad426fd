/** What a schema cannot say of a job. */
import { labelRequirementsOf, matchesLabels } from '../../kernel/meta/label-selector.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { checkTemplate } from '../core/pod/pod-template-spec.ts'
import { invalid, required, unsupported } from '../types/field-errors.ts'
import { checkSelector } from '../types/label-selectors.ts'
import type { Strings } from '../types/shapes.ts'
import type { Job, JobSpec } from './job-shapes.ts'
import { checkFailurePolicy } from './pod-failure-policy.ts'

const mostIndexedPods = 100_000

/** Everything wrong with the specification of a job, in a job or in the template of one. */
export function checkJobSpec(path: string, spec: JobSpec): readonly FieldError[] {
  return [
    ...(spec.selector ? checkSelector(`${path}.selector`, spec.selector) : []),
    ...(spec.completionMode === 'Indexed' ? checkIndexed(path, spec) : checkPlain(path, spec)),
    ...checkPerIndex(path, spec),
    ...checkFailurePolicy(`${path}.podFailurePolicy`, spec),
    ...checkReplacement(`${path}.podReplacementPolicy`, spec),
    ...(spec.template ? checkTemplate(`${path}.template`, spec.template) : []),
    ...checkRestart(`${path}.template.spec.restartPolicy`, spec),
  ]
}

function checkIndexed(path: string, spec: JobSpec): readonly FieldError[] {
  const { completions, parallelism = 0, maxFailedIndexes = 0 } = spec
  const mode = 'when completion mode is Indexed'
  const most = `must be less than or equal to ${mostIndexedPods} ${mode}`
  return [
    ...(completions === undefined ? [required(`${path}.completions`, mode)] : []),
    ...(parallelism > mostIndexedPods ? [invalid(`${path}.parallelism`, parallelism, most)] : []),
    ...(completions !== undefined && maxFailedIndexes > completions
      ? [
          invalid(
            `${path}.maxFailedIndexes`,
            maxFailedIndexes,
            'must be less than or equal to completions',
          ),
        ]
      : []),
  ]
}

function checkPlain(path: string, spec: JobSpec): readonly FieldError[] {
  return (['backoffLimitPerIndex', 'maxFailedIndexes'] as const).flatMap((field) =>
    spec[field] === undefined
      ? []
      : [invalid(`${path}.${field}`, spec[field], 'requires indexed completion mode')],
  )
}

function checkPerIndex(path: string, spec: JobSpec): readonly FieldError[] {
  if (spec.maxFailedIndexes === undefined || spec.backoffLimitPerIndex !== undefined) return []
  return [required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
}

function checkReplacement(path: string, spec: JobSpec): readonly FieldError[] {
  const { podReplacementPolicy: policy, podFailurePolicy } = spec
  if (policy === undefined || podFailurePolicy === undefined || policy === 'Failed') return []
  return [unsupported(path, policy, ['Failed'])]
}

function checkRestart(
  path: string,
  { template, podFailurePolicy }: JobSpec,
): readonly FieldError[] {
  const policy = template?.spec?.restartPolicy
  if (policy === undefined) return []
  if (policy !== 'Never' && policy !== 'OnFailure') {
    return [required(path, 'valid values: "OnFailure", "Never"')]
  }
  if (podFailurePolicy === undefined || policy === 'Never') return []
  return [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
}

/** The selector of a job selects the pods of its template. */
export function checkSelectorMatch({ selector, template }: JobSpec): readonly FieldError[] {
  if (selector === undefined) return [required('spec.selector')]
  const requirements = labelRequirementsOf(selector)
  const labels = template?.metadata?.labels
  if (requirements === undefined || matchesLabels(requirements, labels)) return []
  const why = '`selector` does not match template `labels`'
  return [invalid('spec.template.metadata.labels', labels, why)]
}

/** Labels and selector of a job that chose none are those that were made for it. */
export function checkTracking({ spec }: Job, expected: Strings): readonly FieldError[] {
  if (spec?.selector === undefined || spec.manualSelector === true) return []
  const labels = spec.template?.metadata?.labels ?? {}
  const path = 'spec.template.metadata.labels'
  const wrong = Object.entries(expected).flatMap(([key, value]) => {
    if (!Object.hasOwn(labels, key)) return [required(`${path}[${key}]`, `must be '${value}'`)]
    return labels[key] === value ? [] : [invalid(`${path}[${key}]`, labels, `must be '${value}'`)]
  })
  const requirements = labelRequirementsOf(spec.selector)
  const made = requirements === undefined || matchesLabels(requirements, expected)
  const why = '`selector` not auto-generated'
  return [...wrong, ...(made ? [] : [invalid('spec.selector', spec.selector, why)])]
}
