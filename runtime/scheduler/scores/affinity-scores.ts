import { type AffinityTerm, termMatches } from '../facts/affinity-term.ts'
import type { PodClass } from '../facts/pod-class.ts'
import type { Cluster } from '../snapshot/cluster.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import { best } from './node-scores.ts'

/** More for nodes near the pods that the pod would rather be near, or that would rather be near it. Undefined if there are none. */
export function affinityScores(
  pods: PodClass,
  feasible: readonly NodeInfo[],
  { nodes, lookups }: Cluster,
): readonly number[] | undefined {
  const hasTerms = pods.preferNear.length + pods.preferApart.length > 0
  const weights = new Map<string, Map<string, number>>()
  const { namespaceLabels } = lookups
  const add = (
    terms: readonly AffinityTerm[],
    about: PodClass,
    { labels }: NodeInfo,
    times: number,
  ): void => {
    for (const term of terms) {
      if (!termMatches(term, about, namespaceLabels)) continue
      const value = labels[term.topologyKey]
      if (value === undefined) continue
      const domains = weights.get(term.topologyKey) ?? new Map<string, number>()
      domains.set(value, (domains.get(value) ?? 0) + term.weight * times)
      weights.set(term.topologyKey, domains)
    }
  }
  for (const node of nodes) {
    for (const [others, { all }] of hasTerms ? node.classes : node.withAffinity) {
      add(pods.preferNear, others, node, all)
      add(pods.preferApart, others, node, -all)
      add(others.near, pods, node, all)
      add(others.preferNear, pods, node, all)
      add(others.preferApart, pods, node, -all)
    }
  }
  if (weights.size === 0) return undefined
  const raw = feasible.map(({ labels }) => {
    let score = 0
    for (const [key, domains] of weights) {
      const value = labels[key]
      if (value !== undefined) score += domains.get(value) ?? 0
    }
    return score
  })
  const least = Math.min(...raw)
  const range = Math.max(...raw) - least
  return raw.map((one) => (range === 0 ? 0 : Math.trunc(best * ((one - least) / range))))
}
