import type { PodClass } from '../facts/pod-class.ts'
import type { SpreadConstraint } from '../facts/spread-constraint.ts'
import { countOn, hasAllKeys, isCounted } from '../filters/spread.ts'
import type { Cluster } from '../snapshot/cluster.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import { best } from './node-scores.ts'

/** A constraint and what is counted for it. */
interface Counted {
  readonly constraint: SpreadConstraint
  /** Pods by domain; undefined where each node is one. */
  readonly domains: Map<string, number> | undefined
  readonly weight: number
}

/**
 * More for nodes in domains with fewer of the pods that constraints select. `strict`: nodes that are not in a domain of each constraint are
 * worth nothing.
 */
export function spreadScores(
  pods: PodClass,
  constraints: readonly SpreadConstraint[],
  feasible: readonly NodeInfo[],
  cluster: Cluster,
  strict: boolean,
): readonly number[] | undefined {
  if (constraints.length === 0) return undefined
  const isIgnored = (node: NodeInfo) => strict && !hasAllKeys(node, constraints)
  const scored = feasible.filter((node) => !isIgnored(node))
  const counted = countAll(pods, constraints, scored, cluster, strict)
  const raw = feasible.map((node) =>
    isIgnored(node) ? undefined : Math.round(rawScore(pods, counted, node)),
  )
  const known = raw.filter((one) => one !== undefined)
  const [least, most] = [Math.min(...known), Math.max(0, ...known)]
  return raw.map((one) => {
    if (one === undefined) return 0
    return most === 0 ? best : Math.floor((best * (most + least - one)) / most)
  })
}

function countAll(
  pods: PodClass,
  constraints: readonly SpreadConstraint[],
  scored: readonly NodeInfo[],
  { nodes, keys }: Cluster,
  strict: boolean,
): readonly Counted[] {
  const counted = constraints.map((constraint) => {
    const { topologyKey } = constraint
    if (topologyKey === keys.hostname) {
      return { constraint, domains: undefined, weight: Math.log(scored.length + 2) }
    }
    const domains = new Map(scored.map(({ labels }) => [labels[topologyKey] ?? '', 0]))
    return { constraint, domains, weight: Math.log(domains.size + 2) }
  })
  const isAsked = ({ constraint: { topologyKey }, domains }: Counted) =>
    domains !== undefined && scored.some(({ labels }) => labels[topologyKey] !== undefined)
  if (!counted.some(isAsked)) return counted
  for (const node of nodes) {
    if (strict && !hasAllKeys(node, constraints)) continue
    for (const { constraint, domains } of counted) {
      const value = node.labels[constraint.topologyKey] ?? ''
      const count = domains?.get(value)
      if (domains === undefined || count === undefined) continue
      if (!isCounted(constraint, pods, node)) continue
      domains.set(value, count + countOn(node, constraint, pods.namespace))
    }
  }
  return counted
}

function rawScore(pods: PodClass, counted: readonly Counted[], node: NodeInfo): number {
  let score = 0
  for (const { constraint, domains, weight } of counted) {
    const value = node.labels[constraint.topologyKey]
    if (value === undefined) continue
    const count = domains ? (domains.get(value) ?? 0) : countOn(node, constraint, pods.namespace)
    score += count * weight + (constraint.maxSkew - 1)
  }
  return score
}
