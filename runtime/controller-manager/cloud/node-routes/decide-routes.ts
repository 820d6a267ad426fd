import type { Node, NodeAddress } from '../../../../generated/apis/core/v1/node.ts'
import type { CloudRoute } from '../../../cloud/cloud.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { addressAt, offsetIn, parseRange, type Range } from '../../../kernel/values/ip-ranges.ts'

/** What there is to do so that each range of a node has its route. */
export interface RoutesPlan {
  /** First these go. */
  readonly removed: readonly CloudRoute[]
  /** Then these come. */
  readonly added: readonly NewRoute[]
  /** Nodes with ranges or routes: of these it is said whether they can be reached. */
  readonly routed: readonly RoutedNode[]
}

/** A route that a node misses. */
export interface NewRoute {
  readonly node: Stored<Node>
  readonly range: string
}

/** A node, and how many routes it has to have. */
export interface RoutedNode {
  readonly node: Stored<Node>
  readonly ranges: number
}

/**
 * What there is to do about the routes of a cluster: those within its ranges that lead to no node, or to one of other addresses or ranges,
 * go; those that nodes miss come. Routes of other ranges are left alone.
 */
export function decideRoutes(
  nodes: readonly Stored<Node>[],
  routes: readonly CloudRoute[],
  clusterRanges: readonly Range[],
): RoutesPlan {
  const byNode = new Map<string, CloudRoute[]>()
  for (const route of routes) {
    if (route.node === undefined || route.node === '') continue
    byNode.set(route.node, [...(byNode.get(route.node) ?? []), route])
  }
  const kept = new Set<string>()
  const added: NewRoute[] = []
  const routed: RoutedNode[] = []
  for (const node of nodes) {
    const { name } = node.metadata
    const own = byNode.get(name) ?? []
    const ranges = node.spec?.podCIDRs ?? []
    if (ranges.length === 0 && own.length === 0) continue
    routed.push({ node, ranges: ranges.length })
    for (const range of ranges) {
      const route = own.find((one) => one.range === range)
      if (route !== undefined && !isDead(route) && leadsTo(route, node))
        kept.add(keyOf(name, range))
      else added.push({ node, range })
    }
  }
  const removed = routes.filter(
    (route) =>
      isWithin(route.range, clusterRanges) &&
      (isDead(route) || !kept.has(keyOf(route.node ?? '', route.range))),
  )
  return { removed, added, routed }
}

function keyOf(node: string, range: string): string {
  return `${node} ${range}`
}

function isDead({ blackhole }: CloudRoute): boolean {
  return blackhole === true
}

/** True for a route that does not depend on addresses, or knows those of the node. */
function leadsTo({ addresses }: CloudRoute, { status }: Stored<Node>): boolean {
  return addresses === undefined || sameAddresses(addresses, status?.addresses ?? [])
}

function sameAddresses(known: readonly NodeAddress[], now: readonly NodeAddress[]): boolean {
  return known.length === now.length && known.every((one) => now.some((two) => deepEqual(one, two)))
}

/** True if the first or the last address of a range is one of the cluster's. */
function isWithin(text: string, clusterRanges: readonly Range[]): boolean {
  const range = parseRange(text)
  if (range === undefined) return false
  const width = range.family === 4 ? 32 : 128
  const last = range.first + (1n << BigInt(width - range.bits)) - 1n
  const ends = [range, { ...range, first: last }].map((one) => addressAt(one, 0))
  return clusterRanges.some((cluster) => ends.some((end) => offsetIn(cluster, end) !== undefined))
}
