/** How fast pods are evicted in a zone, by how many of its nodes are ready. */

import type { Node } from '../../../../generated/apis/core/v1/node.ts'
import type { NodeLifecycleControllerConfiguration } from '../../../../generated/config/manager/v1alpha1.ts'

/** The nodes of a zone, counted. */
export interface ZoneCount {
  readonly ready: number
  readonly notReady: number
}

/** How many nodes a zone loses in a second, and when the next one may be. */
export interface Pace {
  readonly perSecond: number
  /** By the monotonic clock. */
  readonly freeAt: number
}

/** The rates that are set. */
export type ZoneSettings = Pick<
  NodeLifecycleControllerConfiguration,
  | 'NodeEvictionRate'
  | 'SecondaryNodeEvictionRate'
  | 'LargeClusterSizeThreshold'
  | 'UnhealthyZoneThreshold'
>

/** What a node's zone is known by: its region and its zone; empty if it names neither. */
export function zoneOf({ metadata: { labels = {} } }: Node, domain: string): string {
  const of = (what: string) =>
    labels[`failure-domain.beta.${domain}/${what}`] ?? labels[`topology.${domain}/${what}`] ?? ''
  const [region, zone] = [of('region'), of('zone')]
  return region === '' && zone === '' ? '' : `${region}:\0:${zone}`
}

/** True for a zone without a single node that is ready. */
export function isLost({ ready, notReady }: ZoneCount): boolean {
  return ready === 0 && notReady > 0
}

/**
 * Nodes a second that may lose their pods in a zone: fewer, or none in a small zone, if so many of its nodes are not ready that this may be the
 * fault of the network.
 */
export function evictionRate(count: ZoneCount, settings: ZoneSettings): number {
  const { ready, notReady } = count
  const size = ready + notReady
  const isUnhealthy = notReady > 2 && notReady / size >= settings.UnhealthyZoneThreshold
  if (isLost(count) || !isUnhealthy) return settings.NodeEvictionRate
  return size > settings.LargeClusterSizeThreshold ? settings.SecondaryNodeEvictionRate : 0
}

/** The pace of a zone once it has a rate: one that had none, or had just used its turn, waits for the next one. */
export function paceAt(known: Pace | undefined, perSecond: number, monotonic: number): Pace {
  if (known === undefined) return { perSecond, freeAt: monotonic }
  if (known.perSecond === perSecond) return known
  return isFree(known, monotonic) ? { ...known, perSecond } : spent(perSecond, monotonic)
}

/** True if a node of the zone may lose its pods now. */
export function isFree({ perSecond, freeAt }: Pace, monotonic: number): boolean {
  return perSecond > 0 && freeAt <= monotonic
}

/** The pace of a zone that has just used its turn. */
export function spent(perSecond: number, monotonic: number): Pace {
  return { perSecond, freeAt: monotonic + 1000 / perSecond }
}
