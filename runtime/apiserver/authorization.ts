import type {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
} from '../../generated/apis/rbac/v1.ts'
import {
  AccessIndex,
  type Authorizer,
  alwaysAllow,
  alwaysDeny,
  privilegedGroupAuthorizer,
  rbacAuthorizer,
  ruleResolver,
  unionAuthorizer,
} from '../auth/auth.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import { followObjects } from '../registry/registry.ts'
import type { StoreCache } from '../watch/watch.ts'
import type {
  Authorization,
  AuthorizationMode,
  AuthorizationOptions,
} from './authorization-options.ts'

/** The authorizers of the modes in their order, behind that of the privileged group. They answer reads from memory. */
export function openAuthorization(
  { modes }: AuthorizationOptions,
  scheme: Scheme,
  store: StoreCache,
): Authorization {
  const group = `rbac.authorization.${scheme.platform.api}`
  const index = accessIndex(scheme, store, group)
  const rules = ruleResolver(index, group)
  const made: Record<AuthorizationMode, () => Authorizer> = {
    AlwaysAllow: () => alwaysAllow,
    AlwaysDeny: () => alwaysDeny,
    RBAC: () => rbacAuthorizer(index, rules, group),
    Node: () => notYet('Node'),
    ABAC: () => notYet('ABAC'),
    Webhook: () => notYet('Webhook'),
  }
  const authorizers = modes.map((mode) => made[mode]())
  return { authorizer: unionAuthorizer([privilegedGroupAuthorizer, ...authorizers]), rules }
}

function notYet(mode: AuthorizationMode): never {
  throw new Error(`authorization mode ${mode} is not there yet`)
}

/** The roles and bindings of a store, kept as they change. */
function accessIndex(scheme: Scheme, store: StoreCache, group: string): AccessIndex {
  const index = new AccessIndex()
  const kindAt = (plural: string) => {
    const path = `apis/${group}/v1/${plural}`
    return Object.hasOwn(scheme.routes, path) ? scheme.routes[path] : undefined
  }
  for (const plural of ['roles', 'clusterroles']) {
    const kind = kindAt(plural)
    if (kind === undefined) continue
    followObjects(store, kind, {
      set(object) {
        const { metadata, rules } = object as unknown as Role | ClusterRole
        index.setRole({ ...placeOf(metadata), rules: rules ?? [] })
      },
      remove: ({ metadata }) => index.removeRole(placeOf(metadata)),
    })
  }
  for (const plural of ['rolebindings', 'clusterrolebindings']) {
    const kind = kindAt(plural)
    if (kind === undefined) continue
    followObjects(store, kind, {
      set(object) {
        const { metadata, roleRef, subjects } = object as unknown as
          | RoleBinding
          | ClusterRoleBinding
        index.setBinding({ ...placeOf(metadata), roleRef, subjects: subjects ?? [] })
      },
      remove: ({ metadata }) => index.removeBinding(placeOf(metadata)),
    })
  }
  return index
}

function placeOf({ namespace = '', name = '' }: { namespace?: string; name?: string }) {
  return { namespace, name }
}
