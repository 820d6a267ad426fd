import type { Toleration } from '../../../../generated/apis/core/v1/scheduling.ts'
import { labelValueProblems, qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import type { Check } from '../../../kernel/walker/field.ts'

const anyKey =
  'operator must be Exists when `key` is empty, which means "match all values and all keys"'

/**
 * Which taints a pod tolerates: key and value are those of a label, and the parts fit each other.
 * An absent operator is Equal. Seconds are only for NoExecute: the other effects keep pods out and
 * remove none. The error of a bad value stands at `operator`, as in release 1.29.
 */
export const toleration: Check<Toleration> = (field) => {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = field.value
  const exists = operator === 'Exists'
  field.checkText('key', qualifiedNameProblems)
  if (key === '' && !exists) field.invalid('operator', anyKey, operator)
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    field.invalid('effect', "effect must be 'NoExecute' when `tolerationSeconds` is set", effect)
  }
  field.later(() => {
    if (exists && value !== '') {
      field.invalid('operator', "value must be empty when `operator` is 'Exists'", field.value)
    }
    if (operator === '' || operator === 'Equal') {
      field.invalidAll('operator', labelValueProblems(value), value)
    }
  })
}
