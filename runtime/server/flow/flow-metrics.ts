import type { Metrics } from '../../observe/observe.ts'

/** What flow control counts, each with the level and the schema. */
export interface FlowMetrics {
  nominal(level: string, seats: number): void
  entered(level: string, schema: string, seats: number): void
  left(level: string, schema: string, seats: number): void
  queued(level: string, schema: string, by: number): void
  waited(level: string, schema: string, ms: number, execute: boolean): void
  refused(level: string, schema: string, reason: string): void
}

const prefix = 'apiserver_flowcontrol_'

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
    entered(level, schema, seats) {
      const labels = [level, schema]
      requests.add(labels, 1)
      taken.add(labels, seats)
      dispatched.add(labels)
    },
    left(level, schema, seats) {
      const labels = [level, schema]
      requests.add(labels, -1)
      taken.add(labels, -seats)
    },
    queued: (level, schema, by) => inQueue.add([level, schema], by),
    waited(level, schema, ms, execute) {
      inQueue.add([level, schema], -1)
      wait.observe([level, schema, String(execute)], ms / 1000)
    },
    refused: (level, schema, reason) => rejected.add([level, schema, reason]),
  }
}
