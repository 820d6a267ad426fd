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

/**
 * Names of resources, each compared with the patterns before it. Beside `*` no other whole resource stands, as far as the last of
 * them says.
 */
function checkResources(rule: Field<RuleWithOperations>) {
  const list = rule.value.resources ?? []
  if (list.length === 0) return rule.required('resources')
  const [allOf, ofAll] = [new Set<string>(), new Set<string>()]
  let isNamed = false
  rule.each('resources', (one) => {
    if (one.value === '') return one.required('')
    const [resource = '', ...rest] = one.value.split('/')
    if (rest.length === 0) {
      isNamed = resource !== '*'
      return
    }
    const part = rest.join('/')
    const covered = (by: string) =>
      one.invalid('', `if '${by}' is present, must not specify ${one.value}`)
    if (allOf.has(resource)) covered(`${resource}/*`)
    if (ofAll.has(part)) covered(`*/${part}`)
    if (part === '*') allOf.add(resource)
    if (resource === '*') ofAll.add(part)
  })
  if (list.length > 1 && list.includes('*/*')) {
    rule.invalid('resources', "if '*/*' is present, must not specify other resources")
  }
  if (list.includes('*') && isNamed) {
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
