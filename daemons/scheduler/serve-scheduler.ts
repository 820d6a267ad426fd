import type { DaemonServer } from '../../runtime/daemon/daemon.ts'
import { onAbort } from '../../runtime/kernel/async/abort-signal.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import type { EnabledGates } from '../../runtime/kernel/descriptors/enabled-gates.ts'
import { createMetrics, showGates } from '../../runtime/observe/observe.ts'
import { createScheduler } from '../../runtime/scheduler/scheduler.ts'
import { daemonClients } from '../client-daemon/clients.ts'
import { platformWhenReached, programName } from '../client-daemon/reach-server.ts'
import type { Serving } from '../client-daemon/run-on-lease.ts'
import type { SchedulerFacts } from './facts.ts'
import { type SchedulerFlags, spreadOn } from './scheduler-settings.ts'

/** What the daemon runs with. */
export interface Setup extends Serving {
  readonly settings: SchedulerFlags
  readonly gates: EnabledGates
}

/** Runs the scheduler and serves the port until `signal` aborts or the lease is lost. @throws what keeps it from starting. */
export async function serveScheduler(
  { platform: own, metrics: table, features }: SchedulerFacts,
  { settings, gates, log, print }: Setup,
  signal: AbortSignal,
): Promise<'stopped' | 'lease lost'> {
  const { connection, qps, burst, lease } = settings
  const metrics = createMetrics(table, {
    ...{ ...settings.metrics, release: own.release, daemon: 'scheduler' },
    onDeprecated: (name, deprecated) => log.warn('metric is deprecated', { name, deprecated }),
  })
  showGates(metrics, own, features, gates)
  const program = programName('scheduler', own)
  const clients = daemonClients({
    ...{ connection, qps, burst, program, platform: own, clock: systemClock, metrics },
  })
  let port: DaemonServer | undefined
  try {
    const platform = await platformWhenReached(clients.client, own, signal)
    if (platform === undefined) return 'stopped'
    const defaultSpread = await spreadOn(settings.spread, platform)
    const named = (text: string) =>
      text.replace(new RegExp(`^${own.prefix}-(?=scheduler$|system$)`), `${platform.prefix}-`)
    const scheduler = await createScheduler({
      ...{ ...settings.scheduling, client: clients.client, platform, clock: systemClock },
      ...{ log, metrics },
      ...(defaultSpread && { defaultSpread }),
      ...(lease && {
        leaderElection: {
          ...{ ...lease, name: named(lease.name), namespace: named(lease.namespace) },
          client: clients.own('leader-election'),
        },
      }),
    })
    let isLost = false
    const check = {
      name: 'leaderElection',
      check() {
        if (isLost) throw new Error('the lease was lost')
      },
    }
    if (settings.port !== undefined) {
      const { openPort } = await import('../client-daemon/port.ts')
      port = await openPort({
        ...{ settings: settings.port, gates, own, platform, program, metrics, log, signal },
        ...{ clock: systemClock, checks: [check] },
      })
    }
    const address = port === undefined ? '' : ` ${port.url}`
    scheduler.ready.then(
      () => print(`ready${address}`),
      (error: unknown) => log.error('the scheduler is not ready', {}, error),
    )
    const stay = onAbort(signal, () => port?.drain())
    const end = await scheduler.run(signal)
    isLost = end === 'lease lost'
    stay()
    if (end === 'stopped') await port?.stop()
    return end
  } finally {
    port?.stop().catch(() => {})
    await clients.close()
  }
}
