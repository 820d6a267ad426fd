import type { Lease } from '../../../../generated/apis/coordination/v1.ts'
import type { Node, NodeCondition, Taint } from '../../../../generated/apis/core/v1/node.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import {
  type GracePeriods,
  hearNode,
  isSilent,
  type Moment,
  type NodeHealth,
  readyOf,
  silentConditions,
} from './node-health.ts'
import {
  evictionRate,
  isFree,
  isLost,
  type Pace,
  paceAt,
  spent,
  type ZoneCount,
  type ZoneSettings,
  zoneOf,
} from './zones.ts'

/** What is seen of nodes. */
export interface ObservedNodes {
  readonly nodes: readonly Stored<Node>[]
  /** The lease that the agent of a node renews. */
  readonly leaseOf: (node: string) => Stored<Lease> | undefined
}

/** What is remembered from one look to the next. */
export interface NodesMemory {
  readonly health: ReadonlyMap<string, NodeHealth>
  readonly paces: ReadonlyMap<string, Pace>
  /** When nodes were looked at last, by the monotonic clock. */
  readonly lookedAt: number | undefined
  /** No zone has a node that is ready: it is the control plane that is cut off, and nothing is evicted. */
  readonly isCutOff: boolean
}

/** Names and figures by which nodes are judged. */
export interface NodesSettings extends ZoneSettings {
  readonly grace: GracePeriods
  /** Milliseconds between two looks. */
  readonly periodMs: number
  readonly agent: string
  readonly domain: string
}

/** What there is to do about nodes, and what is to be remembered. */
export interface NodesPlan {
  /** Seen for the first time. */
  readonly registered: readonly Stored<Node>[]
  /** Seen for the last time. */
  readonly removed: readonly Stored<Node>[]
  /** Nodes that fell silent, and what their conditions are then. */
  readonly silent: readonly SilentNode[]
  /** Nodes that pods must leave, as far as the pace of their zone allows: the key of the taint. */
  readonly evicting: readonly EvictingNode[]
  /** Nodes that pods need not leave any more. */
  readonly spared: readonly Stored<Node>[]
  /** Milliseconds until the next node may lose its pods; undefined if none is to. */
  readonly dueMs: number | undefined
  /** How many nodes are ready in each zone. */
  readonly zones: ReadonlyMap<string, ZoneCount>
  readonly memory: NodesMemory
}

/** A node that fell silent. */
export interface SilentNode {
  readonly node: Stored<Node>
  readonly conditions: readonly NodeCondition[]
  /** It was ready until now. */
  readonly wasReady: boolean
}

/** A node that pods must leave. */
export interface EvictingNode {
  readonly node: Stored<Node>
  /** The key of the taint that tells them. */
  readonly taint: string
}

/** What is remembered before the first look. */
export const nothingKnown: NodesMemory = {
  ...{ health: new Map(), paces: new Map(), lookedAt: undefined, isCutOff: false },
}

/**
 * What there is to do about all nodes at a moment. Time between looks for which this process was stopped is held against no node.
 */
export function decideNodes(
  { nodes, leaseOf }: ObservedNodes,
  known: NodesMemory,
  settings: NodesSettings,
  moment: Moment,
): NodesPlan {
  const { agent, domain, grace } = settings
  const { now, monotonic } = moment
  const unseenMs = Math.max(0, monotonic - (known.lookedAt ?? monotonic) - 2 * settings.periodMs)
  const heard = nodes.map((node) => {
    const { name } = node.metadata
    const before = known.health.get(name)
    const later = before && { ...before, heardAt: before.heardAt + unseenMs }
    return hearNode(node, leaseOf(name), later, moment)
  })
  const silent = heard
    .filter((one) => isSilent(one, grace, moment))
    .flatMap(({ node }) => {
      const conditions = silentConditions(node, agent, now)
      return conditions ? [{ node, conditions, wasReady: readyOf(node)?.status === 'True' }] : []
    })
  const counts = countZones(nodes, new Set(silent.map(({ node }) => node)), domain)
  const isCutOff = counts.size > 0 && [...counts.values()].every(isLost)
  const heardAt = known.isCutOff && !isCutOff ? monotonic : undefined
  const health = heard.map((one) => [
    one.node.metadata.name,
    heardAt === undefined ? one : { ...one, heardAt },
  ]) as [string, NodeHealth][]
  const names = new Set(nodes.map(({ metadata }) => metadata.name))
  const evictions = decideEvictions(
    { nodes, counts, isCutOff, paces: known.paces },
    settings,
    moment,
  )
  return {
    registered: nodes.filter(({ metadata }) => !known.health.has(metadata.name)),
    removed: [...known.health].flatMap(([name, { node }]) => (names.has(name) ? [] : [node])),
    silent,
    evicting: evictions.evicting,
    spared: isCutOff ? nodes.filter((node) => isEvicting(node, domain)) : [],
    dueMs: evictions.dueMs,
    zones: counts,
    memory: { health: new Map(health), paces: evictions.paces, lookedAt: monotonic, isCutOff },
  }
}

