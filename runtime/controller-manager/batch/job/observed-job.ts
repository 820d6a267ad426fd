import type { Job } from '../../../../generated/apis/batch/v1/job.ts'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import type { FailureRecord } from './retry-delay.ts'

/** A job and what belongs to it. */
export interface ObservedJob {
  readonly job: Stored<Job>
  /** The pods that it controls and selects. */
  readonly pods: readonly Stored<Pod>[]
  /** The failures that were seen before. */
  readonly failures: FailureRecord
}

/** Why a job is over, or will be once its pods are gone. */
export interface EndOfJob {
  readonly type: 'Complete' | 'Failed' | 'FailureTarget'
  readonly reason: string
  readonly message: string
}
