import type { DaemonServer, HealthCheck } from '../daemon/daemon.ts'
import { type Clock, systemClock } from '../kernel/async/clock.ts'
import { type Log, type Metrics, silentLog } from '../observe/observe.ts'
import type { Manager } from '../reconcile/reconcile.ts'
import { printGraph } from './print-graph.ts'
import { printReport } from './print-report.ts'

/** What an operator serves beside its work, and where. */
export interface ServeOperatorOptions {
  readonly manager: Manager
  /** What `/metrics` shows: those that the manager and the client were given. */
  readonly metrics: Metrics
  /** 0 picks a free one. */
  readonly port: number
  /** The address that is listened on. Default: all of them, since probes come from outside of a container. */
  readonly host?: string
  /** Conditions of being healthy and ready beside those of the manager. */
  readonly checks?: readonly HealthCheck[]
  readonly clock?: Clock
  readonly log?: Log
}

/** The server of an operator. */
export type OperatorServer = DaemonServer

/**
 * Serves `/healthz`, `/livez`, `/readyz`, `/metrics` and `/debug/orch` of an operator until it is stopped. It is ready once every cache of
 * the manager has its first list; `?verbose` and `/readyz/<check>` show the checks one by one.
 *
 * @throws the error of node:net if the address cannot be bound.
 * @example
 * const server = await serveOperator({ manager, metrics, log, port: 8081 })
 * await manager.run(stop.signal)
 * await server.stop()
 */
export async function serveOperator(options: ServeOperatorOptions): Promise<OperatorServer> {
  const { manager, metrics, port, host = '0.0.0.0', checks = [] } = options
  const { clock = systemClock, log = silentLog } = options
  const [{ serveDaemon }, { platform }] = await Promise.all([
    import('../daemon/daemon.ts'),
    import('../../generated/platform.ts'),
  ])
  const caches: HealthCheck = {
    name: 'caches-synced',
    endpoints: ['readyz'],
    check() {
      if (!manager.report().synced) throw new Error('a cache has not had its first list yet')
    },
  }
  return serveDaemon({
    ...{ platform, metrics, clock, log, listen: { host, port } },
    checks: [caches, ...checks],
    debug: {
      json: () => ({ ...manager.report(), graph: manager.graph() }),
      text: () => `${printReport(manager.report())}\n${printGraph(manager.graph())}`,
    },
  })
}
