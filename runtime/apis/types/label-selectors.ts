import type {
  LabelSelector,
  LabelSelectorRequirement,
} from '../../../generated/apis/meta/v1/label-selector.ts'
import { labelRequirementsOf } from '../../kernel/meta/label-selector.ts'
import { labelValueProblems, qualifiedNameProblems } from '../../kernel/meta/names.ts'
import { type Check, errorsOf } from '../../kernel/walker/field.ts'
import type { Loose } from '../../kernel/walker/loose.ts'
import { labels } from './formats.ts'

/** True for a selector without requirements, which selects everything. */
export function isEmptySelector({ matchLabels, matchExpressions }: Loose<LabelSelector>): boolean {
  return Object.keys(matchLabels ?? {}).length === 0 && !matchExpressions?.length
}

/** True for a selector in which something is wrong, so that it cannot be asked what it selects. */
export function isUnusable(selector: Loose<LabelSelector>): boolean {
  return labelRequirementsOf(selector) === undefined || errorsOf(labelSelector, selector).length > 0
}

/** Checks keys, values and the number of values; the schema has checked the operators. */
export const labelSelector: Check<LabelSelector> = (selector) => {
  labels(selector.child('matchLabels'))
  selector.each('matchExpressions', checkRequirement)
}

/**
 * Errors in the order number of values, operator, key, each value. `In` and `NotIn` need at least one value,
 * `Exists` and `DoesNotExist` allow none.
 */
const checkRequirement: Check<LabelSelectorRequirement> = (requirement) => {
  const { operator, values } = requirement.value
  const count = values?.length ?? 0
  if ((operator === 'In' || operator === 'NotIn') && count === 0) {
    requirement.required('values', "must be specified when `operator` is 'In' or 'NotIn'")
  }
  if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0) {
    const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
    requirement.forbidden('values', why)
  }
  requirement.judge('key', qualifiedNameProblems)
  requirement.each('values', (value) => value.invalidAll('', labelValueProblems(value.value)))
}
