import {
  type ControllerManager,
  createControllerManager,
  type EndOfRun,
} from '../../runtime/controller-manager/controller-manager.ts'
import type { DaemonServer } from '../../runtime/daemon/daemon.ts'
import { onAbort } from '../../runtime/kernel/async/abort-signal.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import type { EnabledGates } from '../../runtime/kernel/descriptors/enabled-gates.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import { parseDuration } from '../../runtime/kernel/values/duration.ts'
import { createMetrics, type Metrics, showGates } from '../../runtime/observe/observe.ts'
import { type DaemonClients, daemonClients } from '../client-daemon/clients.ts'
import { platformWhenReached, programName } from '../client-daemon/reach-server.ts'
import type { Serving } from '../client-daemon/run-on-lease.ts'
import { accountCredentials } from './account-credentials.ts'
import { electionOn } from './election-settings.ts'
import type { ControllerManagerFacts } from './facts.ts'
import type { ManagerSettings } from './manager-settings.ts'

/** What the daemon runs with. */
export interface Setup extends Serving {
  readonly settings: ManagerSettings
  readonly gates: EnabledGates
}

/** Runs the controllers and serves the port until `signal` aborts or a lease is lost. @throws what keeps it from starting. */
export async function serveControllers(
  facts: ControllerManagerFacts,
  setup: Setup,
  signal: AbortSignal,
): Promise<EndOfRun> {
  const { settings, log, print } = setup
  const { platform: own } = facts
  const metrics = createMetrics(facts.metrics, {
    ...{ ...settings.metrics, release: own.release, daemon: 'controller-manager' },
    onDeprecated: (name, deprecated) => log.warn('metric is deprecated', { name, deprecated }),
  })
  showGates(metrics, own, facts.features, setup.gates)
  const { qps, burst } = settings.configuration.Generic.ClientConnection
  const { connection } = settings
  const program = programName('controller-manager', own)
  const clients = daemonClients({
    ...{ connection, qps, burst, program, platform: own, clock: systemClock, metrics },
  })
  let port: DaemonServer | undefined
  try {
    const platform = await platformWhenReached(clients.client, own, signal)
    if (platform === undefined) return 'stopped'
    const manager = await managerOn(platform, clients, { own, metrics, ...setup })
    port = await portOf(manager, { facts, setup, platform, program, metrics, signal })
    const address = port === undefined ? '' : ` ${port.url}`
    manager.ready.then(
      () => print(`ready${address}`),
      (error: unknown) => log.error('controllers are not ready', {}, error),
    )
    const stay = onAbort(signal, () => port?.drain())
    const end = await manager.run(signal)
    stay()
    if (end === 'stopped') await port?.stop()
    return end
  } finally {
    port?.stop().catch(() => {})
    await clients.close()
  }
}

/** The controllers, each with a client of its own. */
function managerOn(
  platform: Platform,
  clients: DaemonClients,
  { own, metrics, settings, gates, log }: Setup & { own: Platform; metrics: Metrics },
): Promise<ControllerManager> {
  const { configuration, controllers, rootCertificates, tokenKey, cloud } = settings
  const { Generic, OrchCloudShared } = configuration
  const { leaderElection, migration } = electionOn(platform, own, settings.election)
  const client = clients.own('leader-election')
  const credentialsOf = (account: string) =>
    accountCredentials(clients.client, account, platform, systemClock, settings.connection.ca)
  return createControllerManager({
    ...{ controllers, configuration, gates, platform, clock: systemClock, log, metrics },
    client: clients.client,
    clientOf: ({ account }, as) =>
      OrchCloudShared.UseServiceAccountCredentials && as === 'account'
        ? clients.withCredentials(credentialsOf(account), account)
        : clients.own(account),
    startIntervalMs: parseDuration(Generic.ControllerStartInterval) ?? 0,
    ...(leaderElection && { leaderElection: { ...leaderElection, client } }),
    ...(migration && {
      migration: { ...migration, leaderElection: { ...migration.leaderElection, client } },
    }),
    ...(rootCertificates !== undefined && { rootCertificates: () => rootCertificates }),
    ...(tokenKey !== undefined && { tokenKey: () => tokenKey }),
    ...(cloud !== undefined && { cloud }),
  })
}

/** What the port is served with. */
interface PortParts {
  readonly facts: ControllerManagerFacts
  readonly setup: Setup
  readonly platform: Platform
  readonly program: string
  readonly metrics: Metrics
  readonly signal: AbortSignal
}

async function portOf(
  { checks }: ControllerManager,
  { facts, setup: { settings, gates, log }, ...rest }: PortParts,
): Promise<DaemonServer | undefined> {
  const { port, configuration } = settings
  if (port === undefined) return undefined
  const { openPort } = await import('../client-daemon/port.ts')
  const component = facts.options.config?.apiVersion.replace(/\/.*/s, '') ?? ''
  return openPort({
    ...{ ...rest, settings: port, gates, own: facts.platform, checks, clock: systemClock, log },
    configz: () => ({ [component]: configuration }),
  })
}
