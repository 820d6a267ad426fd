import type { UserInfo } from '../../../kernel/auth/user-info.ts'
import type { AuthorizationAttributes, Authorizer, SubjectRules } from '../authorizer.ts'
import { pathCovers } from '../rbac/rule-match.ts'

/** One line of a policy file: who may do what. What is absent or empty matches nothing; `*` matches all. */
export interface AbacPolicy {
  readonly user?: string
  readonly group?: string
  /** Only `get`, `list` and `watch`. */
  readonly readonly?: boolean
  readonly apiGroup?: string
  readonly resource?: string
  readonly namespace?: string
  readonly nonResourcePath?: string
}

const readVerbs = ['get', 'list', 'watch']

/** Allows what one of its policies allows. */
export function abacAuthorizer(policies: readonly AbacPolicy[]): Authorizer {
  return {
    authorize: (attributes) =>
      policies.some((policy) => allows(policy, attributes))
        ? { decision: 'Allow' }
        : { decision: 'NoOpinion', reason: 'No policy matched.' },
    rulesFor: (user, namespace) => {
      const own = policies.filter(
        (policy) => isSubject(policy, user) && covers(policy.namespace, namespace),
      )
      return rulesOf(own)
    },
  }
}

function allows(policy: AbacPolicy, attributes: AuthorizationAttributes): boolean {
  if (!isSubject(policy, attributes.user)) return false
  if (policy.readonly && !readVerbs.includes(attributes.verb)) return false
  const { path, namespace = '', resource, group } = attributes
  if (path !== undefined) return pathCovers(policy.nonResourcePath ?? '', path)
  return (
    covers(policy.namespace, namespace) &&
    covers(policy.resource, resource) &&
    covers(policy.apiGroup, group)
  )
}

function covers(granted = '', wanted: string): boolean {
  return granted === '*' || granted === wanted
}

/** Each of the two that is named has to fit; a policy that names neither is no user's. */
function isSubject({ user = '', group = '' }: AbacPolicy, who: UserInfo): boolean {
  if (user === '' && group === '') return false
  if (user !== '' && user !== '*' && user !== who.username) return false
  return group === '' || group === '*' || who.groups.includes(group)
}

function rulesOf(policies: readonly AbacPolicy[]): SubjectRules {
  const verbsOf = (policy: AbacPolicy) => (policy.readonly ? readVerbs : ['*'])
  return {
    resourceRules: policies
      .filter(({ resource }) => resource)
      .map((policy) => ({
        verbs: verbsOf(policy),
        apiGroups: [policy.apiGroup ?? ''],
        resources: [policy.resource ?? ''],
      })),
    nonResourceRules: policies
      .filter(({ nonResourcePath }) => nonResourcePath)
      .map((policy) => ({
        verbs: verbsOf(policy),
        nonResourceURLs: [policy.nonResourcePath ?? ''],
      })),
    incomplete: false,
  }
}
