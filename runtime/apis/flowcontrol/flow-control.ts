import type {
  FlowSchema,
  FlowSchemaSpec,
  FlowSchemaStatus,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  ServiceAccountSubject,
  Subject,
} from '../../../generated/apis/flowcontrol/v1/flow-schema.ts'
import type {
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
} from '../../../generated/apis/flowcontrol/v1/priority-level-configuration.ts'
import { dnsLabelProblems, dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import { goValue, Shown } from '../../kernel/validation/go-value.ts'
import { change } from '../../kernel/values/change.ts'
import type { Check, Field } from '../../kernel/walker/field.ts'
import type { Strategy } from '../strategy/strategy.ts'

/**
 * A schema names a level and matches requests by who makes them and what they are about.
 * Precedence 1 is left to the schema that exempts: no other may match before it. Whether the level
 * exists is not asked; status says so later.
 */
export const flowSchema: Strategy<FlowSchema> = {
  check(object) {
    const spec = object.child('spec')
    const { matchingPrecedence, priorityLevelConfiguration: level } = spec.value
    if (matchingPrecedence === 1 && object.value.metadata?.name !== 'exempt') {
      const why = "only the schema named 'exempt' may have matchingPrecedence 1"
      spec.invalid('matchingPrecedence', why)
    }
    checkMethod(spec)
    if (!level?.name) {
      spec.required('priorityLevelConfiguration.name', 'must reference a priority level')
    }
    spec.checkText('priorityLevelConfiguration.name', dnsSubdomainProblems)
    spec.each('rules', checkRules)
  },
  checkStatus: checkConditions,
}

const methods = ['ByNamespace', 'ByUser']

/** An unknown method is shown as the struct that it stands in. */
function checkMethod(spec: Field<FlowSchemaSpec>): void {
  const { distinguisherMethod: method } = spec.value
  if (method === undefined || methods.includes(method.type ?? '')) return
  const shown = new Shown(`flowcontrol.FlowDistinguisherMethod{Type:${goValue(method.type ?? '')}}`)
  spec.passOver('distinguisherMethod.type')
  spec.unsupported('distinguisherMethod.type', methods, shown)
}

/** Each aspect is reported once, and by its name. */
function checkConditions(object: Field<FlowSchema | PriorityLevelConfiguration>): void {
  const types = new Set<string>()
  const status = object.child('status') as Field<FlowSchemaStatus>
  status.each('conditions', (condition) => {
    condition.unique('type', types)
    if (!condition.value.type) condition.required('type', 'must not be empty')
  })
}

/**
 * Errors in the order subjects, presence of rules, rules for resources, rules for other paths. A
 * schema without any rules is accepted and matches nothing.
 */
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

/** The order in which fields of other kinds are refused. */
const foreignFields = [
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
  ['Group', 'group'],
] as const

const subjectFields = { User: 'user', Group: 'group', ServiceAccount: 'serviceAccount' } as const

/**
 * Of the three structs exactly the one of the kind is there, with a name. Of an unknown kind nothing more is said than that it
 * is unknown.
 */
const checkSubject: Check<Subject> = (subject) => {
  const { kind = '' } = subject.value
  if (!Object.hasOwn(subjectFields, kind)) return
  const own = subjectFields[kind as keyof typeof subjectFields]
  const given = subject.value[own]
  if (given === undefined)
    subject.required(own, `${own} is required when subject kind is '${kind}'`)
  else if (!given.name) subject.required(`${own}.name`)
  if (kind === 'ServiceAccount') subject.when('serviceAccount', checkAccount)
  subject.afterwards(() => {
    for (const [other, key] of foreignFields) {
      if (key === own || subject.value[key] === undefined) continue
      subject.forbidden(key, `${key} is forbidden when subject kind is not '${other}'`)
    }
  })
}

/** One account of a namespace, or all of them. */
const checkAccount: Check<ServiceAccountSubject> = (account) => {
  const { name, namespace } = account.value
  if (name !== '*') account.checkText('name', dnsSubdomainProblems)
  if (!namespace) account.required('namespace', 'must specify namespace for service account')
  account.checkText('namespace', dnsLabelProblems)
}

const verbs = 'create delete deletecollection get list patch proxy update watch'.split(' ')

/** The verbs that the server knows, or all of them. */
function checkVerbs(rule: Rule): void {
  const given = rule.value.verbs ?? []
  checkWords(rule, 'verbs', 'verbs')
  if (given.includes('*') || given.every((verb) => verbs.includes(verb))) return
  rule.unsupported('verbs', verbs)
}

type Rule = Field<ResourcePolicyRule & NonResourcePolicyRule>

/** What is said of an empty list. */
const emptyList: Readonly<Record<string, string>> = {
  verbs: 'verbs must contain at least one value',
  apiGroups: 'resource rules must supply at least one api group',
  resources: 'resource rules must supply at least one resource',
  nonResourceURLs: 'nonResourceURLs must contain at least one value',
}

/**
 * A list has something in it, and nothing beside the star. The words are not compared with what the
 * server knows.
 */
function checkWords(rule: Rule, key: Exclude<keyof Rule['value'], 'clusterScope'>, what: string) {
  const words = rule.value[key] ?? []
  if (words.length === 0) rule.required(key, emptyList[key])
  if (words.includes('*') && words.length > 1) {
    rule.invalid(key, `if '*' is present, must not specify other ${what}`)
  }
}

/**
 * The lists in their order, then where the resources are: in the cluster, in namespaces, or both. A
 * rule for neither could match nothing.
 */
const checkResourceRule: Check<ResourcePolicyRule> = (field) => {
  const rule = field as Rule
  checkVerbs(rule)
  checkWords(rule, 'apiGroups', 'api groups')
  checkWords(rule, 'resources', 'resources')
  if (rule.value.clusterScope !== true && !rule.value.namespaces?.length) {
    const why = 'resource rules that are not cluster scoped must supply at least one namespace'
    rule.required('namespaces', why)
  }
  const { namespaces } = rule.value
  if (namespaces?.includes('*')) {
    if (namespaces.length === 1) return
    rule.invalid('namespaces', "if '*' is present, must not specify other namespaces")
  } else {
    const form = "each member of this list must be '*' or a DNS-1123 label; "
    rule.each('namespaces', (one) => {
      const problems = dnsLabelProblems(one.value).map((why) => form + why)
      one.invalidAll('', problems, one.value)
    })
  }
}

/** The verbs, the list of paths, then the form of each path. */
const checkNonResourceRule: Check<NonResourcePolicyRule> = (field) => {
  const rule = field as Rule
  checkVerbs(rule)
  checkWords(rule, 'nonResourceURLs', 'non-resource URLs')
  if (rule.value.nonResourceURLs?.includes('*')) return
  rule.each('nonResourceURLs', (url) => url.invalidAll('', urlProblems(url.value)))
}

/**
 * Only the first problem of a path. A star is a whole last segment: `/healthz/*` is accepted,
 * `/healthz*` is not.
 */
function urlProblems(url: string): readonly string[] {
  if (url === '*') return []
  if (url === '') return ['must not be empty']
  if (!url.startsWith('/')) return ['must start with slash']
  if (url.includes(' ')) return ['must not contain white-space']
  if (url.includes('//')) return ['must not contain double slash']
  const star = url.indexOf('*')
  const last = star < 0 || (star === url.length - 1 && url[star - 1] === '/')
  return last ? [] : ['wildcard can only do suffix matching']
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

/**
 * A level has the settings of its type and no others.
 * Type and name of the exempt level belong together in both directions. For a type that is neither,
 * the schema has the error, and nothing more is checked.
 */
export const priorityLevel: Strategy<PriorityLevelConfiguration> = {
  check(object) {
    const spec = object.child('spec')
    const { type, limited, exempt } = spec.value
    if ((type === 'Exempt') !== (object.value.metadata?.name === 'exempt')) {
      spec.invalid('type', "type must be 'Exempt' if and only if name is 'exempt'")
    }
    if (type === 'Exempt' && limited !== undefined) {
      spec.forbidden('limited', 'must be nil if the type is not Limited')
    }
    if (type !== 'Limited') {
      spec.passOver('limited')
      return
    }
    spec.passOver('exempt')
    if (exempt !== undefined) spec.forbidden('exempt', 'must be nil if the type is Limited')
    if (limited === undefined) {
      spec.required('limited', 'must not be empty when type is Limited')
    } else checkResponse(spec.child('limited'))
  },
  checkStatus: checkConditions,
}

/** How many bits of a hash a shuffled hand may take. */
const mostBits = 60

/**
 * Queues are there for type Queue and for no other. A hand that is larger than the number of queues
 * could not be dealt.
 */
const checkResponse: Check<LimitedPriorityLevelConfiguration> = (limited) => {
  const response = limited.child('limitResponse')
  const { type, queuing } = response.value
  if (type === 'Queue' && queuing === undefined) {
    return response.required(
      'queuing',
      'must not be empty if limited.limitResponse.type is Limited',
    )
  }
  if (type === 'Reject' && queuing !== undefined) {
    response.passOver('queuing')
    return response.forbidden('queuing', 'must be nil if limited.limitResponse.type is not Limited')
  }
  if (type !== 'Queue') {
    response.passOver('queuing')
    return
  }
  const { queues = 0, handSize = 0 } = queuing ?? {}
  if (handSize <= 0) return
  const bits = Math.ceil(Math.log2(queues) * handSize)
  if (handSize > queues) {
    response.invalid('queuing.handSize', `should not be greater than queues (${queues})`)
  } else if (bits > mostBits) {
    const why = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${mostBits}`
    response.invalid('queuing.handSize', why)
  }
}
