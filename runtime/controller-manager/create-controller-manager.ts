import type { OrchControllerManagerConfiguration } from '../../generated/config/manager/v1alpha1.ts'
import type { ControllerName } from '../../generated/controllers.ts'
import type { SigningKey } from '../auth/auth.ts'
import type { Client } from '../client/client.ts'
import type { CloudProvider } from '../cloud/cloud.ts'
import type { HealthCheck } from '../daemon/daemon.ts'
import type { Clock, Random } from '../kernel/async/clock.ts'
import type { ControllerFacts } from '../kernel/descriptors/controller-facts.ts'
import type { EnabledGates } from '../kernel/descriptors/enabled-gates.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'
import { withoutManagedFields } from '../kernel/meta/managed-fields.ts'
import { sharedParts } from '../kernel/meta/shared-parts.ts'
import { valueAtPath } from '../kernel/values/dotted-path.ts'
import { type Log, type Metrics, noMetrics } from '../observe/observe.ts'
import {
  type AnyController,
  createManager,
  type KeyController,
  type LeaderElectionSettings,
  type Manager,
  type ManagerReport,
} from '../reconcile/reconcile.ts'
import { builderOf } from './builders.ts'
import { type EndOfRun, LeaderTurns } from './leader-turns.ts'
import { unservedKinds } from './unserved-kinds.ts'

/** Controllers that move from one program to another, and the lease that says which one they run in. */
export interface MigrationSettings {
  readonly controllers: ReadonlySet<ControllerName>
  readonly leaderElection: LeaderElectionSettings
}

/** What a controller manager runs, and with what. */
export interface ControllerManagerOptions {
  /** Those that are to run: see `selectControllers`. */
  readonly controllers: readonly ControllerFacts<ControllerName>[]
  /** Fills the caches that controllers share, and holds the lease. */
  readonly client: Client
  /** What one controller writes with, and reads beside the caches: as its account, or as the manager. Default: `client`. */
  readonly clientOf?: (
    controller: ControllerFacts<ControllerName>,
    as: 'account' | 'manager',
  ) => Client
  readonly configuration: OrchControllerManagerConfiguration
  readonly gates: EnabledGates
  /** The names of the server: see `platformOfServer` of connections. */
  readonly platform: Platform
  /** Default: this one runs its controllers, whatever others do. */
  readonly leaderElection?: LeaderElectionSettings
  /** Some of the controllers move from one program to another: they run under a lease of their own, sought once the first is held. */
  readonly migration?: MigrationSettings
  /** Milliseconds between the starts of two controllers. Default 0. */
  readonly startIntervalMs?: number
  readonly rootCertificates?: () => string
  readonly tokenKey?: () => SigningKey
  /** Where the cluster runs. Controllers of what it does not do have nothing to do. Default: nowhere. */
  readonly cloud?: CloudProvider
  readonly clock: Clock
  readonly log: Log
  readonly random?: Random
  readonly metrics?: Metrics
  /** Whether the process stays alive while it runs. Default true. */
  readonly keepAlive?: boolean
}

/** Controllers that run together. */
export interface ControllerManager {
  /** Those that it runs: of those that were to run, the ones that there is code for, that have something to do, and whose kinds the server serves. */
  readonly controllers: readonly ControllerName[]
  /** One of each controller, by its name. */
  readonly checks: readonly HealthCheck[]
  /** Resolves when every cache has its first list and the controllers work, or wait for their lease. */
  readonly ready: Promise<void>
  /** Runs until `signal` aborts and the runs under way are through, or the lease is lost. Runs once. */
  run(signal: AbortSignal): Promise<EndOfRun>
  report(): ManagerReport
}

/** Builds the controllers. The server is asked which kinds it serves; nothing is written before `run`. */
export async function createControllerManager(
  options: ControllerManagerOptions,
): Promise<ControllerManager> {
  const built = await buildAll(options)
  const { leaderElection, migration } = options
  const turns = new LeaderTurns(options)
  const isMoving = ({ facts }: BuiltController): boolean =>
    migration?.controllers.has(facts.controller) === true
  const staying = built.filter((one) => !isMoving(one))
  const first = managerOf(staying, options, leaderElection && turns.first(leaderElection))
  const second =
    migration && managerOf(built.filter(isMoving), options, turns.next(migration.leaderElection))
  const managers = second === undefined ? [first] : [first, second]
  return {
    controllers: built.map(({ facts }) => facts.controller),
    checks: [
      ...(leaderElection === undefined ? [] : [turns.check]),
      ...built.map((one) => checkOf(one, (isMoving(one) && second) || first)),
    ],
    ready: first.ready,
    report: () => reportOf(managers),
    run: (signal) => turns.run(managers, signal),
  }
}

