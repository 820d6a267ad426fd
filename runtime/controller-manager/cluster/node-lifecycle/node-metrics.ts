import type { Metrics } from '../../../observe/observe.ts'
import type { ZoneCount } from './zones.ts'

/** Counts of nodes by their zones. */
export interface NodeMetrics {
  /** All nodes were looked at, and what that asked for was written. */
  looked(zones: ReadonlyMap<string, ZoneCount>, ms: number): void
  /** Pods of a node of the zone have to leave. */
  evicted(zone: string): void
}

/** Counts under the names that dashboards of release 1.29 know. */
export function nodeMetrics(metrics: Metrics): NodeMetrics {
  const prefix = 'node_collector'
  const health = metrics.gauge(`${prefix}_zone_health`)
  const size = metrics.gauge(`${prefix}_zone_size`)
  const unhealthy = metrics.gauge(`${prefix}_unhealthy_nodes_in_zone`)
  const evictions = metrics.counter(`${prefix}_evictions_total`)
  const seconds = metrics.histogram(`${prefix}_update_all_nodes_health_duration_seconds`)
  return {
    looked(zones, ms) {
      for (const gauge of [health, size, unhealthy]) gauge.clear()
      for (const [zone, { ready, notReady }] of zones) {
        health.set([zone], (100 * ready) / (ready + notReady))
        size.set([zone], ready + notReady)
        unhealthy.set([zone], notReady)
        evictions.add([zone], 0)
      }
      seconds.observe([], ms / 1000)
    },
    evicted: (zone) => evictions.add([zone]),
  }
}
