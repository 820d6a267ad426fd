import type { Clock } from '../../kernel/async/clock.ts'
import type { Metrics } from '../../observe/observe.ts'

/** What a queue counts of its keys. */
export interface QueueMetrics {
  /** A key that did not stand in the queue does now. */
  added(item: string): void
  taken(item: string): void
  finished(item: string): void
  retried(): void
}

/** Counts under the queue's name. Its depth is looked up when metrics are collected. */
export function createQueueMetrics(
  metrics: Metrics,
  name: string,
  clock: Clock,
  depth: () => number,
): QueueMetrics {
  const labels = [name]
  const adds = metrics.counter('workqueue_adds_total')
  const retries = metrics.counter('workqueue_retries_total')
  const waited = metrics.histogram('workqueue_queue_duration_seconds').withLabelValues(labels)
  const worked = metrics.histogram('workqueue_work_duration_seconds').withLabelValues(labels)
  const waiting = new Map<string, number>()
  const working = new Map<string, number>()
  collectGauges(metrics, labels, working, clock, depth)
  return {
    added(item) {
      adds.add(labels)
      waiting.set(item, clock.monotonic())
    },
    taken(item) {
      const now = clock.monotonic()
      waited((now - (waiting.get(item) ?? now)) / 1000)
      waiting.delete(item)
      working.set(item, now)
    },
    finished(item) {
      const began = working.get(item)
      working.delete(item)
      if (began !== undefined) worked((clock.monotonic() - began) / 1000)
    },
    retried: () => retries.add(labels),
  }
}

/** Gauges of work under way: a run that hangs is seen in them, since it never ends. */
function collectGauges(
  metrics: Metrics,
  labels: readonly string[],
  working: ReadonlyMap<string, number>,
  clock: Clock,
  depth: () => number,
): void {
  const standing = metrics.gauge('workqueue_depth')
  const unfinished = metrics.gauge('workqueue_unfinished_work_seconds')
  const longest = metrics.gauge('workqueue_longest_running_processor_seconds')
  metrics.onCollect(() => {
    const now = clock.monotonic()
    const seconds = [...working.values()].map((began) => (now - began) / 1000)
    standing.set(labels, depth())
    unfinished.set(
      labels,
      seconds.reduce((sum, one) => sum + one, 0),
    )
    longest.set(labels, Math.max(0, ...seconds))
  })
}
