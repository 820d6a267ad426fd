import {
  type ApiServerOptions,
  admissionProblems,
  advertiseProblems,
  type Limits,
  rangeProblems,
  type ServiceRanges,
  servedTree,
  startApiServer,
} from '../../runtime/apiserver/apiserver.ts'
import {
  type ConfigKinds,
  FeatureGates,
  helpAnswer,
  type Options,
  parseOptions,
  switchesOf,
  versionAnswer,
} from '../../runtime/config/config.ts'
import type { Gate } from '../../runtime/kernel/features.ts'
import type { OptionTable } from '../../runtime/kernel/options.ts'
import { systemClock } from '../../runtime/kernel/time.ts'
import type { Tree } from '../../runtime/kernel/tree.ts'
import { createLogger, type Log } from '../../runtime/observe/observe.ts'
import { metricSettings } from '../metrics.ts'
import type { Terminal } from '../run.ts'
import { packageVersion } from '../version.ts'
import { readAdmissionFile } from './admission-file.ts'
import { auditSettings } from './audit.ts'
import { bindProblem } from './bind.ts'
import { storageOf, storageProblem } from './storage.ts'

/** The facts that the daemon runs on. */
export interface Facts {
  readonly options: OptionTable
  readonly features: readonly Gate[]
  /** The kinds of configuration files. */
  readonly configKinds: ConfigKinds
  readonly tree: Tree
}

/**
 * The API server as a program: command line in, exit code out. Prints `ready <address>` once it serves. With
 * `--check-config` it says everything that would keep it from starting, and starts nothing.
 */
export async function apiServer(
  facts: Facts,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const { options, args, warnings, errors } = parseOptions(facts.options, terminal.args)
  const answer =
    helpAnswer(facts.options, options, terminal.width, facts.features) ??
    versionAnswer(facts.options.daemon, options, packageVersion())
  if (answer !== undefined) {
    terminal.print(answer)
    return 0
  }
  const change = new FeatureGates(facts.features).with(switchesOf(options.pairs('feature-gates')))
  for (const warning of [...warnings, ...change.warnings]) terminal.complain(warning)
  const told = await readAdmissionFile(
    options.string('admission-control-config-file'),
    facts.configKinds,
  )
  const recorded = await auditSettings(options, {
    configKinds: facts.configKinds,
    platform: facts.tree.platform,
    gates: change.gates,
    print: (line) => terminal.print(line),
  })
  const { platform, metrics: table = [] } = facts.tree
  const shown = await metricSettings(options, platform.release, table)
  for (const warning of [...recorded.warnings, ...shown.warnings]) terminal.complain(warning)
  const problems = [
    ...errors,
    ...args.map((arg) => `unknown argument: ${arg}`),
    ...[...change.errors.values()].map((error) => `--feature-gates: ${error}`),
    ...problemsOf(options, facts.tree),
    ...told.problems,
    ...recorded.problems,
    ...shown.problems,
  ]
  if (problems.length > 0) {
    for (const problem of problems) terminal.complain(`${facts.options.daemon}: ${problem}`)
    terminal.complain(`run ${facts.options.daemon} --help to see all flags`)
    return 1
  }
  if (options.boolean('check-config')) return 0
  const settings = settingsOf(options, facts.tree, await logOf(options, terminal))
  const admission = { ...settings.admission, settings: told.settings }
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

function settingsOf(options: Options, tree: Tree, log: Log): ApiServerOptions {
  const advertise = options.string('advertise-address')
  return {
    tree,
    log,
    clock: systemClock,
    storage: storageOf(options.string('storage'))!,
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

function problemsOf(options: Options, tree: Tree): readonly string[] {
  const bind = bindProblem(options.string('bind-address'), options.number('insecure-port'))
  const storage = storageProblem(options.string('storage'))
  return [
    ...(bind === undefined ? [] : [bind]),
    ...(storage === undefined ? [] : [storage]),
    ...servedTree(tree, options.strings('runtime-config')).problems,
    ...rangeProblems(rangesOf(options)),
    ...advertiseProblems(options.string('advertise-address')),
    ...admissionProblems(admissionOf(options)),
  ]
}

function logOf(options: Options, terminal: Terminal): Promise<Log> {
  const level = options.number('v') >= 4 ? 'debug' : 'info'
  return createLogger({ level, write: (line) => terminal.complain(line.trimEnd()) })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
