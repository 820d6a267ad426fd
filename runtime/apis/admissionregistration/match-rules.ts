/** Which requests a webhook is asked about. */
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid, required } from '../types/field-errors.ts'
import type { List } from '../types/shapes.ts'

export interface MatchRule {
  readonly operations?: List<string>
  readonly apiGroups?: List<string>
  readonly apiVersions?: List<string>
  readonly resources?: List<string>
  readonly scope?: string
}

type FieldErrors = readonly FieldError[]

/** Each list has something in it, and nothing beside what stands for everything. */
export function checkMatchRule(path: string, rule: MatchRule): FieldErrors {
  return [
    ...checkList(`${path}.operations`, rule.operations, 'operations'),
    ...checkList(`${path}.apiGroups`, rule.apiGroups, 'API groups'),
    ...checkList(`${path}.apiVersions`, rule.apiVersions, 'API versions'),
    ...empties(`${path}.apiVersions`, rule.apiVersions ?? []),
    ...checkResources(`${path}.resources`, rule.resources ?? []),
  ]
}

function checkList(path: string, given: List<string> | undefined, what: string): FieldErrors {
  const list = given ?? []
  if (list.length === 0) return [required(path)]
  if (list.length === 1 || !list.includes('*')) return []
  return [invalid(path, list, `if '*' is present, must not specify other ${what}`)]
}

function empties(path: string, list: readonly string[]): FieldErrors {
  return list.flatMap((one, index) => (one === '' ? [required(`${path}[${index}]`)] : []))
}

function checkResources(path: string, list: readonly string[]): FieldErrors {
  if (list.length === 0) return [required(path)]
  if (list.length > 1 && list.includes('*/*')) {
    return [invalid(path, list, "if '*/*' is present, must not specify other resources")]
  }
  const whole = new Set(
    list.filter((one) => one.endsWith('/*') && !one.startsWith('*')).map((one) => one.slice(0, -2)),
  )
  const everySub = new Set(list.filter((one) => one.startsWith('*/')).map((one) => one.slice(2)))
  const plain = list.includes('*') && list.some((one) => one !== '*' && !one.includes('/'))
  const others = "if '*' is present, must not specify other resources without subresources"
  return [
    ...empties(path, list),
    ...list.flatMap((one, index) => {
      const [resource = '', sub] = one.split('/', 2)
      const at = `${path}[${index}]`
      const wide = whole.has(resource) && sub !== '*'
      return [
        ...(wide
          ? [invalid(at, one, `if '${resource}/*' is present, must not specify ${one}`)]
          : []),
        ...(sub !== undefined && resource !== '*' && everySub.has(sub)
          ? [invalid(at, one, `if '*/${sub}' is present, must not specify ${one}`)]
          : []),
      ]
    }),
    ...(plain ? [invalid(path, list, others)] : []),
  ]
}
