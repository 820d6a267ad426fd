/** Whether a pod may be where other pods are, by what it says of them and they of it. */
import { type AffinityTerm, type NamespaceLabels, termMatches } from '../facts/affinity-term.ts'
import type { PodClass, PodInfo } from '../facts/pod-class.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import { full, type Rejection, unfit } from './rejection.ts'

/** How often terms hold in a domain, by `key=value`. */
type DomainCounts = Map<string, number>

/** What required affinity counts for a pod. */
export class AffinityCounts {
  readonly #pods: PodClass
  readonly #labelsOf: NamespaceLabels
  /** Pods whose own terms keep the pod away. */
  readonly #kept: DomainCounts
  /** Pods that all of its terms of affinity are about. */
  readonly #near: DomainCounts
  /** Pods that its terms of anti-affinity are about. */
  readonly #apart: DomainCounts

  constructor(
    pods: PodClass,
    labelsOf: NamespaceLabels,
    [kept, near, apart]: readonly [DomainCounts, DomainCounts, DomainCounts] = [
      new Map(),
      new Map(),
      new Map(),
    ],
  ) {
    this.#pods = pods
    this.#labelsOf = labelsOf
    this.#kept = kept
    this.#near = near
    this.#apart = apart
  }

  /** Undefined where no pod says anything of others. */
  static of(
    pods: PodClass,
    nodes: readonly NodeInfo[],
    labelsOf: NamespaceLabels,
  ): AffinityCounts | undefined {
    const made = new AffinityCounts(pods, labelsOf)
    const hasTerms = pods.near.length + pods.apart.length > 0
    for (const node of nodes) {
      for (const [others, { all }] of hasTerms ? node.classes : node.withAffinity) {
        if (hasTerms || others.apart.length > 0) made.#count(others, node, all)
      }
    }
    return hasTerms || made.#kept.size > 0 ? made : undefined
  }

  clone(): AffinityCounts {
    const copies = [new Map(this.#kept), new Map(this.#near), new Map(this.#apart)] as const
    return new AffinityCounts(this.#pods, this.#labelsOf, copies)
  }

  /** A pod came to a node, or went from it. */
  change({ class: others }: PodInfo, node: NodeInfo, by: 1 | -1): void {
    this.#count(others, node, by)
  }

  rejection({ labels }: NodeInfo): Rejection | undefined {
    const { near, apart } = this.#pods
    if (!this.#isNear(near, labels)) {
      return unfit('InterPodAffinity', "node(s) didn't match pod affinity rules")
    }
    if (apart.some(({ topologyKey: key }) => isIn(this.#apart, key, labels[key]))) {
      return full('InterPodAffinity', "node(s) didn't match pod anti-affinity rules")
    }
    if (this.#kept.size === 0) return undefined
    const isKept = Object.entries(labels).some(([key, value]) => isIn(this.#kept, key, value))
    if (!isKept) return undefined
    return full('InterPodAffinity', "node(s) didn't satisfy existing pods anti-affinity rules")
  }

  /** The first of pods that want to be near each other may be anywhere in a domain. */
  #isNear(near: readonly AffinityTerm[], labels: Readonly<Record<string, string>>): boolean {
    if (near.some(({ topologyKey }) => !Object.hasOwn(labels, topologyKey))) return false
    if (near.every(({ topologyKey: key }) => isIn(this.#near, key, labels[key]))) return true
    return this.#near.size === 0 && this.#matchesAll(near, this.#pods)
  }

  #matchesAll(terms: readonly AffinityTerm[], pods: PodClass): boolean {
    return terms.length > 0 && terms.every((term) => termMatches(term, pods, this.#labelsOf))
  }

  #count(others: PodClass, { labels }: NodeInfo, by: number): void {
    const { near, apart } = this.#pods
    for (const term of others.apart) {
      if (termMatches(term, this.#pods, this.#labelsOf)) add(this.#kept, term, labels, by)
    }
    if (this.#matchesAll(near, others)) for (const term of near) add(this.#near, term, labels, by)
    for (const term of apart) {
      if (termMatches(term, others, this.#labelsOf)) add(this.#apart, term, labels, by)
    }
  }
}

function isIn(counts: DomainCounts, key: string, value: string | undefined): boolean {
  return value !== undefined && (counts.get(`${key}=${value}`) ?? 0) > 0
}

function add(
  counts: DomainCounts,
  { topologyKey }: AffinityTerm,
  labels: Readonly<Record<string, string>>,
  by: number,
): void {
  if (!Object.hasOwn(labels, topologyKey)) return
  const domain = `${topologyKey}=${labels[topologyKey]}`
  const count = (counts.get(domain) ?? 0) + by
  if (count === 0) counts.delete(domain)
  else counts.set(domain, count)
}
