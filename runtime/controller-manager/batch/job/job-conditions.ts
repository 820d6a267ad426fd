import type { JobCondition, JobStatus } from '../../../../generated/apis/batch/v1/job.ts'
import { timestamp } from '../../../kernel/async/clock.ts'

/** What a condition of a job says. */
export type ConditionFacts = Pick<JobCondition, 'type' | 'reason' | 'message'>

/** The status with a condition, as of now. */
export function putCondition(
  status: JobStatus,
  { type, reason, message }: ConditionFacts,
  now: number,
  state: JobCondition['status'] = 'True',
): JobStatus {
  const at = timestamp(now)
  const condition: JobCondition = {
    ...{ type, status: state, lastProbeTime: at, lastTransitionTime: at },
    ...(reason && { reason }),
    ...(message && { message }),
  }
  const conditions = status.conditions ?? []
  const isKnown = conditions.some((one) => one.type === type)
  return {
    ...status,
    conditions: isKnown
      ? conditions.map((one) => (one.type === type ? condition : one))
      : [...conditions, condition],
  }
}
