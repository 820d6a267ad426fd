import type { RuleWithOperations } from '../../../generated/apis/admissionregistration/v1/webhook.ts'
import type {
  MatchResources,
  NamedRuleWithOperations,
} from '../../../generated/apis/admissionregistration/v1beta1/policy.ts'
import { pathSegmentProblems } from '../../kernel/meta/names.ts'
import type { Check, Field } from '../../kernel/walker/field.ts'
import { labelSelector } from '../types/label-selectors.ts'

/** Which requests match: each list has something in it, and nothing beside what stands for everything. */
export const matchRule: Check<RuleWithOperations> = (rule) => {
  checkList(rule, 'operations', 'operations')
  checkList(rule, 'apiGroups', 'API groups')
  checkList(rule, 'apiVersions', 'API versions')
  checkEmpties(rule, 'apiVersions')
  checkResources(rule)
}

type ListKey = 'operations' | 'apiGroups' | 'apiVersions' | 'resources'

function checkList(rule: Field<RuleWithOperations>, key: ListKey, what: string): void {
  const list = rule.value[key] ?? []
  if (list.length === 0) rule.required(key)
  else if (list.length > 1 && list.includes('*')) {
    rule.invalid(key, `if '*' is present, must not specify other ${what}`)
  }
}

function checkEmpties(rule: Field<RuleWithOperations>, key: ListKey): void {
  rule.each(key, (one) => {
    if (one.value === '') one.required('')
  })
}

function checkResources(rule: Field<RuleWithOperations>) {
  const list = rule.value.resources ?? []
  if (list.length === 0) return rule.required('resources')
  if (list.length > 1 && list.includes('*/*')) {
    return rule.invalid('resources', "if '*/*' is present, must not specify other resources")
  }
  const whole = new Set(
    list.filter((one) => one.endsWith('/*') && !one.startsWith('*')).map((one) => one.slice(0, -2)),
  )
  const everySub = new Set(list.filter((one) => one.startsWith('*/')).map((one) => one.slice(2)))
  checkEmpties(rule, 'resources')
  rule.each('resources', (one) => {
    const [resource = '', sub] = one.value.split('/', 2)
    const covered = (by: string) =>
      one.invalid('', `if '${by}' is present, must not specify ${one.value}`)
    if (whole.has(resource) && sub !== '*') covered(`${resource}/*`)
    if (sub !== undefined && resource !== '*' && everySub.has(sub)) covered(`*/${sub}`)
  })
  if (list.includes('*') && list.some((one) => one !== '*' && !one.includes('/'))) {
    const why = "if '*' is present, must not specify other resources without subresources"
    rule.invalid('resources', why)
  }
}

/** A rule as webhooks have it, with names that objects can have. */
export const namedMatchRule: Check<NamedRuleWithOperations> = (rule) => {
  const names = new Set<string>()
  rule.each('resourceNames', (name) => {
    name.invalidAll('', pathSegmentProblems(name.value))
    name.distinct('', names)
  })
  matchRule(rule as Field<RuleWithOperations>)
}

/** The requests that a policy is about, by selectors and rules. */
export const matchResources: Check<MatchResources> = (match) => {
  labelSelector(match.child('namespaceSelector'))
  labelSelector(match.child('objectSelector'))
  match.visit('resourceRules', 'excludeResourceRules')
}
