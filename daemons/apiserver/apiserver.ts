import {
  type ApiServerOptions,
  admissionProblems,
  advertiseProblems,
  type Limits,
  rangeProblems,
  type ServiceRanges,
  servedScheme,
  startApiServer,
} from '../../runtime/apiserver/apiserver.ts'
import {
  type ConfigKinds,
  FeatureGates,
  helpRequested,
  type Options,
  parseGateSwitches,
  parseOptions,
  versionRequested,
} from '../../runtime/config/config.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import type { FeatureGate } from '../../runtime/kernel/descriptors/feature-gate.ts'
import type { Scheme } from '../../runtime/kernel/descriptors/scheme.ts'
import type { OptionTable } from '../../runtime/kernel/options/option-table.ts'
import { createLogger, type Log } from '../../runtime/observe/observe.ts'
import { parseStoreLocation } from '../../runtime/store/store.ts'
import { metricSettings } from '../metric-flags.ts'
import type { Terminal } from '../run.ts'
import { packageVersion } from '../version.ts'
import { readAdmissionFile } from './admission-file.ts'
import { auditSettings } from './audit-flags.ts'
import { bindProblem } from './bind-address.ts'
import { storageProblem } from './storage-flag.ts'

/** The facts that the daemon runs on. */
export interface ApiServerFacts {
  readonly options: OptionTable
  readonly features: readonly FeatureGate[]
  /** The kinds of configuration files. */
  readonly configKinds: ConfigKinds
  readonly scheme: Scheme
}

/**
 * The API server as a program: command line in, exit code out. Prints `ready <address>` once it serves. With
 * `--check-config` it says everything that would keep it from starting, and starts nothing.
 */
export async function runApiServer(
  facts: ApiServerFacts,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const { options, args, warnings, errors } = parseOptions(facts.options, terminal.args)
  const answer =
    helpRequested(facts.options, options, terminal.width, facts.features) ??
    versionRequested(facts.options.daemon, options, packageVersion())
  if (answer !== undefined) {
    terminal.print(answer)
    return 0
  }
  const change = new FeatureGates(facts.features).with(
    parseGateSwitches(options.pairs('feature-gates')),
  )
  for (const warning of [...warnings, ...change.warnings]) terminal.printError(warning)
  const admissionFile = await readAdmissionFile(
    options.string('admission-control-config-file'),
    facts.configKinds,
  )
  const recorded = await auditSettings(options, {
    configKinds: facts.configKinds,
    platform: facts.scheme.platform,
    gates: change.gates,
    print: (line) => terminal.print(line),
  })
  const { platform, metrics: table = [] } = facts.scheme
  const shown = await metricSettings(options, platform.release, table)
  for (const warning of [...recorded.warnings, ...shown.warnings]) terminal.printError(warning)
  const problems = [
    ...errors,
    ...args.map((arg) => `unknown argument: ${arg}`),
    ...[...change.errors.values()].map((error) => `--feature-gates: ${error}`),
    ...problemsOf(options, facts.scheme),
    ...admissionFile.problems,
    ...recorded.problems,
    ...shown.problems,
  ]
  if (problems.length > 0) {
    for (const problem of problems) terminal.printError(`${facts.options.daemon}: ${problem}`)
    terminal.printError(`run ${facts.options.daemon} --help to see all flags`)
    return 1
  }
  if (options.boolean('check-config')) return 0
  const settings = settingsOf(options, facts.scheme, await logOf(options, terminal))
  const admission = { ...settings.admission, settings: admissionFile.settings }
  const { audit } = recorded
  const files = { admission, ...(audit && { audit }), metrics: shown.metrics }
  const gates = { gates: change.gates.on, knownGates: facts.features }
  return serve({ ...settings, ...files, ...gates }, terminal, signal)
}

async function serve(
  settings: ApiServerOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const server = await startApiServer(settings)
  terminal.print(`ready ${server.url}`)
  await Promise.race([aborted(signal), server.ended]).finally(() => server.stop())
  return 0
}

function settingsOf(options: Options, scheme: Scheme, log: Log): ApiServerOptions {
  const advertise = options.string('advertise-address')
  return {
    scheme,
    log,
    clock: systemClock,
    storage: parseStoreLocation(options.string('storage'))!,
    listen: { host: options.string('bind-address'), port: options.number('insecure-port') },
    historyMs: options.milliseconds('watch-history'),
    historyBytes: options.number('watch-history-size'),
    requestTimeoutMs: options.milliseconds('request-timeout'),
    minWatchMs: options.number('min-request-timeout') * 1000,
    shutdownDelayMs: options.milliseconds('shutdown-delay-duration'),
    eventTtlMs: options.milliseconds('event-ttl'),
    livezGraceMs: options.milliseconds('livez-grace-period'),
    runtimeConfig: options.strings('runtime-config'),
    admission: admissionOf(options),
    serviceRanges: rangesOf(options),
    ...(advertise && { advertiseAddress: advertise }),
    objectBytes: options.number('max-object-size'),
    fairness: options.boolean('enable-priority-and-fairness'),
    inFlight: {
      reading: options.number('max-requests-inflight'),
      changing: options.number('max-mutating-requests-inflight'),
    },
    limits: limitsOf(options),
  }
}

function rangesOf(options: Options): ServiceRanges {
  return {
    addresses: options.strings('service-cluster-ip-range'),
    nodePorts: options.string('service-node-port-range'),
  }
}

function admissionOf(options: Options): NonNullable<ApiServerOptions['admission']> {
  return {
    enable: options.strings('enable-admission-plugins'),
    disable: options.strings('disable-admission-plugins'),
  }
}

function limitsOf(options: Options): Limits {
  return {
    bodyBytes: options.number('max-body-size'),
    decode: {
      depth: options.number('max-body-depth'),
      values: options.number('max-body-values'),
      keys: options.number('max-body-keys'),
      items: options.number('max-body-items'),
    },
    headerBytes: options.number('max-header-size'),
    headersMs: options.milliseconds('header-timeout'),
    receiveMs: options.milliseconds('receive-timeout'),
    idleMs: options.milliseconds('idle-timeout'),
    stalledMs: options.milliseconds('stalled-timeout'),
    connections: options.number('max-connections'),
  }
}

function problemsOf(options: Options, scheme: Scheme): readonly string[] {
  const bind = bindProblem(options.string('bind-address'), options.number('insecure-port'))
  const storage = storageProblem(options.string('storage'))
  return [
    ...(bind === undefined ? [] : [bind]),
    ...(storage === undefined ? [] : [storage]),
    ...servedScheme(scheme, options.strings('runtime-config')).problems,
    ...rangeProblems(rangesOf(options)),
    ...advertiseProblems(options.string('advertise-address')),
    ...admissionProblems(admissionOf(options)),
  ]
}

function logOf(options: Options, terminal: Terminal): Promise<Log> {
  const level = options.number('v') >= 4 ? 'debug' : 'info'
  return createLogger({ level, write: (line) => terminal.printError(line.trimEnd()) })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
