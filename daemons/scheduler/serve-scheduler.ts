import { arch, type } from 'node:os'
import type { Client } from '../../runtime/client/client.ts'
import { platformOfServer } from '../../runtime/controller-manager/controller-manager.ts'
import type { DaemonServer } from '../../runtime/daemon/daemon.ts'
import { onAbort } from '../../runtime/kernel/async/abort-signal.ts'
import { pause, systemClock } from '../../runtime/kernel/async/clock.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import { type AdjustableLog, createMetrics } from '../../runtime/observe/observe.ts'
import { createScheduler } from '../../runtime/scheduler/scheduler.ts'
import { managerClients } from '../controller-manager/clients.ts'
import { packageVersion } from '../version.ts'
import type { SchedulerFacts } from './facts.ts'
import { type SchedulerFlags, spreadOn } from './scheduler-settings.ts'

/** What the daemon runs with. */
export interface Setup {
  readonly settings: SchedulerFlags
  readonly log: AdjustableLog
  /** Writes one line to standard output. */
  readonly print: (line: string) => void
}

/** Runs the scheduler and serves the port until `signal` aborts or the lease is lost. @throws what keeps it from starting. */
export async function serveScheduler(
  { platform: own, metrics: table }: SchedulerFacts,
  { settings, log, print }: Setup,
  signal: AbortSignal,
): Promise<'stopped' | 'lease lost'> {
  const { connection, qps, burst, lease } = settings
  const metrics = createMetrics(table, {
    ...{ ...settings.metrics, release: own.release, daemon: 'scheduler' },
    onDeprecated: (name, deprecated) => log.warn('metric is deprecated', { name, deprecated }),
  })
  const program = programName(own)
  const clients = managerClients({
    ...{ connection, qps, burst, program, platform: own, clock: systemClock, metrics },
  })
  let port: DaemonServer | undefined
  try {
    const platform = await platformWhenReached(clients.client, own, signal)
    if (platform === undefined) return 'stopped'
    const defaultSpread = spreadOn(settings.spread, platform)
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
      const { openPort } = await import('../controller-manager/port.ts')
      port = await openPort({
        ...{ settings: settings.port, own, platform, program, metrics, log, signal },
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

/** How requests name the program: `orch-scheduler/v1.29.0 (linux/amd64) orch/0.1.0`. */
function programName({ prefix, release, brand }: Platform): string {
  const system = `${type().toLowerCase()}/${arch() === 'x64' ? 'amd64' : arch()}`
  return `${prefix}-scheduler/v${release} (${system}) ${brand}/${packageVersion()}`
}

/** How often a server is looked for that does not answer yet, and how long one look waits for the next. */
const looks = 10
const lookMs = 1000

/** The names of the server, which may start beside the daemon; undefined if `signal` aborts first. @throws why it cannot be reached. */
async function platformWhenReached(
  client: Client,
  own: Platform,
  signal: AbortSignal,
): Promise<Platform | undefined> {
  for (let look = 1; ; look++) {
    try {
      return await platformOfServer(client, own, signal)
    } catch (error) {
      if (signal.aborted) return undefined
      if (look === looks) throw error
      await pause(systemClock, lookMs, signal)
    }
  }
}
