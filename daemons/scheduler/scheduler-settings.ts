import type { TopologySpreadConstraint } from '../../generated/apis/core/v1/scheduling.ts'
import type { ConnectionConfig } from '../../runtime/client/client.ts'
import type { Options } from '../../runtime/config/config.ts'
import type { LeaseTiming } from '../../runtime/election/election.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import {
  platformKeys,
  type SchedulerSettings,
  spreadConstraints,
  spreadProblem,
  usualSettings,
} from '../../runtime/scheduler/scheduler.ts'
import { connectionOf } from '../client-daemon/connection-flags.ts'
import { type PortSettings, portSettings } from '../client-daemon/port-settings.ts'
import { leaseProblems } from '../client-daemon/run-on-lease.ts'
import { type MetricSettings, metricSettings } from '../metric-flags.ts'
import type { SchedulerFacts } from './facts.ts'

/** What the command line says. */
export interface SchedulerFlags {
  readonly connection: ConnectionConfig
  readonly qps: number
  readonly burst: number
  readonly metrics: MetricSettings['metrics']
  /** Undefined where no port is served. */
  readonly port: PortSettings | undefined
  readonly scheduling: Omit<SchedulerSettings, 'defaultSpread'>
  /** `LABEL=SKEW`; see `spreadOn`. */
  readonly spread: readonly string[]
  /** Undefined where it works whatever others do. */
  readonly lease: (Required<LeaseTiming> & { name: string; namespace: string }) | undefined
}

/** Settings, and what is to be said of them. With problems, the daemon must not start. */
export interface ReadFlags {
  readonly settings: SchedulerFlags
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** Reads the flags and the files that they name. */
export async function readSchedulerSettings(
  { platform, metrics: table }: SchedulerFacts,
  options: Options,
): Promise<ReadFlags> {
  const { prefix, release } = platform
  const connection = await connectionOf(options.string(`${prefix}config`), options.string('master'))
  const metrics = await metricSettings(options, release, table)
  const port = await portSettings(
    options,
    {
      Port: options.number('secure-port'),
      Address: options.string('bind-address'),
      Debugging: {
        enableProfiling: options.boolean('profiling'),
        enableContentionProfiling: false,
      },
    },
    platform,
    'scheduler',
  )
  const lease = options.boolean('leader-elect') ? leaseOf(options) : undefined
  const spread = options.strings('default-spread')
  return {
    settings: {
      ...{ connection: connection.value, port: port.settings, metrics: metrics.metrics },
      ...{ qps: options.number(`${prefix}-api-qps`), burst: options.number(`${prefix}-api-burst`) },
      ...{ lease, spread },
      scheduling: {
        names: options.strings('scheduler-name'),
        percentageOfNodes: options.number('percentage-of-nodes-to-score'),
        backoffMs: options.milliseconds('pod-initial-backoff'),
        mostBackoffMs: options.milliseconds('pod-max-backoff'),
        flushMs: options.milliseconds('pod-max-in-unschedulable-pods-duration'),
      },
    },
    problems: [
      ...[...connection.problems, ...metrics.problems, ...port.problems],
      ...spread.flatMap((text) => {
        const problem = spreadProblem(text)
        return problem === undefined ? [] : [`--default-spread ${problem}`]
      }),
      ...(lease ? leaseProblems(lease) : []),
      ...schedulingProblems(options),
    ],
    warnings: metrics.warnings,
  }
}

function schedulingProblems(options: Options): readonly string[] {
  const [first, most] = ['pod-initial-backoff', 'pod-max-backoff'] as const
  return [
    ...(options.strings('scheduler-name').length > 0
      ? []
      : ['--scheduler-name: a scheduler has to have a name, which pods say']),
    ...[first, 'pod-max-in-unschedulable-pods-duration']
      .filter((flag) => options.milliseconds(flag) <= 0)
      .map((flag) => `--${flag}: must be more than 0s`),
    ...(options.milliseconds(most) < options.milliseconds(first)
      ? [`--${most}: must not be less than --${first}`]
      : []),
  ]
}

/** The constraints that the flag stands for on a server of these names; undefined for what holds without it. */
export async function spreadOn(
  texts: readonly string[],
  platform: Platform,
): Promise<readonly TopologySpreadConstraint[] | undefined> {
  const { spread } = await usualSettings()
  return texts.join() === spread.join()
    ? undefined
    : spreadConstraints(texts, platformKeys(platform))
}

function leaseOf(options: Options) {
  return {
    name: options.string('leader-elect-resource-name'),
    namespace: options.string('leader-elect-resource-namespace'),
    leaseMs: options.milliseconds('leader-elect-lease-duration'),
    renewDeadlineMs: options.milliseconds('leader-elect-renew-deadline'),
    retryMs: options.milliseconds('leader-elect-retry-period'),
  }
}
