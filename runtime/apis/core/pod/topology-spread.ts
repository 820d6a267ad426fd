/** How evenly the pods of a workload are spread. */
import type { LabelSelectorFields } from '../../../kernel/meta/label-selector.ts'
import { qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { forbidden, invalid, invalidAll } from '../../types/field-errors.ts'
import { checkSelector } from '../../types/label-selectors.ts'
import type { List } from '../../types/shapes.ts'

export interface SpreadConstraint {
  readonly topologyKey?: string
  readonly whenUnsatisfiable?: string
  readonly minDomains?: number
  readonly labelSelector?: LabelSelectorFields
  readonly matchLabelKeys?: List<string>
}

/** Everything wrong with the constraints that the schema cannot see. */
export function checkSpread(
  path: string,
  constraints: List<SpreadConstraint> | undefined,
): readonly FieldError[] {
  return (constraints ?? []).flatMap((one, index) => checkOne(`${path}[${index}]`, one))
}

function checkOne(path: string, constraint: SpreadConstraint): readonly FieldError[] {
  const { whenUnsatisfiable, minDomains, labelSelector } = constraint
  const soft = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`
  const wrong = minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule'
  return [
    ...(wrong ? [invalid(`${path}.minDomains`, minDomains, soft)] : []),
    ...(labelSelector ? checkSelector(`${path}.labelSelector`, labelSelector) : []),
    ...checkKeys(`${path}.matchLabelKeys`, constraint),
  ]
}

/** Keys whose values come from the pod itself stand beside a selector and do not repeat it. */
function checkKeys(path: string, constraint: SpreadConstraint): readonly FieldError[] {
  const { labelSelector, matchLabelKeys } = constraint
  if (!matchLabelKeys?.length) return []
  if (labelSelector === undefined) {
    return [forbidden(path, 'must not be specified when labelSelector is not set')]
  }
  const { matchLabels = {}, matchExpressions } = labelSelector
  const said = new Set([
    ...Object.keys(matchLabels),
    ...(matchExpressions ?? []).map(({ key }) => key),
  ])
  return matchLabelKeys.flatMap((key, index) => [
    ...invalidAll(`${path}[${index}]`, key, qualifiedNameProblems(key)),
    ...(said.has(key)
      ? [invalid(`${path}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector')]
      : []),
  ])
}