/** What gives others their identity acts as the manager itself: there is no role for its account. */
const makesAccounts: ReadonlySet<ControllerName> = new Set(['serviceaccount-token-controller'])

/** What runs these controllers, under a lease where one is named. */
function managerOf(
  built: readonly BuiltController[],
  options: ControllerManagerOptions,
  leaderElection: LeaderElectionSettings | undefined,
): Manager {
  const { client, clock, log, platform, startIntervalMs, random, metrics, keepAlive } = options
  const { clientOf = () => client } = options
  const share = sharedParts()
  const clients = new Map(
    built.flatMap(({ facts, parts }) => {
      const own = clientOf(facts, makesAccounts.has(facts.controller) ? 'manager' : 'account')
      return parts.map(({ name }) => [name, own] as const)
    }),
  )
  return createManager({
    ...{ client, clock, log, name: `${platform.prefix}-controller-manager` },
    controllers: built.flatMap(({ parts }) => parts),
    clientOf: (name) => clients.get(name) ?? client,
    defaultTransform: (object) => share(withoutManagedFields(object)),
    ...(leaderElection && { leaderElection }),
    ...(startIntervalMs !== undefined && { startIntervalMs }),
    ...(random && { random }),
    ...(metrics && { metrics }),
    ...(keepAlive !== undefined && { keepAlive }),
  })
}

/** What all of them do: the turn of the first one, and the controllers of each. */
function reportOf(managers: readonly Manager[]): ManagerReport {
  const reports = managers.map((one) => one.report())
  const [first] = reports as [ManagerReport]
  return { ...first, controllers: Object.assign({}, ...reports.map((one) => one.controllers)) }
}

/** A controller and the loops that it is made of. */
interface BuiltController {
  readonly facts: ControllerFacts<ControllerName>
  readonly parts: readonly (AnyController | KeyController)[]
}

async function buildAll(options: ControllerManagerOptions): Promise<readonly BuiltController[]> {
  const { controllers, client, log } = options
  const kinds = await client.kinds()
  const built: BuiltController[] = []
  for (const facts of controllers) {
    const build = builderOf(facts.controller)
    if (build === undefined) continue
    const context = contextOf(facts, options)
    if (context.concurrency !== undefined && context.concurrency < 1) {
      const { concurrency } = context
      log.warn('controller does not run: it has no workers', {
        ...{ controller: facts.controller, concurrency },
      })
      continue
    }
    const parts = await build(context)
    if (parts.length === 0) {
      log.info('controller does not run: nothing is to be done', { controller: facts.controller })
      continue
    }
    const unserved = unservedKinds(parts, kinds)
    if (unserved.length === 0) built.push({ facts, parts })
    else
      log.warn('controller does not run: its kinds are not served', {
        controller: facts.controller,
        kinds: unserved.join(', '),
      })
  }
  return built
}

function contextOf(
  { controller, concurrency }: ControllerFacts<ControllerName>,
  {
    configuration,
    gates,
    platform,
    rootCertificates,
    tokenKey,
    cloud,
    metrics = noMetrics(),
  }: ControllerManagerOptions,
) {
  const number = concurrency && valueAtPath(configuration, concurrency)
  return {
    ...{ name: controller, configuration, gates, platform, rootCertificates, tokenKey, cloud },
    metrics,
    concurrency: typeof number === 'number' ? number : undefined,
  }
}

/** A key that waits so long has no worker: all of them hang. */
const stuckMs = 600_000

/** Fails while keys wait for a worker that none comes for. */
function checkOf({ facts, parts }: BuiltController, manager: Manager): HealthCheck {
  return {
    name: facts.controller,
    check() {
      if (!manager.isLeader) return
      const reports = manager.report().controllers
      for (const { name } of parts) {
        const { oldestMs = 0 } = reports[name] ?? {}
        if (oldestMs > stuckMs) throw new Error(`a key waits for ${Math.round(oldestMs / 1000)} s`)
      }
    },
  }
}
