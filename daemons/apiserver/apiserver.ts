import { hostname } from 'node:os'
import {
  type ApiServerOptions,
  admissionProblems,
  advertiseProblems,
  type GroupMember,
  joinServer,
  type Limits,
  loadProcesses,
  originMatcher,
  type RunningApiServer,
  rangeProblems,
  type ServiceRanges,
  servedScheme,
  startApiServer,
  uncachedProblems,
} from '../../runtime/apiserver/apiserver.ts'
import type { ConfigKinds, Options } from '../../runtime/config/config.ts'
import { type DaemonPage, flagPages, logPages, profilePages } from '../../runtime/daemon/daemon.ts'
import { aborted } from '../../runtime/kernel/async/abort-signal.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import type { Scheme } from '../../runtime/kernel/descriptors/scheme.ts'
import { type AdjustableLog, createAdjustableLog, type Log } from '../../runtime/observe/observe.ts'
import { parseStoreLocation } from '../../runtime/store/store.ts'
import { collectEarly } from '../collection.ts'
import {
  type DaemonFacts,
  type DaemonFlags,
  printProblems,
  readDaemonFlags,
} from '../daemon-flags.ts'
import { type MetricSettings, metricSettings } from '../metric-flags.ts'
import { connectionsWithin, openFileLimit } from '../open-files.ts'
import type { Terminal } from '../run.ts'
import { type AdmissionFile, readAdmissionFile } from './admission-file.ts'
import { aggregationProblems, aggregationSettings } from './aggregation-flags.ts'
import { type AuditFlagSettings, auditSettings } from './audit-flags.ts'
import {
  type AuthenticationSettings,
  authenticationSettings,
  withAuthentication,
} from './authentication-flags.ts'
import { type AuthorizationSettings, authorizationSettings } from './authorization-flags.ts'
import {
  type EncryptionSettings,
  encryptionSettings,
  followEncryption,
} from './encryption-flags.ts'
import { nodeProblems, nodeSettings } from './node-flags.ts'
import {
  prepareServing,
  servingFlagProblems,
  servingSettings,
  withSafeDefaults,
} from './serving-flags.ts'
import { storageProblem } from './storage-flag.ts'
import { webhookFileProblems } from './webhook-file.ts'

/** The generated facts that the daemon runs on. */
export interface ApiServerFacts extends DaemonFacts {
  /** The kinds of configuration files. */
  readonly configKinds: ConfigKinds
  readonly scheme: Scheme
  /** Keeps what was compiled for the next start; called once the server is ready, and when it has `ended`. */
  readonly keepCompiled?: (ended?: boolean) => Promise<void>
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
  const member = await joinServer()
  // What there is to say of the flags the supervisor has said.
  const speaking = member === undefined ? terminal : silent(terminal)
  const flags = readDaemonFlags(facts, speaking)
  if (flags === undefined) return 0
  const { options, gates } = flags
  const files = await readFiles(facts, flags, speaking)
  const problems = [
    ...flags.problems,
    ...problemsOf(options, facts.scheme),
    ...(await originProblems(options)),
    ...(await servingFlagProblems(options)),
    ...(await aggregationProblems(options)),
    ...nodeProblems(options, facts.scheme.platform.agent),
    ...(await webhookFileProblems(options)),
    ...files.problems,
  ]
  if (printProblems(facts.options.daemon, problems, terminal)) return 1
  if (options.boolean('check-config')) return 0
  const { brand } = facts.scheme.platform
  const unprepared = await prepareServing(options, brand, systemClock.now())
  if (printProblems(facts.options.daemon, unprepared, terminal)) return 1
  const own = settingsOf(options, facts.scheme, await logOf(options, terminal))
  const settings = withAuthentication(own, files.authentication)
  const admission = { ...settings.admission, settings: files.admission }
  const all = withSafeDefaults(
    {
      ...settings,
      admission,
      metrics: files.metrics,
      ...(files.audit && { audit: files.audit }),
      ...(files.encryption && { encryption: files.encryption }),
      ...(files.authorization && { authorization: files.authorization }),
      gates: gates.gates.on,
      knownGates: facts.features,
    },
    (line) => speaking.printError(line),
  )
  const follow: Beside['follow'] = async (server, until) => {
    const {
      configKinds,
      scheme: { platform },
    } = facts
    const following = { clock: settings.clock, log: settings.log, signal: until }
    await files.authentication.follow?.(following)
    await followEncryption(options, { configKinds, platform, server, ...following })
  }
  const beside = { follow, keepCompiled: facts.keepCompiled }
  const count = options.number('processes')
  if (member !== undefined) return serveAsMember(all, member, beside)
  return count === 1
    ? serve(all, terminal, signal, beside)
    : superviseServing(all, count, terminal, signal)
}

/** The terminal of a process that has nothing to say. */
function silent(terminal: Terminal): Terminal {
  return { ...terminal, print: () => {}, printError: () => {} }
}

/** What the files say that flags name, and everything that is wrong with them. */
interface ReadFiles {
  readonly admission: AdmissionFile['settings']
  readonly audit: AuditFlagSettings['audit']
  readonly authorization: AuthorizationSettings['authorization']
  readonly encryption: EncryptionSettings['encryption']
  readonly metrics: MetricSettings['metrics']
  readonly authentication: AuthenticationSettings
  readonly problems: readonly string[]
}

