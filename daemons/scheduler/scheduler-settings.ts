import type { TopologySpreadConstraint } from '../../generated/apis/core/v1/scheduling.ts'
import type { ConnectionConfig } from '../../runtime/client/client.ts'
import type { Options } from '../../runtime/config/config.ts'
import { type LeaseTiming, leaseTiming } from '../../runtime/election/election.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'
import { platformKeys, type SchedulerSettings } from '../../runtime/scheduler/scheduler.ts'
import { connectionOf } from '../connection-flags.ts'
import { type PortSettings, portSettings } from '../controller-manager/port-settings.ts'
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
      ...spread.flatMap((text) => (partsOf(text) ? [] : [spreadProblem(text)])),
      ...(lease ? timingProblems(lease) : []),
    ],
    warnings: metrics.warnings,
  }
}

/** The constraints that the flag stands for on a server of these names; undefined for what holds without it. */
export function spreadOn(
  texts: readonly string[],
  platform: Platform,
): readonly TopologySpreadConstraint[] | undefined {
  if (texts.join() === usual) return undefined
  const { hostname, zone } = platformKeys(platform)
  const names = new Map([
    ['<hostname>', hostname],
    ['<zone>', zone],
  ])
  return texts.flatMap((text) => {
    const parts = partsOf(text)
    if (parts === undefined) return []
    const topologyKey = names.get(parts.label) ?? parts.label
    return [{ topologyKey, maxSkew: parts.skew, whenUnsatisfiable: 'ScheduleAnyway' as const }]
  })
}

const usual = '<hostname>=3,<zone>=5'

function partsOf(text: string): { readonly label: string; readonly skew: number } | undefined {
  const found = /^([^=]{1,316})=([1-9][0-9]{0,8})$/.exec(text)
  return found ? { label: found[1]!, skew: Number(found[2]) } : undefined
}

function spreadProblem(text: string): string {
  return `--default-spread ${text}: expected a label and a number above 0, such as <zone>=5`
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

function timingProblems(timing: LeaseTiming): readonly string[] {
  try {
    leaseTiming(timing)
    return []
  } catch (error) {
    return [`--leader-elect-lease-duration, -renew-deadline, -retry-period: ${errorText(error)}`]
  }
}
