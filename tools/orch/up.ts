import { hostname } from 'node:os'
import { auditSettings } from '../../daemons/apiserver/audit-flags.ts'
import { collectEarly } from '../../daemons/collection.ts'
import type { Terminal } from '../../daemons/run.ts'
import { configKinds } from '../../generated/config.ts'
import { features as knownGates } from '../../generated/features.ts'
import { defaultServiceRanges } from '../../runtime/apis/apis.ts'
import {
  type ApiServerOptions,
  type GroupMember,
  joinServer,
  type RunningApiServer,
  servedScheme,
  startApiServer,
} from '../../runtime/apiserver/apiserver.ts'
import { providerOf } from '../../runtime/cloud/cloud.ts'
import {
  FeatureGates,
  gateHelp,
  helpText,
  type Options,
  parseGateSwitches,
  parseOptions,
} from '../../runtime/config/config.ts'
import { clusterRangeProblems } from '../../runtime/controller-manager/controller-manager.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import type { EnabledGates } from '../../runtime/kernel/descriptors/enabled-gates.ts'
import { createLogger } from '../../runtime/observe/observe.ts'
import { kindsProblem } from './given-paths.ts'
import type { Running } from './in-process.ts'
import { localCertificates } from './local-certificates.ts'
import { writeOrchconfig } from './orchconfig.ts'
import { loadScheme } from './scheme.ts'
import { type RunBesideOptions, rangesOf, runBeside, runHere } from './up/beside.ts'
import {
  controllerProblems,
  controllersElsewhere,
  controllersHelp,
  makeFirstAccount,
  pluginsOfControllers,
} from './up/controllers.ts'
import { listeners } from './up/listeners.ts'
import { upOptions } from './up/options.ts'
import {
  certificateFolder,
  orchconfigPath,
  storageOf,
  storageProblems,
  welcome,
} from './up/places.ts'
import {
  memberOptions,
  processCount,
  processProblems,
  type ServedUrls,
  superviseUp,
} from './up/processes.ts'
import { addressIn, serviceRangesOf, userPortsOf } from './up/services.ts'

/** `orch up`: a control plane on this machine, from the command line to its end; `keepCompiled` is called once it is ready and when it has ended. */
export async function up(
  terminal: Terminal,
  signal: AbortSignal,
  keepCompiled: (ended?: boolean) => Promise<void> = async () => {},
): Promise<number> {
  const member = await joinServer()
  // What there is to say of the flags the supervisor has said.
  const speaking = member === undefined ? terminal : { ...terminal, printError: () => {} }
  const { options, args, errors } = parseOptions(upOptions, terminal.args)
  if (options.boolean('help')) {
    terminal.print(
      [helpText(upOptions, terminal.width), controllersHelp(), gateHelp(knownGates)].join('\n'),
    )
    return 0
  }
  const features = new FeatureGates(knownGates).with(
    parseGateSwitches(options.pairs('feature-gates')),
  )
  for (const warning of features.warnings) speaking.printError(warning)
  const kinds = { platform: options.string('platform'), schemas: options.strings('schemas') }
  const problems = [
    ...errors,
    ...args.map((arg) => `unknown argument: ${arg}`),
    ...[...features.errors.values()].map((error) => `--feature-gates: ${error}`),
    ...controllerProblems(options.strings('controllers'), features.gates.on),
    ...providerOf(options.string('cloud-provider')).problems,
    ...(await clusterRangeProblems(rangesOf(options))),
    ...[kindsProblem(kinds)].filter((one) => one !== undefined),
    ...storageProblems(options),
    ...processProblems(options),
  ]
  if (problems.length > 0) return refuse(problems, terminal)
  const scheme = await loadScheme(kinds, (line) => speaking.printError(line))
  if (scheme === undefined) return 1
  const words = options.strings('runtime-config')
  const unknown = servedScheme(scheme, words).problems
  if (unknown.length > 0) return refuse(unknown, terminal)
  const { audit, ...recorded } = await auditSettings(options, {
    configKinds,
    platform: scheme.platform,
    gates: features.gates,
    print: (line) => terminal.print(line),
  })
  for (const warning of recorded.warnings) speaking.printError(warning)
  if (recorded.problems.length > 0) return refuse(recorded.problems, terminal)
  const gates = { gates: features.gates.on, knownGates }
  const served = { scheme, ...gates, runtimeConfig: words, ...(audit && { audit }) }
  const around = { terminal, signal, keepCompiled, member }
  return serve(options, served, around).finally(() => member?.leave())
}

