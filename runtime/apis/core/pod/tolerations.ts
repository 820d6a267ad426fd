/** Which taints a pod puts up with. */
import { labelValueProblems, qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { invalid, invalidAll } from '../../types/field-errors.ts'
import type { List, Toleration } from '../../types/shapes.ts'

const anyKey =
  'operator must be Exists when `key` is empty, which means "match all values and all keys"'
const noValue = "value must be empty when `operator` is 'Exists'"
const evicting = "effect must be 'NoExecute' when `tolerationSeconds` is set"

/** Keys and values are those of labels, and the parts of each toleration fit each other. */
export function checkTolerations(
  path: string,
  tolerations: List<Toleration> | undefined,
): readonly FieldError[] {
  return (tolerations ?? []).flatMap((one, index) => checkOne(`${path}[${index}]`, one))
}

function checkOne(path: string, toleration: Toleration): readonly FieldError[] {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration
  const at = `${path}.operator`
  const exists = operator === 'Exists'
  const timed = tolerationSeconds !== undefined && effect !== 'NoExecute'
  return [
    ...(key === '' ? [] : invalidAll(`${path}.key`, key, qualifiedNameProblems(key))),
    ...(key === '' && !exists ? [invalid(at, operator, anyKey)] : []),
    ...(timed ? [invalid(`${path}.effect`, effect, evicting)] : []),
    ...(exists && value !== '' ? [invalid(at, toleration, noValue)] : []),
    ...(operator === '' || operator === 'Equal'
      ? invalidAll(at, value, labelValueProblems(value))
      : []),
  ]
}
