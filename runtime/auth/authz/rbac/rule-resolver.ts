import type { PolicyRule, RoleRef } from '../../../../generated/apis/rbac/v1.ts'
import type { UserInfo } from '../../../kernel/auth/user-info.ts'
import { quoted } from '../../../kernel/values/quoted.ts'
import type { AccessIndex, Grant } from './access-index.ts'

/** The rules that a user holds, and what was wrong with their bindings. */
export interface HeldRules {
  readonly rules: readonly PolicyRule[]
  /** One text for each role that is bound and does not exist. */
  readonly errors: readonly string[]
}

/** What roles and bindings give to whom. */
export interface RuleResolver {
  /** The rules that a user holds in a namespace, or with "" in the whole cluster. */
  rulesOf(user: UserInfo, namespace: string): HeldRules
  /** The rules of the role that a binding of a namespace names; undefined if there is no such role. */
  rulesOfRole(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined
}

/** The bindings that decide about a user in a namespace: those of the cluster, then those of the namespace. */
export function grantsIn(index: AccessIndex, user: UserInfo, namespace: string): readonly Grant[] {
  const grants = index.grantsOf(user, '')
  return namespace === '' ? grants : [...grants, ...index.grantsOf(user, namespace)]
}

/** Resolves by the roles and bindings of an index. `group` is their API group. */
export function ruleResolver(index: AccessIndex, group: string): RuleResolver {
  return {
    rulesOf(user, namespace) {
      const rules: PolicyRule[] = []
      const errors = new Set<string>()
      for (const { binding } of grantsIn(index, user, namespace)) {
        const { roleRef } = binding
        const found = index.rulesOf(roleRef, binding.namespace)
        if (found === undefined) errors.add(missingRole(roleRef, group))
        for (const rule of found ?? []) rules.push(rule)
      }
      return { rules, errors: [...errors] }
    },
    rulesOfRole: (roleRef, namespace) => index.rulesOf(roleRef, namespace),
  }
}

/** What is said of a role that a binding names and that is not there (supplement Z-06). */
export function missingRole({ kind, name }: RoleRef, group: string): string {
  return `${kind.toLowerCase()}.${group} ${quoted(name)} not found`
}

/** Several errors as one text; the same one once. */
export function joinedErrors(errors: readonly string[]): string {
  const once = [...new Set(errors)]
  return once.length === 1 ? String(once[0]) : `[${once.join(', ')}]`
}
