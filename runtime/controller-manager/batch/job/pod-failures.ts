/** Which pods of a job failed, and what that means by its policy. */
import type { Job } from '../../../../generated/apis/batch/v1/job.ts'
import type {
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from '../../../../generated/apis/batch/v1/pod-failure-policy.ts'
import type { ContainerStatus } from '../../../../generated/apis/core/v1/container.ts'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { type JobRules, replacesFailedOnly } from './job-rules.ts'

/** What the failure of a pod means. */
export interface FailureVerdict {
  /** It counts against the limits of the job. */
  readonly counts: boolean
  /** Its index fails for good. */
  readonly failsIndex: boolean
  /** Why the job fails for good; undefined if it does not. */
  readonly failsJob: string | undefined
  /** What the rule that matches does; undefined if none matches. */
  readonly action?: PodFailurePolicyRule['action']
}

const counted: FailureVerdict = { counts: true, failsIndex: false, failsJob: undefined }

/** True for a pod that failed; also for one that is to go, unless the job waits for how it ends. */
export function hasFailed({ metadata, status }: Pod, job: Job, rules: JobRules): boolean {
  if (status?.phase === 'Failed') return true
  if (replacesFailedOnly(job, rules)) return false
  return metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded'
}

/** What the failure of a pod means by the first rule of its job that matches. */
export function judgeFailure(pod: Stored<Pod>, { spec }: Job, rules: JobRules): FailureVerdict {
  if (!rules.gates.has('JobPodFailurePolicy')) return counted
  const policy = spec?.podFailurePolicy?.rules ?? []
  for (const [at, rule] of policy.entries()) {
    const why = matchOf(rule, pod)
    if (why === undefined) continue
    const { action } = rule
    if (action === 'Ignore') return { ...counted, action, counts: false }
    if (action === 'Count') return { ...counted, action }
    if (action === 'FailJob') {
      return { ...counted, action, failsJob: `${why} matching ${action} rule at index ${at}` }
    }
    if (rules.gates.has('JobBackoffLimitPerIndex')) return { ...counted, action, failsIndex: true }
  }
  return counted
}

/** What of a pod a rule matches, in words; undefined if nothing. */
function matchOf(
  { onExitCodes, onPodConditions }: PodFailurePolicyRule,
  { metadata, status }: Stored<Pod>,
): string | undefined {
  const name = `${metadata.namespace}/${metadata.name}`
  if (onExitCodes !== undefined) {
    const container =
      status?.containerStatuses?.find((one) => hasCode(one, onExitCodes)) ??
      status?.initContainerStatuses?.find((one) => hasCode(one, onExitCodes))
    const code = container?.state?.terminated?.exitCode
    return container && `Container ${container.name} for pod ${name} failed with exit code ${code}`
  }
  const condition = status?.conditions?.find((one) =>
    onPodConditions?.some((wanted) => wanted.type === one.type && wanted.status === one.status),
  )
  return condition && `Pod ${name} has condition ${condition.type}`
}

function hasCode(
  { name, state }: ContainerStatus,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): boolean {
  const code = state?.terminated?.exitCode ?? 0
  if (code === 0 || (containerName !== undefined && containerName !== name)) return false
  return values.includes(code) === (operator === 'In')
}
