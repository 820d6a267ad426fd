import type { JobSpec } from '../../../generated/apis/batch/v1/job.ts'
import type {
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from '../../../generated/apis/batch/v1/pod-failure-policy.ts'
import { qualifiedNameProblems } from '../../kernel/meta/names.ts'
import type { Field } from '../../kernel/walker/field.ts'

const states = ['False', 'True', 'Unknown']

/**
 * Each rule for failed pods has one condition, on containers that there are.
 * Errors come rule by rule: action, exit codes, conditions of pods, number of conditions. Init
 * containers count as containers of the template.
 */
export function checkFailurePolicy(spec: Field<JobSpec>): void {
  const { template, backoffLimitPerIndex } = spec.value
  const { containers, initContainers } = template?.spec ?? {}
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name))
  spec.child('podFailurePolicy').each('rules', (rule) => {
    if (rule.value.action === 'FailIndex' && backoffLimitPerIndex === undefined) {
      rule.invalid('action', 'requires the backoffLimitPerIndex to be set')
    }
    rule.when('onExitCodes', (codes) => checkExitCodes(codes, names))
    rule.each('onPodConditions', (condition) => {
      const { type = '' } = condition.value
      condition.invalidAll('type', qualifiedNameProblems(type), type)
      const { status = '' } = condition.value
      if (status === '') condition.required('status', 'valid values: ["False" "True" "Unknown"]')
      else if (!states.includes(status)) condition.unsupported('status', states)
    })
    checkRequirement(rule)
  })
}

/** Exactly one of exit codes and conditions; an empty list of conditions is none. */
function checkRequirement(rule: Field<PodFailurePolicyRule>): void {
  const codes = rule.value.onExitCodes !== undefined
  const conditions = (rule.value.onPodConditions?.length ?? 0) > 0
  if (codes !== conditions) return
  const why = codes
    ? 'specifying both OnExitCodes and OnPodConditions is not supported'
    : 'specifying one of OnExitCodes and OnPodConditions is required'
  rule.report({
    path: rule.path(),
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${why}`,
  })
}

/**
 * An absent container means all of them. Codes are in ascending order, and zero, which is success,
 * can be excluded with NotIn but not be listed with In.
 */
function checkExitCodes(
  codes: Field<PodFailurePolicyOnExitCodesRequirement>,
  names: ReadonlySet<string | undefined>,
): void {
  const { containerName, operator } = codes.value
  const values = codes.value.values ?? []
  if (containerName !== undefined && !names.has(containerName)) {
    const why = 'must be one of the container or initContainer names in the pod template'
    codes.invalid('containerName', why)
  }
  if (values.length === 0) codes.invalid('values', 'at least one value is required', values)
  if (values.some((value, index) => index > 0 && value < values[index - 1]!)) {
    codes.invalid('values', 'must be ordered')
  }
  const zero = operator === 'In' ? values.indexOf(0) : -1
  if (zero >= 0) codes.invalid(`values[${zero}]`, 'must not be 0 for the In operator', 0)
}
