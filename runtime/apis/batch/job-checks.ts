/** What a schema cannot say of a job. */

import type { Job, JobSpec, JobStatus } from '../../../generated/apis/batch/v1/job.ts'
import { labelRequirementsOf, matchesLabels } from '../../kernel/meta/label-selector.ts'
import { shownStrings } from '../../kernel/validation/go-value.ts'
import type { Field } from '../../kernel/walker/field.ts'
import { isUnusable } from '../types/label-selectors.ts'
import { checkFailurePolicy } from './pod-failure-policy.ts'

/** The most pods of an indexed job at a time. */
const mostIndexedPods = 100_000

/**
 * Checks the specification of a job, in a job or in the template of one.
 * Errors in the order fields of the mode, failure policy, replacement policy, template,
 * restart policy. With a failure policy pods are replaced only once they have failed: a terminating
 * pod has no exit code to judge yet.
 */
export function checkJobSpec(spec: Field<JobSpec>): void {
  const { completionMode, maxFailedIndexes, backoffLimitPerIndex } = spec.value
  spec.child('completionMode').afterwards(() => {
    if (completionMode === 'Indexed') checkIndexed(spec)
    else if (completionMode === undefined || completionMode === 'NonIndexed') {
      for (const key of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
        if (spec.value[key] !== undefined) spec.invalid(key, 'requires indexed completion mode')
      }
    }
  })
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    spec.required('backoffLimitPerIndex', 'when maxFailedIndexes is specified')
  }
  checkFailurePolicy(spec)
  const { podReplacementPolicy: policy, podFailurePolicy } = spec.value
  if (policy !== undefined && podFailurePolicy !== undefined && policy !== 'Failed') {
    spec.passOver('podReplacementPolicy')
    spec.unsupported('podReplacementPolicy', ['Failed'])
  }
  spec.visit('template')
  spec.child('template').afterwards(() => checkRestart(spec))
}

/**
 * An indexed job says how many completions there are, since each is one index; an absent
 * parallelism is within the bound.
 */
function checkIndexed(spec: Field<JobSpec>): void {
  const { completions, parallelism = 0, maxFailedIndexes = 0 } = spec.value
  const mode = 'when completion mode is Indexed'
  if (completions === undefined) spec.required('completions', mode)
  if (parallelism > mostIndexedPods) {
    spec.invalid('parallelism', `must be less than or equal to ${mostIndexedPods} ${mode}`)
  }
  if (completions !== undefined && maxFailedIndexes > completions) {
    spec.invalid('maxFailedIndexes', 'must be less than or equal to completions')
  }
}

/**
 * Pods of a job end, so Always is refused; the message is Required, as release 1.29 has it. Without
 * a template there is nothing to judge (supplement I-14).
 */
function checkRestart(spec: Field<JobSpec>): void {
  const { template, podFailurePolicy } = spec.value
  const policy = template?.spec?.restartPolicy
  if (policy === undefined || policy === 'Never') return
  if (policy === 'Always') {
    spec.required('template.spec.restartPolicy', 'valid values: "OnFailure", "Never"')
  } else if (policy !== 'OnFailure') {
    spec.unsupported('template.spec.restartPolicy', ['OnFailure', 'Never'])
  } else if (podFailurePolicy !== undefined) {
    const why = 'only "Never" is supported when podFailurePolicy is specified'
    spec.invalid('template.spec.restartPolicy', why)
  }
}

/**
 * The selector of a job selects the pods of its template.
 * The selector is required here and not in the schema, because the template of a cron job has none.
 */
export function checkSelectorMatch(spec: Field<JobSpec>) {
  const { selector, template } = spec.value
  if (selector === undefined) spec.required('selector')
  spec.visit('selector')
  if (selector && isUnusable(selector)) return
  const requirements = selector && labelRequirementsOf(selector)
  const labels = template?.metadata?.labels
  if (requirements && matchesLabels(requirements, labels)) return
  const why = '`selector` does not match template `labels`'
  spec.afterwards(() => spec.invalid('template.metadata.labels', why, shownStrings(labels)))
}

/**
 * Labels and selector of a job that chose none are those that were made for it.
 * Every missing or different label is one error; the selector comes last. A selector that the
 * client made is its own business if `manualSelector` says so, and two jobs may then fight over
 * pods.
 */
export function checkTracking(job: Field<Job>, expected: Readonly<Record<string, string>>): void {
  const { selector, manualSelector, template } = job.value.spec ?? {}
  if (selector === undefined || manualSelector === true) return
  const labels = template?.metadata?.labels ?? {}
  const spec = job.child('spec')
  for (const [key, value] of Object.entries(expected)) {
    const at = `template.metadata.labels[${key}]` as const
    if (!Object.hasOwn(labels, key)) spec.required(at, `must be '${value}'`)
    else if (labels[key] !== value) spec.invalid(at, `must be '${value}'`, labels)
  }
  const requirements = isUnusable(selector) ? undefined : labelRequirementsOf(selector)
  if (requirements !== undefined && !matchesLabels(requirements, expected)) {
    spec.invalid('selector', '`selector` not auto-generated')
  }
}

/** A pod that ended and is not counted yet stands once in the two lists. */
export function checkUncounted(status: Field<JobStatus>): void {
  const pods = status.child('uncountedTerminatedPods')
  const seen = new Set<string>()
  for (const list of ['succeeded', 'failed'] as const) {
    pods.each(list, (uid) => {
      if (uid.value === '') uid.invalid('', 'must not be empty')
      else uid.unique('', seen)
    })
  }
}
