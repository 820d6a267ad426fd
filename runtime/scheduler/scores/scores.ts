import type { PodClass } from '../facts/pod-class.ts'
import type { SpreadConstraint } from '../facts/spread-constraint.ts'
import type { Cluster } from '../snapshot/cluster.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import { affinityScores } from './affinity-scores.ts'
import {
  balancedAllocation,
  imageLocality,
  leastAllocated,
  normalised,
  preferencesOf,
} from './node-scores.ts'
import { spreadScores } from './spread-scores.ts'

/** What counts how much. */
const weights = { taints: 3, nodeAffinity: 2, spread: 2, podAffinity: 2 } as const

/** How well each of the nodes suits a pod: the sum of what each consideration gives it. */
export function scoresOf(
  pods: PodClass,
  feasible: readonly NodeInfo[],
  cluster: Cluster,
  spread: { readonly constraints: readonly SpreadConstraint[]; readonly strict: boolean },
): readonly number[] {
  const preferences = feasible.map(({ node }) => preferencesOf(pods, node!))
  const taints = normalised(
    preferences.map((one) => one.taints),
    true,
  )
  const affinity = normalised(preferences.map((one) => one.affinity))
  const spreads = spreadScores(pods, spread.constraints, feasible, cluster, spread.strict)
  const pairs = affinityScores(pods, feasible, cluster)
  return feasible.map(
    (node, at) =>
      taints[at]! * weights.taints +
      affinity[at]! * weights.nodeAffinity +
      (spreads?.[at] ?? 0) * weights.spread +
      (pairs?.[at] ?? 0) * weights.podAffinity +
      leastAllocated(pods, node) +
      balancedAllocation(pods, node) +
      imageLocality(pods, node, cluster),
  )
}
