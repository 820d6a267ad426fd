import type { Metrics } from '../../observe/observe.ts'

/** What came of trying a pod. */
export type AttemptResult = 'scheduled' | 'unschedulable' | 'error'

/** What a scheduler counts. Without metrics it counts nothing. */
export class SchedulerMetrics {
  readonly #metrics: Metrics | undefined

  constructor(metrics: Metrics | undefined) {
    this.#metrics = metrics
  }

  attempted(result: AttemptResult, profile: string, ms: number): void {
    this.#metrics?.counter('scheduler_schedule_attempts_total').add([result, profile])
    const duration = this.#metrics?.histogram('scheduler_scheduling_attempt_duration_seconds')
    duration?.observe([result, profile], ms / 1000)
  }

  decided(ms: number): void {
    const duration = this.#metrics?.histogram('scheduler_scheduling_algorithm_duration_seconds')
    duration?.observe([], ms / 1000)
  }

  bound(attempts: number, ms: number): void {
    this.#metrics?.histogram('scheduler_pod_scheduling_attempts').observe([], attempts)
    const label = attempts >= 15 ? '15+' : String(attempts)
    const duration = this.#metrics?.histogram('scheduler_pod_scheduling_sli_duration_seconds')
    duration?.observe([label], ms / 1000)
  }

  preempted(victims: number): void {
    this.#metrics?.counter('scheduler_preemption_attempts_total').add([])
    if (victims > 0) this.#metrics?.histogram('scheduler_preemption_victims').observe([], victims)
  }

  incoming(queue: string, event: string): void {
    this.#metrics?.counter('scheduler_queue_incoming_pods_total').add([queue, event])
  }

  /** Shows sizes whenever they are asked for. */
  show(
    pending: () => Readonly<Record<string, number>>,
    sizes: () => { readonly nodes: number; readonly pods: number; readonly assumed: number },
  ): void {
    const waiting = this.#metrics?.gauge('scheduler_pending_pods')
    const kept = this.#metrics?.gauge('scheduler_scheduler_cache_size')
    this.#metrics?.onCollect(() => {
      for (const [queue, count] of Object.entries(pending())) waiting?.set([queue], count)
      const { nodes, pods, assumed } = sizes()
      kept?.set(['nodes'], nodes)
      kept?.set(['pods'], pods)
      kept?.set(['assumed_pods'], assumed)
    })
  }
}
