import type {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
} from '../../../generated/apis/rbac/v1.ts'
import {
  AccessIndex,
  type Authorizer,
  abacAuthorizer,
  alwaysAllow,
  alwaysDeny,
  nodeAuthorizer,
  privilegedGroupAuthorizer,
  rbacAuthorizer,
  ruleResolver,
  unionAuthorizer,
  webhookAuthorizer,
} from '../../auth/auth.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { AccessRule } from '../../kernel/descriptors/access-facts.ts'
import type { EnabledGates } from '../../kernel/descriptors/enabled-gates.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { followObjects } from '../../registry/registry.ts'
import type { StoreCache } from '../../watch/watch.ts'
import type {
  Authorization,
  AuthorizationMode,
  AuthorizationOptions,
  AuthorizationWebhook,
} from './authorization-options.ts'
import { nodeRelations } from './node-relations.ts'
import { openWebhookReviews } from './webhook-reviews.ts'

/** What authorization stands on. */
export interface AuthorizationBase {
  readonly scheme: Scheme
  readonly store: StoreCache
  readonly clock: Clock
  readonly gates: EnabledGates
  /** Closes a connection when the server stops. */
  readonly onStop: (run: () => Promise<void>) => void
}

/** The authorizers of the modes in their order, behind that of the privileged group. They answer from memory, but for webhooks. */
export async function openAuthorization(
  options: AuthorizationOptions,
  base: AuthorizationBase,
): Promise<Authorization> {
  const { modes, abac = [], webhooks = [] } = options
  const { scheme, store } = base
  const group = `rbac.authorization.${scheme.platform.api}`
  const index = accessIndex(scheme, store, group)
  const rules = ruleResolver(index, group)
  const made: Record<AuthorizationMode, () => Authorizer> = {
    AlwaysAllow: () => alwaysAllow,
    AlwaysDeny: () => alwaysDeny,
    RBAC: () => rbacAuthorizer(index, rules, group),
    Node: () => nodeAuthorizerOf(base, nodeRules),
    ABAC: () => abacAuthorizer(abac),
    Webhook: () => asked.next().value ?? alwaysDeny,
  }
  const missing = modes.filter((mode) => mode === 'Webhook').length > webhooks.length
  if (missing) throw new Error('authorization: the mode Webhook needs a webhook')
  const asked = (await Promise.all(webhooks.map((one) => webhookOf(base, one)))).values()
  const nodeRules = modes.includes('Node') ? await rulesOfNodes(base) : []
  const authorizers = modes.map((mode) => made[mode]())
  return { authorizer: unionAuthorizer([privilegedGroupAuthorizer, ...authorizers]), rules }
}

function nodeAuthorizerOf(
  { scheme, store }: AuthorizationBase,
  rules: readonly AccessRule[],
): Authorizer {
  const { api, prefix } = scheme.platform
  const graph = nodeRelations(scheme, store)
  return nodeAuthorizer({ graph, rules, api, leaseNamespace: `${prefix}-node-lease` })
}

/** What every node may do: the rules of the role that stands for it. */
async function rulesOfNodes({ scheme, gates }: AuthorizationBase): Promise<readonly AccessRule[]> {
  const { clusterRoles = [] } = (await scheme.access?.()) ?? {}
  const { rules = [] } = clusterRoles.find(({ name }) => name === 'system:node') ?? {}
  return rules.filter(({ gate }) => gate === undefined || gates.has(gate))
}

async function webhookOf(
  { scheme, clock, onStop }: AuthorizationBase,
  options: AuthorizationWebhook,
): Promise<Authorizer> {
  const reviews = await openWebhookReviews(options, scheme.platform.api, clock)
  onStop(() => reviews.close())
  return webhookAuthorizer({
    ask: (spec) => reviews.ask(spec),
    ...(options.matches && { matches: options.matches }),
    allowedMs: options.allowedMs ?? 300_000,
    refusedMs: options.refusedMs ?? 30_000,
    onFailure: options.onFailure ?? 'NoOpinion',
    clock,
  })
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
