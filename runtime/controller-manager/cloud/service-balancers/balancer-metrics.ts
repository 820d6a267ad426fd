import type { Clock } from '../../../kernel/async/clock.ts'
import type { Metrics } from '../../../observe/observe.ts'

/** Counts of balancers that are put in front of other nodes. */
export interface BalancerMetrics {
  /** Asks the cloud to do so, and counts that, how long it took, and whether it failed. */
  nodesUpdated<T>(clock: Clock, ask: () => Promise<T>): Promise<T>
}

/** Counts under the names that dashboards of release 1.29 know. */
export function balancerMetrics(metrics: Metrics): BalancerMetrics {
  const prefix = 'service_controller'
  const total = metrics.counter(`${prefix}_loadbalancer_sync_total`)
  const failed = metrics.counter(`${prefix}_nodesync_error_total`)
  const cloudSeconds = metrics.histogram(`${prefix}_update_loadbalancer_host_latency_seconds`)
  total.add([], 0)
  failed.add([], 0)
  return {
    async nodesUpdated(clock, ask) {
      const begun = clock.monotonic()
      total.add([])
      try {
        return await ask()
      } catch (error) {
        failed.add([])
        throw error
      } finally {
        cloudSeconds.observe([], (clock.monotonic() - begun) / 1000)
      }
    },
  }
}
