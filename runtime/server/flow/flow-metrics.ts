import type { Metrics } from '../../observe/observe.ts'

/** Counts for flow control, each by priority level and flow schema. */
export interface FlowMetrics {
  /** The seats of a level. */
  nominal(level: string, seats: number): void
  /** A request got its seats. */
  entered(level: string, schema: string, seats: number): void
  /** A request gave its seats back. */
  left(level: string, schema: string, seats: number): void
  /** `by` requests more wait. */
  queued(level: string, schema: string, by: number): void
  /** A request waits no more, after `ms` milliseconds: `execute` if it got its seats. */
  waited(level: string, schema: string, ms: number, execute: boolean): void
  /** A request is rejected: `queue-full`, `concurrency-limit` or `time-out`. */
  refused(level: string, schema: string, reason: string): void
}

const prefix = 'apiserver_flowcontrol_'

/** The metrics of flow control in `metrics`, under their public names. */
export function createFlowMetrics(metrics: Metrics): FlowMetrics {
  const nominal = metrics.gauge(`${prefix}nominal_limit_seats`)
  const requests = metrics.gauge(`${prefix}current_executing_requests`)
  const taken = metrics.gauge(`${prefix}current_executing_seats`)
  const inQueue = metrics.gauge(`${prefix}current_inqueue_requests`)
  const dispatched = metrics.counter(`${prefix}dispatched_requests_total`)
  const rejected = metrics.counter(`${prefix}rejected_requests_total`)
  const wait = metrics.histogram(`${prefix}request_wait_duration_seconds`)
  return {
    nominal: (level, seats) => nominal.set([level], seats),
    /** A request got its seats. */
    entered(level, schema, seats) {
      const labels = [level, schema]
      requests.add(labels, 1)
      taken.add(labels, seats)
      dispatched.add(labels)
    },
    /** A request gave its seats back. */
    left(level, schema, seats) {
      const labels = [level, schema]
      requests.add(labels, -1)
      taken.add(labels, -seats)
    },
    queued: (level, schema, by) => inQueue.add([level, schema], by),
    /** A request waits no more, after `ms` milliseconds: `execute` if it got its seats. */
    waited(level, schema, ms, execute) {
      inQueue.add([level, schema], -1)
      wait.observe([level, schema, String(execute)], ms / 1000)
    },
    refused: (level, schema, reason) => rejected.add([level, schema, reason]),
  }
}
