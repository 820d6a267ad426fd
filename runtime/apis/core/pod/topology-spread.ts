import type { TopologySpreadConstraint } from '../../../../generated/apis/core/v1/scheduling.ts'
import { qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import type { Check, Field } from '../../../kernel/walker/field.ts'

/** How evenly the pods of a workload are spread over the parts of a cluster. */
export const topologySpreadConstraint: Check<TopologySpreadConstraint> = (constraint) => {
  const { whenUnsatisfiable, minDomains } = constraint.value
  if (minDomains !== undefined && minDomains < 1) {
    constraint.invalid('minDomains', 'must be greater than zero')
  }
  if (minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule') {
    const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable ?? ''}`
    constraint.invalid('minDomains', why)
  }
  constraint.visit('labelSelector')
  checkKeys(constraint)
}

/** Keys whose values come from the pod itself stand beside a selector and do not repeat it. */
function checkKeys(constraint: Field<TopologySpreadConstraint>) {
  const { labelSelector, matchLabelKeys } = constraint.value
  if (!matchLabelKeys?.length) return
  if (labelSelector === undefined) {
    constraint.forbidden('matchLabelKeys', 'must not be specified when labelSelector is not set')
  }
  const { matchLabels = {}, matchExpressions } = labelSelector ?? {}
  const selected = new Set([
    ...Object.keys(matchLabels),
    ...(matchExpressions ?? []).map(({ key }) => key),
  ])
  constraint.each('matchLabelKeys', (key) => {
    key.invalidAll('', qualifiedNameProblems(key.value))
    if (selected.has(key.value)) {
      key.invalid('', 'exists in both matchLabelKeys and labelSelector')
    }
  })
}
