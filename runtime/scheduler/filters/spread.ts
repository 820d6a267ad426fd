/** Whether a pod keeps to its topology spread constraints on a node. */
import { matchesNodeAffinity, untolerated } from '../../pods/pods.ts'
import type { PodClass, PodInfo } from '../facts/pod-class.ts'
import type { SpreadConstraint } from '../facts/spread-constraint.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import { full, type Rejection, unfit } from './rejection.ts'

const reason = "node(s) didn't match pod topology spread constraints"

/** How many pods that a constraint selects are in each domain. */
interface Domains {
  readonly constraint: SpreadConstraint
  readonly counts: Map<string, number>
  /** The count of the emptiest domain; undefined until it is asked for. */
  fewest: number | undefined
}

/** What the required constraints of a pod count. */
export class SpreadCounts {
  readonly #pods: PodClass
  readonly #domains: readonly Domains[]

  private constructor(pods: PodClass, domains: readonly Domains[]) {
    this.#pods = pods
    this.#domains = domains
  }

  /** Undefined for pods without such constraints. */
  static of(
    pods: PodClass,
    constraints: readonly SpreadConstraint[],
    nodes: readonly NodeInfo[],
  ): SpreadCounts | undefined {
    if (constraints.length === 0) return undefined
    const domains = constraints.map((constraint) => ({
      ...{ constraint, counts: new Map<string, number>() },
      fewest: undefined,
    }))
    const made = new SpreadCounts(pods, domains)
    for (const node of nodes) {
      if (!hasAllKeys(node, constraints)) continue
      for (const { constraint, counts } of domains) {
        if (!isCounted(constraint, pods, node)) continue
        const value = node.labels[constraint.topologyKey]!
        counts.set(value, (counts.get(value) ?? 0) + countOn(node, constraint, pods.namespace))
      }
    }
    return made
  }

  clone(): SpreadCounts {
    const copies = this.#domains.map(({ counts, ...rest }) => ({
      ...rest,
      counts: new Map(counts),
    }))
    return new SpreadCounts(this.#pods, copies)
  }

  /** A pod came to a node, or went from it. */
  change({ class: other }: PodInfo, node: NodeInfo, by: 1 | -1): void {
    if (other.namespace !== this.#pods.namespace) return
    const constraints = this.#domains.map(({ constraint }) => constraint)
    if (!hasAllKeys(node, constraints)) return
    for (const domains of this.#domains) {
      const { constraint, counts } = domains
      if (!constraint.selection.matches(other) || !isCounted(constraint, this.#pods, node)) continue
      domains.fewest = undefined
      const value = node.labels[constraint.topologyKey]!
      counts.set(value, (counts.get(value) ?? 0) + by)
    }
  }

  rejection(node: NodeInfo): Rejection | undefined {
    for (const domains of this.#domains) {
      const { constraint, counts } = domains
      const value = node.labels[constraint.topologyKey]
      if (value === undefined)
        return unfit('PodTopologySpread', `${reason} (missing required label)`)
      domains.fewest ??= fewestOf(counts)
      const fewest = counts.size < constraint.minDomains ? 0 : domains.fewest
      const own = constraint.selection.matches(this.#pods) ? 1 : 0
      if ((counts.get(value) ?? 0) + own - fewest > constraint.maxSkew) {
        return full('PodTopologySpread', reason)
      }
    }
    return undefined
  }
}

function fewestOf(counts: ReadonlyMap<string, number>): number {
  let fewest = Number.POSITIVE_INFINITY
  for (const count of counts.values()) fewest = Math.min(fewest, count)
  return fewest
}

/** True for a node that is in a domain of each constraint. */
export function hasAllKeys(node: NodeInfo, constraints: readonly SpreadConstraint[]): boolean {
  return constraints.every(({ topologyKey }) => Object.hasOwn(node.labels, topologyKey))
}

/** True for a node whose pods a constraint counts. */
export function isCounted(
  { honorsAffinity, honorsTaints }: SpreadConstraint,
  { spec }: PodClass,
  { node }: NodeInfo,
): boolean {
  if (node === undefined || (honorsAffinity && !matchesNodeAffinity(spec, node))) return false
  if (!honorsTaints) return true
  const taints = node.spec?.taints
  return untolerated(taints, spec.tolerations, ['NoSchedule', 'NoExecute']) === undefined
}

/** How many pods of a node stay and are selected. A selector that selects all counts none. */
export function countOn(
  node: NodeInfo,
  { selection }: SpreadConstraint,
  namespace: string,
): number {
  if (selection.isEmpty) return 0
  let count = 0
  for (const [pods, { staying }] of node.classes) {
    if (staying > 0 && pods.namespace === namespace && selection.matches(pods)) count += staying
  }
  return count
}
