/** Which nodes balancers stand in front of. */
import type { Node } from '../../../../generated/apis/core/v1/node.ts'
import type { Stored } from '../../../kernel/meta/object.ts'

/** By what nodes are chosen. */
export interface TargetRules {
  /** The domain of the platform's labels. */
  readonly domain: string
  /** A node that is not ready stays: the balancer finds out by itself (gate StableLoadBalancerNodeSet). */
  readonly isStable: boolean
}

/** What balancers know nodes by. */
export type Targets = ReadonlyMap<string, string | undefined>

/** The taint of what takes nodes away that are not needed any more. It is called so on all platforms. */
const removalTaint = 'ToBeDeletedByClusterAutoscaler'

/** True for a node that balancers stand in front of. */
export function isTarget(node: Node, rules: TargetRules): boolean {
  const isRemoved = node.spec?.taints?.some(({ key }) => key === removalTaint) === true
  if (isExcluded(node, rules) || isRemoved) return false
  return rules.isStable ? node.metadata.deletionTimestamp === undefined : isReady(node)
}

/**
 * True for a change of a node after which balancers are looked at. With stable targets a node that falls silent or is about to be
 * removed is left to them, so that its connections may end.
 */
export function changesTargets(node: Node, before: Node | undefined, rules: TargetRules): boolean {
  if (before === undefined || isExcluded(node, rules) !== isExcluded(before, rules)) return true
  if (node.spec?.providerID !== before.spec?.providerID) return true
  return !rules.isStable && isTarget(node, rules) !== isTarget(before, rules)
}

/** What balancers know these nodes by. */
export function targetsOf(nodes: readonly Stored<Node>[]): Targets {
  return new Map(nodes.map(({ metadata, spec }) => [metadata.name, spec?.providerID]))
}

/** True if a balancer would not notice the difference. */
export function sameTargets(one: Targets, other: Targets): boolean {
  return (
    one.size === other.size &&
    [...one].every(([name, id]) => other.has(name) && other.get(name) === id)
  )
}

function isExcluded({ metadata: { labels = {} } }: Node, { domain }: TargetRules): boolean {
  return Object.hasOwn(labels, `node.${domain}/exclude-from-external-load-balancers`)
}

function isReady({ status }: Node): boolean {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True'
}
