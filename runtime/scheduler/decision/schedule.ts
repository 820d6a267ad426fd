import type { Random } from '../../kernel/async/clock.ts'
import type { PodInfo } from '../facts/pod-class.ts'
import type { Rejection } from '../filters/rejection.ts'
import { planVolumes, type VolumePlan } from '../filters/volume-binding.ts'
import { scoresOf } from '../scores/scores.ts'
import type { Cluster } from '../snapshot/cluster.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import { type Attempt, beginAttempt, rejectionBesideNominated } from './attempt.ts'
import { type DefaultSpread, defaultConstraints } from './default-spread.ts'

/** What decisions follow beside the cluster. */
export interface DecisionOptions {
  readonly defaults: DefaultSpread
  /** The part of the nodes, in percent, after which the search ends when so many do. 0: fewer of them the more there are. */
  readonly percentageOfNodes: number
  /** Decides between nodes that are as good as each other. */
  readonly random: Random
  /** Where the next search begins, so that all nodes are looked at in turn. */
  cursor: number
  /** Hears the score of each node, where several will do for a pod. */
  readonly compared?: (info: PodInfo, nodes: readonly NodeInfo[], scores: readonly number[]) => void
}

/** Where a pod goes, or why nowhere. */
export type Decision =
  | { readonly node: string; readonly volumes: VolumePlan | undefined }
  | { readonly unfit: Unfit }

/** Why there is no node for a pod. */
export interface Unfit {
  readonly nodes: number
  /** Of the nodes that were looked at, by name. */
  readonly rejections: ReadonlyMap<string, Rejection>
  /** What is wrong whatever the node. */
  readonly general: Rejection | undefined
  /** Undefined where there are no counts, since no node was looked at. */
  readonly attempt: Attempt | undefined
}

/** With fewer nodes all of them are looked at. */
const fewNodes = 100
const leastPercentage = 5

/** Chooses a node for a pod: of those that nothing is against, one with the best score. Changes nothing but where the next search begins. */
export function schedule(info: PodInfo, cluster: Cluster, options: DecisionOptions): Decision {
  const { nodes } = cluster
  const begun = beginAttempt(info, cluster, options.defaults)
  if ('filter' in begun) return { unfit: unfitBy(begun, nodes) }
  const rejections = new Map<string, Rejection>()
  const feasible = feasibleNodes(begun, rejections, options)
  const [only] = feasible
  if (only === undefined) {
    const facts = { nodes: nodes.length, rejections, general: undefined, attempt: begun }
    return { unfit: facts }
  }
  const chosen = feasible.length === 1 ? only : bestOf(begun, feasible, options)
  const plan = begun.volumes && planVolumes(begun.volumes, chosen, cluster)
  return { node: chosen.name, volumes: plan && 'filter' in plan ? undefined : plan }
}

function unfitBy(general: Rejection, nodes: readonly NodeInfo[]): Unfit {
  const rejections = new Map(nodes.map(({ name }) => [name, general]))
  return { nodes: nodes.length, rejections, general, attempt: undefined }
}

/** The node that the pod waits for, if it will do; otherwise as many as are to be compared. */
function feasibleNodes(
  attempt: Attempt,
  rejections: Map<string, Rejection>,
  options: DecisionOptions,
): readonly NodeInfo[] {
  const { info, cluster, named } = attempt
  const nominated = cluster.node(info.pod.status?.nominatedNodeName ?? '')
  if (nominated !== undefined) {
    const rejection = rejectionBesideNominated(attempt, nominated)
    if (rejection === undefined) return [nominated]
    rejections.set(nominated.name, rejection)
  }
  const all = cluster.nodes
  const nodes = named === undefined ? all : all.filter(({ name }) => named.has(name))
  const enough = wanted(nodes.length, options.percentageOfNodes)
  const feasible: NodeInfo[] = []
  let looked = 0
  for (; looked < nodes.length && feasible.length < enough; looked++) {
    const node = nodes[(options.cursor + looked) % nodes.length]!
    const rejection = rejectionBesideNominated(attempt, node)
    if (rejection === undefined) feasible.push(node)
    else rejections.set(node.name, rejection)
  }
  if (all.length > 0) options.cursor = (options.cursor + looked) % all.length
  return feasible
}

function wanted(nodes: number, percentage: number): number {
  if (nodes < fewNodes) return nodes
  const adaptive = Math.max(leastPercentage, 50 - Math.trunc(nodes / 125))
  const part = percentage === 0 ? adaptive : percentage
  return Math.max(fewNodes, Math.trunc((nodes * part) / 100))
}

function bestOf(
  { info, cluster, defaults }: Attempt,
  feasible: readonly NodeInfo[],
  { random, compared }: DecisionOptions,
): NodeInfo {
  const pods = info.class
  const own = pods.spread?.preferred
  const constraints = own ?? defaultConstraints(pods, defaults, cluster.lookups, 'ScheduleAnyway')
  const strict = own !== undefined || !defaults.isUsual
  const scores = scoresOf(pods, feasible, cluster, { constraints, strict })
  compared?.(info, feasible, scores)
  const top = Math.max(...scores)
  const equal = feasible.filter((_, at) => scores[at] === top)
  return equal[Math.min(equal.length - 1, Math.floor(random() * equal.length))]!
}
