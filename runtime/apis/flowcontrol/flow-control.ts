import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '../../../generated/apis/flowcontrol/v1/flow-schema.ts'
import type {
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
} from '../../../generated/apis/flowcontrol/v1/priority-level-configuration.ts'
import { dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import { change } from '../../kernel/values/change.ts'
import type { Check, Field } from '../../kernel/walker/field.ts'
import type { Strategy } from '../strategy/strategy.ts'

/** A schema names a level and matches requests by who makes them and what they are about. */
export const flowSchema: Strategy<FlowSchema> = {
  check(object) {
    const spec = object.child('spec')
    const { matchingPrecedence, priorityLevelConfiguration: level } = spec.value
    if (matchingPrecedence === 1 && object.value.metadata?.name !== 'exempt') {
      const why = "only the schema named 'exempt' may have matchingPrecedence 1"
      spec.invalid('matchingPrecedence', why)
    }
    if (!level?.name) {
      spec.required('priorityLevelConfiguration.name', 'must reference a priority level')
    }
    spec.checkText('priorityLevelConfiguration.name', dnsSubdomainProblems)
    spec.each('rules', checkRules)
  },
}

const checkRules: Check<PolicyRulesWithSubjects> = (rules) => {
  const { subjects, resourceRules, nonResourceRules } = rules.value
  if (!subjects?.length) rules.required('subjects', 'subjects must contain at least one value')
  rules.each('subjects', checkSubject)
  if (!resourceRules?.length && !nonResourceRules?.length) {
    rules.required('', 'at least one of resourceRules and nonResourceRules has to be non-empty')
  }
  rules.each('resourceRules', checkResourceRule)
  rules.each('nonResourceRules', checkNonResourceRule)
}

const subjectFields = { User: 'user', Group: 'group', ServiceAccount: 'serviceAccount' } as const

const checkSubject: Check<Subject> = (subject) => {
  for (const [kind, key] of Object.entries(subjectFields)) {
    const given = subject.value[key]
    if (kind !== subject.value.kind) {
      if (given === undefined) continue
      subject.forbidden(key, `${key} is forbidden when subject kind is not '${kind}'`)
    } else if (given === undefined) {
      subject.required(key, `${key} is required when subject kind is '${kind}'`)
    } else if (!given.name) subject.required(`${key}.name`)
  }
}

type Rule = Field<ResourcePolicyRule & NonResourcePolicyRule>

function checkWords(rule: Rule, key: Exclude<keyof Rule['value'], 'clusterScope'>, what: string) {
  const words = rule.value[key] ?? []
  if (words.length === 0) rule.required(key, `${what} must contain at least one value`)
  if (words.includes('*') && words.length > 1) {
    rule.invalid(key, `if '*' is present, must not specify other ${what}`)
  }
}

const checkResourceRule: Check<ResourcePolicyRule> = (field) => {
  const rule = field as Rule
  checkWords(rule, 'verbs', 'verbs')
  checkWords(rule, 'apiGroups', 'api groups')
  checkWords(rule, 'resources', 'resources')
  if (rule.value.clusterScope !== true && !rule.value.namespaces?.length) {
    const why = 'resource rules that are not cluster scoped must supply at least one namespace'
    rule.required('namespaces', why)
  }
}

const checkNonResourceRule: Check<NonResourcePolicyRule> = (field) => {
  const rule = field as Rule
  checkWords(rule, 'verbs', 'verbs')
  checkWords(rule, 'nonResourceURLs', 'non-resource URLs')
  rule.each('nonResourceURLs', (url) => url.invalidAll('', urlProblems(url.value)))
}

function urlProblems(url: string): readonly string[] {
  if (url === '*') return []
  if (!url.startsWith('/')) return ["must start with '/'"]
  if (url.includes('//')) return ['double slash is not allowed']
  const star = url.indexOf('*')
  const last = star < 0 || (star === url.length - 1 && url[star - 1] === '/')
  return last ? [] : ["wildcard can only do suffix matching, in the form of '/*' at the end"]
}

/**
 * In the version that cannot tell shares that are meant to be zero, zero stands for the default, unless an annotation says
 * that it is meant.
 */
export const zeroShares: Strategy<PriorityLevelConfiguration> = {
  defaults(object, { platform }) {
    const { spec, metadata } = object
    const meant = `flowcontrol.${platform.api}/v1beta3-preserve-zero-concurrency-shares`
    const zero = spec?.limited?.nominalConcurrencyShares === 0
    if (!zero || Object.hasOwn(metadata.annotations ?? {}, meant)) return object
    return change(object, {
      spec: { ...spec, limited: { ...spec.limited, nominalConcurrencyShares: 30 } },
    })
  },
}

/** A level has the settings of its type and no others. */
export const priorityLevel: Strategy<PriorityLevelConfiguration> = {
  check(object) {
    const spec = object.child('spec')
    const { type, limited, exempt } = spec.value
    if ((type === 'Exempt') !== (object.value.metadata?.name === 'exempt')) {
      spec.invalid('type', "type must be 'Exempt' if and only if `name` is 'exempt'")
    }
    if (type === 'Exempt' && limited !== undefined) {
      spec.forbidden('limited', 'must be nil if the type is not Limited')
    }
    if (type !== 'Limited') return
    if (exempt !== undefined) spec.forbidden('exempt', 'must be nil if the type is Limited')
    if (limited === undefined) {
      spec.required('limited', 'must not be empty when type is Limited')
    } else checkResponse(spec.child('limited'))
  },
}

const checkResponse: Check<LimitedPriorityLevelConfiguration> = (limited) => {
  const response = limited.child('limitResponse')
  const { type, queuing } = response.value
  if (type === 'Queue' && queuing === undefined) {
    return response.required('queuing', 'must not be empty if limitResponse.type is Queue')
  }
  if (type === 'Reject' && queuing !== undefined) {
    return response.forbidden('queuing', 'must be nil if limitResponse.type is not Queue')
  }
  const { queues = 0, handSize = 0 } = queuing ?? {}
  if (handSize <= queues) return
  response.invalid('queuing.handSize', `should not be greater than queues (${queues})`)
}
