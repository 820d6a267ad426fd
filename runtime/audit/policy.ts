/** Which requests are recorded, and how much of them (supplement U-02, U-03). */
import type {
  GroupResources,
  Level,
  Policy,
  PolicyRule,
  Stage,
} from '../../generated/config/audit/v1.ts'

export type { GroupResources, Level, PolicyRule, Stage }

/** What a policy file says about requests. */
export type AuditPolicy = Pick<Policy, 'rules' | 'omitStages' | 'omitManagedFields'>

/** A request as far as a policy tells requests apart. */
export interface AuditRequest {
  readonly user: string
  readonly groups: readonly string[]
  readonly verb: string
  readonly path: string
  /** Absent for a path that names no resource. */
  readonly resource?: {
    readonly group: string
    readonly plural: string
    readonly subresource: string
    /** "" for cluster-scoped resources and requests across namespaces. */
    readonly namespace: string
    /** "" for a collection. */
    readonly name: string
  }
}

/** What is recorded of a request: always more than nothing. */
export interface AuditDecision {
  readonly level: Exclude<Level, 'None'>
  /** False for stages that the policy or the rule omits. */
  readonly records: (stage: Stage) => boolean
  readonly omitManagedFields: boolean
}

/** The decision of the first rule that matches; undefined if that is None, or if none does. */
export type PolicyEvaluator = (request: AuditRequest) => AuditDecision | undefined

/** Prepares a policy: sets are made of lists, and each rule's decision once, so that evaluating a request allocates nothing. */
export function policyEvaluator(policy: AuditPolicy): PolicyEvaluator {
  const rules = policy.rules.map((rule) => ({
    matches: matcherOf(rule),
    decision: decisionOf(policy, rule),
  }))
  return (request) => rules.find(({ matches }) => matches(request))?.decision
}

/** Stages are omitted by the policy and the rule together; managed fields as the rule says, or else the policy. */
function decisionOf(policy: AuditPolicy, rule: PolicyRule): AuditDecision | undefined {
  if (rule.level === 'None') return undefined
  const omitted = new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])])
  return {
    level: rule.level,
    records: (stage) => !omitted.has(stage),
    omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
  }
}

/** Every condition that a rule states has to hold; an empty list states none. */
function matcherOf(rule: PolicyRule): (request: AuditRequest) => boolean {
  const users = setOf(rule.users)
  const groups = setOf(rule.userGroups)
  const verbs = setOf(rule.verbs)
  const location = locationMatcher(rule)
  return (request) =>
    (users?.has(request.user) ?? true) &&
    (groups === undefined || request.groups.some((group) => groups.has(group))) &&
    (verbs?.has(request.verb) ?? true) &&
    location(request)
}

/** Undefined for a condition that is not stated. */
function setOf(words: readonly string[] = []): ReadonlySet<string> | undefined {
  return words.length === 0 ? undefined : new Set(words)
}

/** A rule that names resources or namespaces matches no other path, and one that names paths no resource. */
function locationMatcher(rule: PolicyRule): (request: AuditRequest) => boolean {
  const { resources = [], nonResourceURLs: paths = [] } = rule
  const namespaces = setOf(rule.namespaces)
  if (resources.length > 0 || namespaces !== undefined) {
    return ({ resource }) =>
      resource !== undefined &&
      (namespaces?.has(resource.namespace) ?? true) &&
      (resources.length === 0 || resources.some((one) => matchesGroup(one, resource)))
  }
  if (paths.length === 0) return () => true
  return ({ resource, path }) =>
    resource === undefined && paths.some((pattern) => isPath(pattern, path))
}

type Resource = NonNullable<AuditRequest['resource']>

/** An empty group is the core group; without resources all of the group match. */
function matchesGroup(
  { group = '', resources = [], resourceNames = [] }: GroupResources,
  resource: Resource,
): boolean {
  if (group !== resource.group) return false
  if (resources.length === 0) return true
  if (resourceNames.length > 0 && !resourceNames.includes(resource.name)) return false
  return resources.some((pattern) => isResource(pattern, resource))
}

/** `pods`, `pods/log`, `pods/*` for pods with all of their subresources, any resource with `/scale`, `*`. */
function isResource(pattern: string, { plural, subresource }: Resource): boolean {
  if (pattern === '*') return true
  const [first = '', second] = pattern.split('/', 2)
  if (second === undefined) return first === plural && subresource === ''
  if (second === '*') return first === plural
  return second === subresource && (first === '*' || first === plural)
}

/** A path, or a prefix before `*`. */
function isPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
}
