import type { Metrics } from '../../observe/observe.ts'
import type { Outcome } from '../controller/outcome.ts'

/** What a controller counts of its runs. */
export interface RunMetrics {
  began(): void
  ended(outcome: Outcome, ms: number): void
}

/** Counts under the controller's name, all of it from 0 on. Nothing is counted by object: objects are without a bound. */
export function createRunMetrics(metrics: Metrics, name: string, concurrency: number): RunMetrics {
  const labels = [name]
  const total = metrics.counter('controller_runtime_reconcile_total')
  const errors = metrics.counter('controller_runtime_reconcile_errors_total')
  const terminal = metrics.counter('controller_runtime_terminal_reconcile_errors_total')
  const active = metrics.gauge('controller_runtime_active_workers')
  const time = metrics.histogram('controller_runtime_reconcile_time_seconds')
  const observe = time.withLabelValues(labels)
  metrics.gauge('controller_runtime_max_concurrent_reconciles').set(labels, concurrency)
  active.set(labels, 0)
  for (const counter of [errors, terminal]) counter.add(labels, 0)
  for (const result of ['success', 'error', 'requeue', 'requeue_after'])
    total.add([name, result], 0)
  return {
    began: () => active.add(labels, 1),
    ended(outcome, ms) {
      active.add(labels, -1)
      observe(ms / 1000)
      total.add([name, resultOf(outcome)])
      if (outcome.is === 'failed' || outcome.is === 'terminal') errors.add(labels)
      if (outcome.is === 'terminal') terminal.add(labels)
    },
  }
}

/** An outcome as dashboards know it. */
function resultOf(outcome: Outcome): string {
  if (outcome.is === 'done') return 'success'
  if (outcome.is === 'again') return outcome.ms > 0 ? 'requeue_after' : 'requeue'
  return 'error'
}
