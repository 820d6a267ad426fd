import type { PolicyRule } from '../../../../generated/apis/rbac/v1.ts'
import { quoted } from '../../../kernel/values/quoted.ts'
import type {
  AuthorizationAttributes,
  AuthorizationResult,
  Authorizer,
  SubjectRules,
} from '../authorizer.ts'
import type { AccessIndex, Grant } from './access-index.ts'
import { DecisionCache, decisionKey } from './decision-cache.ts'
import { ruleAllows } from './rule-match.ts'
import { grantsIn, joinedErrors, missingRole, type RuleResolver } from './rule-resolver.ts'

/**
 * Allows what the roles that are bound to a user allow, and has no opinion about anything else. The reason names the binding,
 * or the bound roles that do not exist. It answers at once, from memory.
 */
export function rbacAuthorizer(
  index: AccessIndex,
  resolver: RuleResolver,
  group: string,
): Authorizer {
  const cache = new DecisionCache()
  return {
    authorize(attributes) {
      const decisions = cache.of(attributes.user, index.generation)
      const key = decisionKey(attributes)
      const known = decisions.get(key)
      if (known !== undefined) return known
      const result = decide(index, attributes, group)
      cache.keep(decisions, key, result)
      return result
    },
    rulesFor(user, namespace) {
      const { rules, errors } = resolver.rulesOf(user, namespace)
      return { ...listed(rules), ...(errors.length > 0 && { evaluationErrors: errors }) }
    },
  }
}

function decide(
  index: AccessIndex,
  attributes: AuthorizationAttributes,
  group: string,
): AuthorizationResult {
  const errors: string[] = []
  for (const grant of grantsIn(index, attributes.user, attributes.namespace ?? '')) {
    const { roleRef, namespace } = grant.binding
    const rules = index.rulesOf(roleRef, namespace)
    if (rules === undefined) errors.push(missingRole(roleRef, group))
    else if (rules.some((rule) => ruleAllows(rule, attributes))) {
      return { decision: 'Allow', reason: `RBAC: allowed by ${grantText(grant)}` }
    }
  }
  if (errors.length === 0) return noOpinion
  return { decision: 'NoOpinion', reason: `RBAC: ${joinedErrors(errors)}` }
}

const noOpinion: AuthorizationResult = { decision: 'NoOpinion' }

/** The binding, its role and its subject in words (supplement Z-05). */
export function grantText({ binding, subject }: Grant): string {
  const { namespace, name, roleRef } = binding
  const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding'
  const place = namespace === '' ? name : `${name}/${namespace}`
  const who =
    subject.kind === 'ServiceAccount'
      ? `${subject.name}/${subject.namespace || namespace}`
      : subject.name
  const role = `${roleRef.kind} ${quoted(roleRef.name)}`
  return `${kind} ${quoted(place)} of ${role} to ${subject.kind} ${quoted(who)}`
}

/** Rules as a review lists them: one by one, as they stand in the roles. */
function listed(rules: readonly PolicyRule[]): SubjectRules {
  return {
    resourceRules: rules
      .filter(({ resources }) => resources?.length)
      .map(({ verbs, apiGroups = [], resources = [], resourceNames }) => {
        return { verbs, apiGroups, resources, ...(resourceNames && { resourceNames }) }
      }),
    nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
      nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
    ),
    incomplete: false,
  }
}
