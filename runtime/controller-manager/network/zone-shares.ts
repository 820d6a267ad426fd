/** How the processors of a cluster are spread over its zones. */
import type { Node } from '../../../generated/apis/core/v1/node.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { parseResourceList } from '../../pods/pods.ts'

/** The part of each zone, which together are 1. */
export type ZoneShares = ReadonlyMap<string, number>

type SeenNode = Pick<Node, 'metadata' | 'status'>

/** True for a node that pods can run on. */
export function isReadyNode({ status }: Pick<Node, 'status'>): boolean {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True'
}

/** The zone that a node says it is in; empty for one that says none. */
export function zoneOfNode({ metadata }: Pick<Node, 'metadata'>, { domain }: Platform): string {
  return metadata?.labels?.[`topology.${domain}/zone`] ?? ''
}

/**
 * The share of each zone in the processors of ready nodes, those of the control plane left out. Undefined where one of them does not say
 * its zone or has none, or where all are in one zone.
 */
export function zoneShares(nodes: readonly SeenNode[], platform: Platform): ZoneShares | undefined {
  const zones = new Map<string, number>()
  for (const node of nodes) {
    if (isOfControlPlane(node, platform) || !isReadyNode(node)) continue
    const { nanos = 0n } = parseResourceList(node.status?.allocatable).get('cpu') ?? {}
    const zone = zoneOfNode(node, platform)
    if (zone === '' || nanos === 0n) return undefined
    zones.set(zone, (zones.get(zone) ?? 0) + Number(nanos / 1_000_000n))
  }
  if (zones.size < 2) return undefined
  const total = [...zones.values()].reduce((sum, one) => sum + one, 0)
  return new Map([...zones].sort().map(([zone, amount]) => [zone, amount / total]))
}

function isOfControlPlane({ metadata }: SeenNode, { domain }: Platform): boolean {
  const { labels = {} } = metadata ?? {}
  return ['control-plane', 'master'].some((role) => `node-role.${domain}/${role}` in labels)
}
