import type { Metrics } from '../../../observe/observe.ts'
import type { RangePlan } from './decide-ranges.ts'
import type { Pool } from './node-pools.ts'

/** Counts of the parts of pools that nodes have. */
export interface RangeMetrics {
  /** Nodes were looked at, and these got their ranges. */
  looked(plan: RangePlan, given: RangePlan['given']): void
}

/** Counts under the names that dashboards of release 1.29 know. */
export function rangeMetrics(metrics: Metrics, pools: readonly Pool[]): RangeMetrics {
  const prefix = 'node_ipam_controller'
  const allocations = metrics.counter(`${prefix}_cidrset_cidrs_allocations_total`)
  const releases = metrics.counter(`${prefix}_cidrset_cidrs_releases_total`)
  const usage = metrics.gauge(`${prefix}_cidrset_usage_cidrs`)
  const tries = metrics.histogram(`${prefix}_cidrset_allocation_tries_per_request`)
  const most = metrics.gauge(`${prefix}_cirdset_max_cidrs`)
  for (const { text, size } of pools) most.set([text], size)
  const known = pools.map(() => 0)
  return {
    looked({ used }, given) {
      for (const [at, { text, size }] of pools.entries()) {
        const before = known[at] ?? 0
        const found = used[at] ?? 0
        if (found < before) releases.add([text], before - found)
        // Those of nodes that had theirs when they were first seen count, too.
        const fresh = Math.max(0, found - before) + given.length
        if (fresh > 0) allocations.add([text], fresh)
        for (const one of given) tries.observe([text], one.tries[at] ?? 0)
        known[at] = found + given.length
        usage.set([text], known[at] / size)
      }
    },
  }
}
