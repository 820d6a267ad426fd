import type { Clock } from '../../kernel/async/clock.ts'
import type { Metrics } from '../../observe/observe.ts'

/** Counts reviews, by the path that they are sent to. */
export interface ReviewMetrics {
  /** A review begins; the returned function ends it, with the status that it was answered with. */
  began(path: string): (status: number) => void
}

/** Counts under the names of controller-runtime. */
export function createReviewMetrics(metrics: Metrics, clock: Clock): ReviewMetrics {
  const total = metrics.counter('controller_runtime_webhook_requests_total')
  const latency = metrics.histogram('controller_runtime_webhook_latency_seconds')
  const underWay = metrics.gauge('controller_runtime_webhook_requests_in_flight')
  const counts = new Map<string, number>()
  const count = (path: string, change: number): void => {
    const now = (counts.get(path) ?? 0) + change
    counts.set(path, now)
    underWay.set([path], now)
  }
  return {
    began(path) {
      const began = clock.monotonic()
      count(path, 1)
      return (status) => {
        count(path, -1)
        total.add([String(status), path])
        latency.withLabelValues([path])((clock.monotonic() - began) / 1000)
      }
    },
  }
}
