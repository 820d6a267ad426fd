/** What is the same for all jobs of a server: names and gates. */

import type { Job } from '../../../../generated/apis/batch/v1/job.ts'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import type { EnabledGates } from '../../../kernel/descriptors/enabled-gates.ts'
import type { Platform } from '../../../kernel/descriptors/platform.ts'
import { hasEnded } from '../../../pods/pods.ts'

/** Names that jobs and their pods have, and the gates that are on. */
export interface JobRules {
  /** Holds a pod until it is counted. */
  readonly finalizer: string
  /** The annotation, and label, of the index of a pod. */
  readonly index: string
  /** The annotations of how many pods of its index failed before a pod, and of those that did not count. */
  readonly failures: string
  readonly ignoredFailures: string
  readonly gates: EnabledGates
}

export function jobRules({ domain }: Pick<Platform, 'domain'>, gates: EnabledGates): JobRules {
  return {
    finalizer: `batch.${domain}/job-tracking`,
    index: `batch.${domain}/job-completion-index`,
    failures: `batch.${domain}/job-index-failure-count`,
    ignoredFailures: `batch.${domain}/job-index-ignored-failure-count`,
    gates,
  }
}

/** True for a job that is Complete or Failed. */
export function isFinished({ status }: Job): boolean {
  return (
    status?.conditions?.some(
      (one) => (one.type === 'Complete' || one.type === 'Failed') && one.status === 'True',
    ) === true
  )
}

export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === 'Indexed'
}

/** Pods of an index that may fail, or undefined if only the failures of the whole job count. */
export function limitPerIndex({ spec }: Job, { gates }: JobRules): number | undefined {
  return gates.has('JobBackoffLimitPerIndex') ? spec?.backoffLimitPerIndex : undefined
}

/** True if a pod is not replaced before it has ended. */
export function replacesFailedOnly({ spec }: Job, { gates }: JobRules): boolean {
  const says = gates.has('JobPodReplacementPolicy') && spec?.podReplacementPolicy === 'Failed'
  return says || (gates.has('JobPodFailurePolicy') && spec?.podFailurePolicy !== undefined)
}

export function isHeld({ metadata }: Pod, { finalizer }: JobRules): boolean {
  return metadata.finalizers?.includes(finalizer) === true
}

/** The index of a pod; undefined for one that has none. */
export function indexOf({ metadata }: Pod, { index }: JobRules): number | undefined {
  const text = metadata.annotations?.[index] ?? ''
  return /^\+?[0-9]{1,15}$/.test(text) ? Number(text) : undefined
}

/** How many pods failed before this one that had its index, and counted. */
export function failuresBefore({ metadata }: Pod, { failures }: JobRules): number {
  return countIn(metadata.annotations?.[failures])
}

/** How many pods failed before this one that had its index, and did not count. */
export function ignoredBefore({ metadata }: Pod, { ignoredFailures }: JobRules): number {
  return countIn(metadata.annotations?.[ignoredFailures])
}

function countIn(text = ''): number {
  const count = /^[0-9]{1,10}$/.test(text) ? Number(text) : 0
  return count < 2 ** 31 ? count : 0
}

/** True for a pod that waits or runs and is to go. */
export function isTerminating(pod: Pod): boolean {
  return !hasEnded(pod) && pod.metadata.deletionTimestamp !== undefined
}