/** Says what keeps the server from starting. */
function refuse(problems: readonly string[], terminal: Terminal): number {
  for (const problem of problems) terminal.printError(`orch up: ${problem}`)
  terminal.printError('run orch up --help to see all flags')
  return 1
}

/** What the flags say is served. */
type Served = Pick<ApiServerOptions, 'scheme' | 'knownGates' | 'runtimeConfig' | 'audit'> & {
  readonly gates: EnabledGates
}

/** What a control plane runs in. */
interface Surroundings {
  readonly terminal: Terminal
  readonly signal: AbortSignal
  readonly keepCompiled: (ended?: boolean) => Promise<void>
  /** What this process is of several; undefined where it is the only one, or starts them. */
  readonly member: GroupMember | undefined
}

async function serve(options: Options, served: Served, around: Surroundings): Promise<number> {
  const { terminal, signal, member } = around
  const write = (line: string): void => terminal.printError(line.trimEnd())
  const log = await createLogger({ level: 'warn', write })
  const storage = await storageOf(options)
  const { brand } = served.scheme.platform
  const ranges = serviceRangesOf(options)
  const [serviceRange = ''] = ranges
  const certificates = await localCertificates(
    certificateFolder(options),
    brand,
    Date.now(),
    addressIn(serviceRange, 1),
  )
  const given: ApiServerOptions = {
    ...served,
    log,
    clock: systemClock,
    hostname: hostname(),
    storage,
    ...listeners(options, certificates),
    nodes: {
      ...{ authorities: certificates.ca, certificate: certificates.agentClient },
      host: '127.0.0.1',
    },
    authorization: { modes: ['Node', 'RBAC'] },
    serviceRanges: { ...defaultServiceRanges, addresses: ranges },
    servicePort: userPortsOf(options).api,
    aggregation: { certificate: certificates.frontProxy },
    controllersElsewhere,
    admission: { enable: pluginsOfControllers(options.strings('controllers'), served.gates) },
    runtimeConfig: options.strings('runtime-config'),
  }
  const greet = ({ url, insecureUrl }: ServedUrls): void => {
    const lines = welcome(storage, orchconfigPath(options), insecureUrl)
    for (const line of [...lines, `ready ${url}`]) terminal.print(line)
  }
  if (member === undefined && processCount(options) > 1) {
    return superviseUp(given, options, greet, terminal, signal)
  }
  collectEarly()
  const server = await startApiServer(member ? await memberOptions(given, options, member) : given)
  const tell = member === undefined ? greet : member.ready
  return serveUntil(server, { options, ...served, certificates, log }, { ...around, tell })
}

/** Says where the server is, and has it serve until the signal aborts, with what runs beside it in the first process. */
async function serveUntil(
  server: RunningApiServer,
  beside: RunBesideOptions,
  { terminal, signal, keepCompiled, member, tell }: Surroundings & Telling,
): Promise<number> {
  const { options, scheme, certificates } = beside
  const { url, insecureUrl } = server
  const isFirst = (member?.number ?? 1) === 1
  const running: Running[] = []
  try {
    const orchconfig = orchconfigPath(options)
    const { ca, admin } = certificates
    const facts = { server: url, name: scheme.platform.brand, ca, ...admin }
    if (isFirst) await writeOrchconfig(orchconfig, facts)
    if (isFirst) await makeFirstAccount(server, options.strings('controllers'), beside.gates)
    tell({ url, insecureUrl })
    if (member === undefined) await keepCompiled()
    if (isFirst) running.push(...runBeside(server, beside), ...runHere(server, beside, terminal))
    const end = aborted(member?.signal ?? signal)
    await Promise.race([end, server.ended, ...running.map(({ failed }) => failed)])
  } finally {
    await Promise.all(running.map((one) => one.stop()))
    await server.stop()
  }
  if (member === undefined) await keepCompiled(true)
  return 0
}

/** Hears where the server is. */
interface Telling {
  readonly tell: (served: ServedUrls) => void
}

/** Resolves when the signal aborts. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
}
