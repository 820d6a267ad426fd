import { arch, type } from 'node:os'
import type { FeatureGates } from '../../runtime/config/config.ts'
import {
  createControllerManager,
  platformOfServer,
} from '../../runtime/controller-manager/controller-manager.ts'
import { keepAlive, pause, systemClock } from '../../runtime/kernel/async/clock.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'
import { parseDuration } from '../../runtime/kernel/values/duration.ts'
import { createLogger, createMetrics, type Log } from '../../runtime/observe/observe.ts'
import { collectEarly } from '../collection.ts'
import { readDaemonConfiguration } from '../daemon-configuration.ts'
import { printProblems } from '../daemon-flags.ts'
import type { Terminal } from '../run.ts'
import { packageVersion } from '../version.ts'
import { type ManagerClients, managerClients } from './clients.ts'
import { electionOn } from './election-settings.ts'
import type { ControllerManagerFacts } from './facts.ts'
import { type ManagerSettings, readManagerSettings } from './manager-settings.ts'

/**
 * The controller manager as a program: command line in, exit code out. Prints `ready` once its controllers work or wait for their lease. Ends
 * with 0 when it is told to, with 1 if it cannot start or another process has taken its lease. With `--check-config` it says everything
 * that would keep it from starting, and starts nothing.
 */
export async function runControllerManager(
  facts: ControllerManagerFacts,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const read = await readDaemonConfiguration(facts, terminal)
  if (read === undefined) return 0
  if (!read.isGood) return 1
  const { options, gates } = read.configuration
  const { daemon } = facts.options
  const { settings, problems, warnings } = await readManagerSettings(facts, read.configuration)
  for (const warning of warnings) terminal.printError(`${daemon}: ${warning}`)
  if (printProblems(daemon, problems, terminal)) return 1
  if (options.boolean('check-config')) return 0
  const log = await createLogger({
    level: options.number('v') >= 4 ? 'debug' : 'info',
    write: (line) => terminal.printError(line.trimEnd()),
  })
  collectEarly()
  const release = keepAlive()
  try {
    return await serve(facts, { settings, gates, log }, terminal, signal)
  } catch (error) {
    terminal.printError(`${daemon}: ${errorText(error)}`)
    return 1
  } finally {
    release()
  }
}

/** What the daemon runs with. */
interface Setup {
  readonly settings: ManagerSettings
  readonly gates: FeatureGates
  readonly log: Log
}

async function serve(
  { platform: own, metrics: table, options }: ControllerManagerFacts,
  { settings, gates, log }: Setup,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const { configuration, connection, controllers, rootCertificates, tokenKey } = settings
  const { Generic, OrchCloudShared } = configuration
  const clock = systemClock
  const metrics = createMetrics(table, {
    ...{ ...settings.metrics, release: own.release, daemon: 'controller-manager' },
    onDeprecated: (name, deprecated) => log.warn('metric is deprecated', { name, deprecated }),
  })
  const { qps, burst } = Generic.ClientConnection
  const program = programName(own)
  const clients = managerClients({
    ...{ connection, qps, burst, program, platform: own, clock, metrics },
  })
  try {
    const platform = await platformWhenReached(clients, own, signal)
    if (platform === undefined) return 0
    const { leaderElection, migration } = electionOn(platform, own, settings.election)
    const client = clients.own('leader-election')
    const manager = await createControllerManager({
      ...{ controllers, configuration, gates: gates.on, platform, clock, log, metrics },
      client: clients.client,
      clientOf: ({ account }) =>
        OrchCloudShared.UseServiceAccountCredentials
          ? clients.accountClient(account, platform)
          : clients.own(account),
      startIntervalMs: parseDuration(Generic.ControllerStartInterval) ?? 0,
      ...(leaderElection && { leaderElection: { ...leaderElection, client } }),
      ...(migration && {
        migration: { ...migration, leaderElection: { ...migration.leaderElection, client } },
      }),
      ...(rootCertificates !== undefined && { rootCertificates: () => rootCertificates }),
      ...(tokenKey !== undefined && { tokenKey: () => tokenKey }),
    })
    manager.ready.then(
      () => terminal.print('ready'),
      (error: unknown) => log.error('controllers are not ready', {}, error),
    )
    const end = await manager.run(signal)
    if (end === 'lease lost') terminal.printError(`${options.daemon}: the lease is lost`)
    return end === 'stopped' ? 0 : 1
  } finally {
    await clients.close()
  }
}

/** How requests name the program: `orch-controller-manager/v1.29.0 (linux/amd64) orch/0.1.0`. */
function programName({ prefix, release, brand }: Platform): string {
  const system = `${type().toLowerCase()}/${arch() === 'x64' ? 'amd64' : arch()}`
  return `${prefix}-controller-manager/v${release} (${system}) ${brand}/${packageVersion()}`
}

/** How often a server is looked for that does not answer yet, and how long one look waits for the next. */
const looks = 10
const lookMs = 1000

/** The names of the server, which may start beside the daemon; undefined if `signal` aborts first. @throws why it cannot be reached. */
async function platformWhenReached(
  { client }: ManagerClients,
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
