/** Rights are given by those who have them: what a role or a binding would give, its writer has to hold (supplement Z-09). */
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  RoleBinding,
  RoleRef,
} from '../../../generated/apis/rbac/v1.ts'
import {
  type AuthorizationAttributes,
  alwaysAllow,
  compactRules,
  isAllowed,
  missingRules,
  privilegedGroup,
  quotedList,
  ruleText,
} from '../../auth/auth.ts'
import { resourceName } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import type { WriteAccess } from '../strategy/write-access.ts'

type AnyRole = ApiObject & Partial<Pick<ClusterRole, 'rules' | 'aggregationRule'>>

/** All that there is: what an aggregated role may come to give. */
const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

/** Refuses a role that gives what its writer neither holds nor may `escalate`. @throws StatusError Forbidden. */
export async function permitRole(
  object: ApiObject,
  old: ApiObject | undefined,
  access: WriteAccess,
): Promise<void> {
  if (mayAnything(access) || onlyCollected(object, old)) return
  const { kind, name } = access
  if (await may(access, 'escalate', { group: kind.group, resource: kind.plural, name })) return
  refuseMissing(object, (object as AnyRole).rules ?? [], access)
  if (!aggregates(object) && !aggregates(old)) return
  if (missingRules(heldRules(access).rules, everything).length === 0) return
  throw refusal(object, 'must have cluster-admin privileges to use the aggregationRule', access)
}

/** Refuses a binding of a role that its writer neither holds nor may `bind`. @throws StatusError Forbidden, NotFound without the role. */
export async function permitBinding(
  object: ApiObject,
  old: ApiObject | undefined,
  access: WriteAccess,
): Promise<void> {
  if (mayAnything(access) || onlyCollected(object, old)) return
  const { roleRef } = object as RoleBinding | ClusterRoleBinding
  const { apiGroup = '', kind, name } = roleRef ?? {}
  const resource = roleResources.get(kind ?? '')
  const attributes = { group: apiGroup, resource: resource ?? '', name: name ?? '' }
  if (resource !== undefined && (await may(access, 'bind', attributes))) return
  refuseMissing(object, rulesOfRole(roleRef, access), access)
}

const roleResources = new Map([
  ['ClusterRole', 'clusterroles'],
  ['Role', 'roles'],
])

function rulesOfRole(roleRef: RoleRef | undefined, access: WriteAccess): readonly PolicyRule[] {
  const { kind = '', name = '' } = roleRef ?? {}
  if (!roleResources.has(kind)) {
    throw new StatusError('', `unsupported role reference kind: ${quoted(kind)}`)
  }
  if (kind === 'Role' && access.namespace === '') {
    throw new StatusError('BadRequest', 'Namespace parameter required.')
  }
  const rules = access.rules.rulesOfRole({ kind, name }, access.namespace)
  if (rules !== undefined) return rules
  const { group } = access.kind
  const plural = roleResources.get(kind) ?? ''
  throw new StatusError('NotFound', `${plural}.${group} ${quoted(name)} not found`, {
    details: { name, group, kind: plural },
  })
}

function mayAnything({ user, authorizer }: WriteAccess): boolean {
  return authorizer === alwaysAllow || user.groups.includes(privilegedGroup)
}

/** True if an update changes only what garbage collection needs to. */
function onlyCollected(object: ApiObject, old: ApiObject | undefined): boolean {
  return old !== undefined && deepEqual(uncollected(object), uncollected(old))
}

function uncollected(object: ApiObject): unknown {
  const { ownerReferences, finalizers, managedFields, resourceVersion, ...metadata } =
    object.metadata as Readonly<Record<string, unknown>>
  return { ...object, metadata }
}

/** An authorizer that fails allows nothing here: the rights that the writer holds decide. */
async function may(
  { user, authorizer, namespace }: WriteAccess,
  verb: string,
  attributes: Pick<AuthorizationAttributes, 'group' | 'resource' | 'name'>,
): Promise<boolean> {
  const place = namespace === '' ? {} : { namespace }
  try {
    return await isAllowed(authorizer, { user, verb, version: '*', ...attributes, ...place })
  } catch {
    return false
  }
}

function heldRules({ user, rules, namespace }: WriteAccess) {
  return rules.rulesOf(user, namespace)
}

/** @throws StatusError Forbidden with the rules that the writer does not hold, compact and in order. */
function refuseMissing(object: ApiObject, given: readonly PolicyRule[], access: WriteAccess): void {
  const held = heldRules(access)
  const missing = missingRules(held.rules, given)
  if (missing.length === 0) return
  const { username, groups } = access.user
  const texts = [...new Set(compactRules(missing).map(ruleText))].sort()
  const who = `user ${quoted(username)} (groups=${quotedList(groups)})`
  const why = `${who} is attempting to grant RBAC permissions not currently held:\n${texts.join('\n')}`
  const errors = held.errors.length === 0 ? '' : `; resolution errors: [${held.errors.join(', ')}]`
  throw refusal(object, why + errors, access)
}

function refusal({ metadata: { name = '' } }: ApiObject, why: string, { kind }: WriteAccess) {
  return new StatusError(
    'Forbidden',
    `${resourceName(kind)}${name && ` ${quoted(name)}`} is forbidden: ${why}`,
    { details: { ...(name && { name }), group: kind.group, kind: kind.plural } },
  )
}

function aggregates(object: ApiObject | undefined): boolean {
  return ((object as AnyRole | undefined)?.aggregationRule?.clusterRoleSelectors ?? []).length > 0
}
