import type { ClusterRole, PolicyRule } from '../../../generated/apis/rbac/v1.ts'
import type { Client } from '../../client/client.ts'
import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { labelRequirementsOf, matchesLabels } from '../../kernel/meta/label-selector.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { done, type KeyController, watching } from '../../reconcile/reconcile.ts'
import { ignoreLostRace } from '../contract/lost-race.ts'

type Role = ApiObject & Pick<ClusterRole, 'rules' | 'aggregationRule'>

/** Who manages the rules of aggregated roles. */
const manager = 'clusterrole-aggregation-controller'

/**
 * Cluster roles whose rules are those of others (supplement Z-10): they get the rules of every role that one of their
 * selectors matches, and whatever else was written there is written over.
 *
 *   reads    ClusterRole
 *   writes   the same: apply
 *   wakes    when one of them changes
 *   settles  when every aggregated role has the rules of those that it selects
 */
export function roleAggregationController(kind: AnyKind): KeyController {
  const all = [{ name: 'all' }]
  return {
    name: 'clusterrole-aggregation-controller',
    watches: [watching(kind, () => all)],
    async reconcile(_, { client, cached }) {
      await applyRules(client, kind, [...cached<Role>(kind).list()])
      return done
    },
  }
}

/** Gives every aggregated role its rules. */
export async function syncRoleAggregation(kind: AnyKind, client: Client): Promise<void> {
  const { items } = await client.resource<Role>(kind).listAll()
  await applyRules(client, kind, items)
}

async function applyRules(
  client: Client,
  kind: AnyKind,
  roles: readonly Stored<Role>[],
): Promise<void> {
  const resource = client.resource<Role>(kind)
  for (const { name, rules } of decideAggregation(roles)) {
    if (rules !== undefined) {
      const configuration = { metadata: { name }, rules } as never
      await ignoreLostRace(resource.apply(configuration, { manager, force: true }))
    }
    await yieldToEventLoop()
  }
}

/** What is to be done about one aggregated role. */
export interface AggregationPlan {
  readonly name: string
  /** Its rules; absent if it has them. */
  readonly rules?: readonly PolicyRule[]
}

/**
 * The rules of the aggregated roles, one after the other, so that other work may come between. An aggregated role contributes what it aggregates
 * itself, not what is written in it: so roles that select each other in a circle get what the others in it are given, and no
 * rule stays in a circle that no other role gives.
 */
export function* decideAggregation(roles: readonly Stored<Role>[]): Generator<AggregationPlan> {
  const aggregated = roles.filter(({ aggregationRule }) => aggregationRule !== undefined)
  if (aggregated.length === 0) return
  const ordered = [...roles].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  const selected = new Map(aggregated.map((role) => [role, selectedBy(role, ordered)]))
  for (const role of aggregated) {
    const rules = rulesOf(role, selected)
    const isKept = deepEqual(rules, role.rules ?? [])
    yield { name: role.metadata.name, ...(!isKept && { rules }) }
  }
}

/** The roles that a role takes rules from: selector by selector, in the order of their names, without itself. */
function selectedBy(role: Stored<Role>, ordered: readonly Stored<Role>[]): readonly Stored<Role>[] {
  const found = new Set<Stored<Role>>()
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const requirements = labelRequirementsOf(selector)
    if (requirements === undefined) continue
    for (const one of ordered) {
      if (one !== role && matchesLabels(requirements, one.metadata.labels)) found.add(one)
    }
  }
  return [...found]
}

/** The rules of a role by all roles that it reaches, each rule once. */
function rulesOf(
  role: Stored<Role>,
  selected: ReadonlyMap<Stored<Role>, readonly Stored<Role>[]>,
): readonly PolicyRule[] {
  const rules = new Map<string, PolicyRule>()
  const seen = new Set([role])
  const waiting = [...(selected.get(role) ?? [])].reverse()
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (seen.has(one)) continue
    seen.add(one)
    const inner = selected.get(one)
    if (inner !== undefined) waiting.push(...[...inner].reverse())
    else for (const rule of one.rules ?? []) keepOnce(rules, rule)
  }
  return [...rules.values()]
}

function keepOnce(rules: Map<string, PolicyRule>, rule: PolicyRule): void {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule
  const key = JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs])
  if (!rules.has(key)) rules.set(key, rule)
}