/** How many nodes are ready in each zone, those aside that are excluded from such counts. */
function countZones(
  nodes: readonly Stored<Node>[],
  silent: ReadonlySet<Stored<Node>>,
  domain: string,
): ReadonlyMap<string, ZoneCount> {
  const counts = new Map<string, ZoneCount>()
  for (const node of nodes) {
    if (node.metadata.labels?.[`node.${domain}/exclude-disruption`] !== undefined) continue
    const zone = zoneOf(node, domain)
    const { ready, notReady } = counts.get(zone) ?? { ready: 0, notReady: 0 }
    const isReady = readyOf(node)?.status === 'True' && !silent.has(node)
    counts.set(zone, isReady ? { ready: ready + 1, notReady } : { ready, notReady: notReady + 1 })
  }
  return counts
}

interface ObservedZones {
  readonly nodes: readonly Stored<Node>[]
  readonly counts: ReadonlyMap<string, ZoneCount>
  readonly isCutOff: boolean
  readonly paces: ReadonlyMap<string, Pace>
}

/** In each zone the node that has not been ready for longest, if the zone has a turn. */
function decideEvictions(
  { nodes, counts, isCutOff, paces: known }: ObservedZones,
  settings: NodesSettings,
  { monotonic }: Moment,
): Pick<NodesPlan, 'evicting' | 'dueMs'> & Pick<NodesMemory, 'paces'> {
  const { domain } = settings
  const paces = new Map<string, Pace>()
  for (const zone of new Set(nodes.map((node) => zoneOf(node, domain)))) {
    const rate = evictionRate(counts.get(zone) ?? { ready: 0, notReady: 0 }, settings)
    paces.set(zone, paceAt(known.get(zone), isCutOff ? 0 : rate, monotonic))
  }
  const waiting = new Set<string>()
  const evicting: EvictingNode[] = []
  for (const node of [...nodes].sort(byTransition)) {
    const taint = evictionTaint(node, domain)
    if (taint === undefined || isEvicting(node, domain)) continue
    const zone = zoneOf(node, domain)
    const pace = paces.get(zone)
    waiting.add(zone)
    if (pace === undefined || !isFree(pace, monotonic)) continue
    paces.set(zone, spent(pace.perSecond, monotonic))
    evicting.push({ node, taint })
  }
  const due = [...waiting]
    .map((zone) => paces.get(zone))
    .flatMap((pace) => (pace && pace.perSecond > 0 ? [pace.freeAt - monotonic] : []))
  return { evicting, paces, dueMs: due.length === 0 ? undefined : Math.min(...due) }
}

/** The key of the taint by which pods leave a node that is not ready. */
export function evictionTaint(node: Node, domain: string): string | undefined {
  const status = readyOf(node)?.status
  if (status === 'False') return `node.${domain}/not-ready`
  return status === 'Unknown' ? `node.${domain}/unreachable` : undefined
}

/** True for a taint by which pods leave a node that is not ready. */
export function isEvictionTaint({ key, effect }: Taint, domain: string): boolean {
  return (
    effect === 'NoExecute' &&
    (key === `node.${domain}/not-ready` || key === `node.${domain}/unreachable`)
  )
}

/** True for a node that has such a taint. */
function isEvicting({ spec }: Node, domain: string): boolean {
  return spec?.taints?.some((taint) => isEvictionTaint(taint, domain)) === true
}

function byTransition(one: Stored<Node>, other: Stored<Node>): number {
  const rank = (node: Stored<Node>) =>
    `${readyOf(node)?.lastTransitionTime ?? ''} ${node.metadata.name}`
  const [a, b] = [rank(one), rank(other)]
  return a < b ? -1 : a > b ? 1 : 0
}