/** Reads the files that flags name, and prints warnings about them. */
async function readFiles(
  { configKinds, scheme }: ApiServerFacts,
  { options, gates }: DaemonFlags,
  terminal: Terminal,
): Promise<ReadFiles> {
  const { platform, metrics: table = [] } = scheme
  const file = options.string('admission-control-config-file')
  const admission = await readAdmissionFile(file, configKinds)
  const print = (line: string) => terminal.print(line)
  const audit = await auditSettings(options, { configKinds, platform, gates: gates.gates, print })
  const metrics = await metricSettings(options, platform.release, table)
  const encryption = await encryptionSettings(options, { configKinds, platform })
  const around = { configKinds, platform, gates: gates.gates }
  const authorization = await authorizationSettings(options, around)
  const alwaysAllow = authorization.authorization === undefined
  const authentication = await authenticationSettings(options, {
    configKinds,
    gates: gates.gates,
    alwaysAllow,
  })
  for (const { warnings } of [audit, metrics, authentication]) {
    for (const warning of warnings) terminal.printError(warning)
  }
  return {
    admission: admission.settings,
    audit: audit.audit,
    metrics: metrics.metrics,
    encryption: encryption.encryption,
    authorization: authorization.authorization,
    authentication,
    problems: [
      ...admission.problems,
      ...audit.problems,
      ...metrics.problems,
      ...encryption.problems,
      ...authorization.problems,
      ...authentication.problems,
    ],
  }
}

/** What goes on beside a server. */
interface Beside {
  readonly keepCompiled: ApiServerFacts['keepCompiled'] | undefined
  /** What is to be followed until the signal aborts. */
  readonly follow: (server: RunningApiServer, until: AbortSignal) => Promise<void>
}

/** Serves until the signal aborts or the server fails; resolves to the exit code. */
async function serve(
  settings: ApiServerOptions,
  terminal: Pick<Terminal, 'print'>,
  signal: AbortSignal,
  { follow, keepCompiled }: Beside,
): Promise<number> {
  collectEarly()
  const server = await startApiServer(settings)
  await follow(server, signal)
  terminal.print(`ready ${server.url}`)
  const kept = keepCompiled?.()
  await Promise.race([aborted(signal), server.ended]).finally(() => server.stop())
  await kept
  // What was loaded and called since then, such as the code for definitions and of requests.
  await keepCompiled?.(true)
  return 0
}

/** Serves as one process of several. */
async function serveAsMember(
  settings: ApiServerOptions,
  member: GroupMember,
  beside: Beside,
): Promise<number> {
  const { groupOptions } = await loadProcesses()
  try {
    const print = (line: string): void => member.ready(line)
    return await serve(groupOptions(settings, member), { print }, member.signal, beside)
  } finally {
    member.leave()
  }
}

/** Has several processes serve. */
async function superviseServing(
  options: ApiServerOptions,
  count: number,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const { superviseServer } = await loadProcesses()
  const ready = ([line]: readonly unknown[]): void => terminal.print(String(line))
  return superviseServer({ options, count, ready }, signal)
}

/** The settings that flags alone say. */
function settingsOf(options: Options, scheme: Scheme, log: AdjustableLog): ApiServerOptions {
  const advertise = options.string('advertise-address')
  return {
    scheme,
    log,
    clock: systemClock,
    hostname: hostname(),
    storage: parseStoreLocation(options.string('storage'))!,
    ...servingSettings(options),
    ...aggregationSettings(options),
    ...nodeSettings(options, scheme.platform.agent),
    historyMs: options.milliseconds('watch-history'),
    historyBytes: options.number('watch-history-size'),
    uncachedResources: options.strings('uncached-resources'),
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
    limits: limitsOf(options, log),
    allowedHosts: [...options.strings('allowed-hosts'), options.string('external-hostname')].filter(
      Boolean,
    ),
    corsAllowedOrigins: options.strings('cors-allowed-origins'),
    use: pagesOf(options, log),
  }
}

/** Where the files of logs are on the machines that daemons run on. */
const logFolder = '/var/log'

/** The pages for who looks into the process. */
function pagesOf(options: Options, log: AdjustableLog): readonly DaemonPage[] {
  return [
    ...(options.boolean('profiling') ? [profilePages(), flagPages(log)] : []),
    ...(options.boolean('enable-logs-handler') ? [logPages(logFolder)] : []),
  ]
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

/** What one request and one connection may cost. Connections for which there are no open files are not promised. */
function limitsOf(options: Options, log: Log): Partial<Limits> {
  const [wanted, openFiles] = [options.number('max-connections'), openFileLimit()]
  const connections = connectionsWithin(openFiles, wanted)
  if (connections < wanted) {
    log.warn('the limit on open files (ulimit -n) allows for fewer connections', {
      openFiles,
      connections,
      wanted,
    })
  }
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
    connections,
  }
}

/** What is wrong with the values of flags, beyond what the table of flags can say. */
function problemsOf(options: Options, scheme: Scheme): readonly string[] {
  const storage = storageProblem(options.string('storage'))
  const uncachedResources = options.strings('uncached-resources')
  return [
    ...(storage === undefined
      ? uncachedProblems(scheme, {
          uncachedResources,
          storage: parseStoreLocation(options.string('storage'))!,
        })
      : [storage]),
    ...servedScheme(scheme, options.strings('runtime-config')).problems,
    ...rangeProblems(rangesOf(options)),
    ...advertiseProblems(options.string('advertise-address')),
    ...admissionProblems(admissionOf(options)),
  ]
}

/** What is wrong with the expressions of `--cors-allowed-origins`. */
async function originProblems(options: Options): Promise<readonly string[]> {
  const patterns = options.strings('cors-allowed-origins')
  if (patterns.length === 0) return []
  return originMatcher(patterns).then(
    () => [],
    (error: Error) => error.message.split('\n').map((one) => `--cors-allowed-origins: ${one}`),
  )
}

/** The log of the daemon: to standard error, with more detail from `-v 4` on. */
function logOf(options: Options, terminal: Terminal): Promise<AdjustableLog> {
  return createAdjustableLog(options.number('v'), (line) => terminal.printError(line.trimEnd()))
}
