import type { UserInfo } from '../../auth/auth.ts'
import type {
  FlowRule,
  FlowSchemaSpec,
  FlowSubject,
  NonResourceRule,
  ResourceRule,
} from '../../kernel/descriptors/flow-control-facts.ts'

/** A request as far as flow schemas tell requests apart. */
export interface FlowRequest {
  readonly user: UserInfo
  readonly verb: string
  /** Undefined for a path that is no resource. */
  readonly resource?: {
    readonly group: string
    /** `pods` or `pods/status`. */
    readonly name: string
    /** That of a namespace is its own name. Undefined for other cluster-scoped resources and across namespaces. */
    readonly namespace?: string
  }
  readonly path: string
}

/** True if a rule of the schema names the user, whatever the request is: what is decided once for all requests of a user. */
export function mayMatch({ rules = [] }: FlowSchemaSpec, user: UserInfo): boolean {
  return rules.some(({ subjects }) => subjects.some((subject) => matchesSubject(subject, user)))
}

/** True if a rule of the schema names the user and covers what the request is about. */
export function matchesSchema({ rules = [] }: FlowSchemaSpec, request: FlowRequest): boolean {
  return rules.some((rule) => matchesRule(rule, request))
}

function matchesRule(rule: FlowRule, request: FlowRequest): boolean {
  if (!rule.subjects.some((subject) => matchesSubject(subject, request.user))) return false
  return request.resource === undefined
    ? (rule.nonResourceRules ?? []).some((one) => matchesPath(one, request))
    : (rule.resourceRules ?? []).some((one) => matchesResource(one, request))
}

const serviceAccount = 'system:serviceaccount:'

/** `*` names every user, every group, or every service account of a namespace. */
function matchesSubject(subject: FlowSubject, { username, groups }: UserInfo): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.user?.name === '*' || subject.user?.name === username
    case 'Group':
      return subject.group?.name === '*' || groups.includes(subject.group?.name ?? '')
    case 'ServiceAccount': {
      if (!username.startsWith(serviceAccount)) return false
      const { namespace, name: account } = subject.serviceAccount ?? { namespace: '', name: '' }
      const prefix = `${serviceAccount}${namespace}:`
      return account === '*' ? username.startsWith(prefix) : username === prefix + account
    }
    default:
      return false
  }
}

/** A resource outside namespaces needs a rule with `clusterScope`. */
function matchesResource(rule: ResourceRule, { verb, resource }: FlowRequest): boolean {
  if (resource === undefined) return false
  const { group, name, namespace } = resource
  return (
    has(rule.verbs, verb) &&
    has(rule.apiGroups, group) &&
    has(rule.resources, name) &&
    (namespace === undefined ? rule.clusterScope === true : has(rule.namespaces ?? [], namespace))
  )
}

function matchesPath({ verbs, nonResourceURLs }: NonResourceRule, request: FlowRequest): boolean {
  return has(verbs, request.verb) && nonResourceURLs.some((url) => pathMatches(url, request.path))
}

/** `*` covers every path; a pattern that ends in `/*` covers the paths below. */
function pathMatches(url: string, path: string): boolean {
  if (url === '*' || url === path) return true
  return url.endsWith('/*') && path.startsWith(url.slice(0, -1))
}

function has(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value)
}
