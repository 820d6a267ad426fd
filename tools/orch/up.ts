import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { auditSettings } from '../../daemons/apiserver/audit-flags.ts'
import { storageProblem } from '../../daemons/apiserver/storage-flag.ts'
import { collectEarly } from '../../daemons/collection.ts'
import type { Terminal } from '../../daemons/run.ts'
import { versionLine } from '../../daemons/version.ts'
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
import { insecureAuthenticator, parseSigningKey, type SigningKey } from '../../runtime/auth/auth.ts'
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
import type { Scheme } from '../../runtime/kernel/descriptors/scheme.ts'
import { createLogger, type Log } from '../../runtime/observe/observe.ts'
import {
  isSharedStore,
  parseStoreLocation,
  type StoreLocation,
  storeLocationText,
} from '../../runtime/store/store.ts'
import type { Running } from './in-process.ts'
import { frontProxyTrust, type LocalCertificates, localCertificates } from './local-certificates.ts'
import { quoted, writeOrchconfig } from './orchconfig.ts'
import { loadScheme } from './scheme.ts'
import {
  controllerProblems,
  controllersElsewhere,
  controllersHelp,
  keepsNodes,
  pluginsOfControllers,
  runControllers,
  runScheduler,
} from './up-controllers.ts'
import { runMetricsApi } from './up-metrics.ts'
import { runNode } from './up-node.ts'
import { runSimulatedNodes } from './up-nodes.ts'
import { upOptions } from './up-options.ts'
import {
  memberOptions,
  processCount,
  processProblems,
  type ServedUrls,
  superviseUp,
} from './up-processes.ts'
import { addressIn, dnsOffset, runServices, serviceRangesOf } from './up-services.ts'

/** `orch up`: a control plane on this machine, from the command line to its end; `whenReady` is called in between. */
export async function up(
  terminal: Terminal,
  signal: AbortSignal,
  whenReady: () => Promise<void> = async () => {},
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
  const problems = [
    ...errors,
    ...args.map((arg) => `unknown argument: ${arg}`),
    ...[...features.errors.values()].map((error) => `--feature-gates: ${error}`),
    ...controllerProblems(options.strings('controllers'), features.gates.on),
    ...providerOf(options.string('cloud-provider')).problems,
    ...(await clusterRangeProblems(rangesOf(options))),
    ...missingSchemas(options),
    ...storageProblems(options),
    ...processProblems(options),
  ]
  if (problems.length > 0) return refuse(problems, terminal)
  const scheme = await loadScheme(
    { platform: options.string('platform'), schemas: options.strings('schemas') },
    (line) => speaking.printError(line),
  )
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
  const around = { terminal, signal, whenReady, member }
  return serve(options, served, around).finally(() => member?.leave())
}

/** The schema files and folders that are named and not there. */
function missingSchemas(options: Options): readonly string[] {
  const named = [
    ...[options.string('platform')].filter(Boolean).map((path) => ['--platform', path] as const),
    ...options.strings('schemas').map((path) => ['--schemas', path] as const),
  ]
  return named
    .filter(([, path]) => !existsSync(path))
    .map(([flag, path]) => `${flag} ${path}: no such file or folder`)
}

/** What is wrong with where objects are to be kept. */
function storageProblems(options: Options): readonly string[] {
  const storage = options.string('storage')
  if (storage === '') return []
  const problem = storageProblem(storage)
  if (problem !== undefined) return [problem]
  const named = options.string('data-dir') !== '' && !isSharedStore(parseStoreLocation(storage)!)
  return named ? ['--storage and --data-dir: both say where objects are kept'] : []
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
  readonly whenReady: () => Promise<void>
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
  { terminal, signal, whenReady, member, tell }: Surroundings & Telling,
): Promise<number> {
  const { options, scheme, certificates, log } = beside
  const [serviceRange = ''] = serviceRangesOf(options)
  const { url, insecureUrl } = server
  const isFirst = (member?.number ?? 1) === 1
  const running: Running[] = []
  try {
    const orchconfig = orchconfigPath(options)
    const { ca, admin, agentFiles, authorityFiles } = certificates
    const facts = { server: url, name: scheme.platform.brand, ca, ...admin }
    if (isFirst) await writeOrchconfig(orchconfig, facts)
    tell({ url, insecureUrl })
    if (member === undefined) await whenReady()
    if (isFirst) running.push(...runBeside(server, beside))
    if (isFirst && options.boolean('node')) {
      const files = { ...agentFiles, authority: authorityFiles.certFile }
      const folder = join(dirname(orchconfig), 'node')
      running.push(
        runNode({
          ...terminal,
          orchconfig,
          folder,
          files,
          dns: addressIn(serviceRange, dnsOffset),
        }),
      )
      const { platform } = scheme
      running.push(runMetricsApi(server, { platform, log, certificates }))
      const { print } = terminal
      running.push(
        runServices(server, { platform, log, serviceRange, identity: resolve(orchconfig), print }),
      )
    }
    const end = aborted(member?.signal ?? signal)
    await Promise.race([end, server.ended, ...running.map(({ failed }) => failed)])
  } finally {
    await Promise.all(running.map((one) => one.stop()))
    await server.stop()
  }
  return 0
}

/** Hears where the server is. */
interface Telling {
  readonly tell: (served: ServedUrls) => void
}

interface RunBesideOptions {
  readonly options: Options
  readonly scheme: Scheme
  readonly gates: EnabledGates
  readonly certificates: LocalCertificates
  readonly log: Log
}

/** The ranges of nodes, where they are to have some, and those of services, of which they get no part. */
function rangesOf(options: Options) {
  const clusterCIDR = options.string('cluster-cidr')
  const serviceCIDRs = serviceRangesOf(options)
  return { serviceCIDRs, ...(clusterCIDR !== '' && { clusterCIDR }) }
}

/** What runs in this process beside the server. It starts once the server is ready, so that clients do not wait for it. */
function runBeside(
  server: RunningApiServer,
  { options, scheme, gates, certificates, log }: RunBesideOptions,
): readonly Running[] {
  const controllers = runControllers(server, {
    controllers: options.strings('controllers'),
    ...{ scheme, gates, log },
    clusterCIDR: undefined,
    ...rangesOf(options),
    rootCertificates: () => certificates.ca,
    tokenKey: tokenKeyOf(certificates),
    cloud: providerOf(options.string('cloud-provider')).provider,
    signingAuthority: certificates.authorityFiles,
  })
  const nodes = runSimulatedNodes(server, {
    ...{ count: options.number('simulated-nodes'), platform: scheme.platform, log },
    removesTaint: !keepsNodes(options.strings('controllers'), gates),
  })
  const scheduler = options.boolean('scheduler') ? [runScheduler(server, { scheme, log })] : []
  return [controllers, nodes, ...scheduler]
}

/** TLS for those who have a certificate, and the port without it that was asked for. */
function listeners(
  options: Options,
  { ca, server, tokenKey, frontProxy }: LocalCertificates,
): Pick<ApiServerOptions, 'secure' | 'listen' | 'authentication'> {
  const host = '127.0.0.1'
  const secure = {
    host,
    port: options.number('port'),
    certificate: server,
    clientAuthorities: { pem: ca },
    requestHeader: frontProxyTrust(frontProxy),
  }
  const signingKey = tokenKeyOf({ tokenKey })
  const authentication = {
    bootstrapTokens: true,
    ...(signingKey && { serviceAccounts: { signingKey } }),
  }
  if (options.origin('insecure-port') === 'default') {
    return { secure, authentication }
  }
  const listen = { host, port: options.number('insecure-port') }
  return {
    secure,
    listen,
    authentication: { ...authentication, connection: [insecureAuthenticator] },
  }
}

/** The key that signs tokens of service accounts. */
function tokenKeyOf({
  tokenKey,
}: Pick<LocalCertificates, 'tokenKey'>): (() => SigningKey) | undefined {
  const [key] = parseSigningKey(tokenKey).keys
  return key && (() => key)
}

/** What a person wants to know first: where objects are kept, and the line that points clients at the server. */
function welcome(
  storage: StoreLocation,
  orchconfig: string,
  insecureUrl: string,
): readonly string[] {
  const kept = keptIn(storage)
  const path = quoted(orchconfig)
  return [
    `${versionLine('orch')}: objects are kept ${kept}`,
    'to use it from another terminal, paste this line; then try kubectl get namespaces',
    '',
    `  export KUBECONFIG=${path} ORCHCONFIG=${path}`,
    '',
    ...(insecureUrl === '' ? [] : [`without TLS, open to every program here: ${insecureUrl}`]),
  ]
}

/** What a person is told of where objects are kept. */
function keptIn(storage: StoreLocation): string {
  if (storage.kind === 'sqlite') return `in ${storage.file}`
  if (storage.kind === 'postgres') return `at ${storeLocationText(storage.url)}`
  return 'in memory until it stops; --data-dir DIR keeps them'
}

/** Where objects are kept: as the flag says, or in a data directory, which is made if it is not there; else in memory. */
async function storageOf(options: Options): Promise<StoreLocation> {
  const named = parseStoreLocation(options.string('storage'))
  const directory = options.string('data-dir')
  if (directory !== '') await mkdir(directory, { recursive: true, mode: 0o700 })
  if (named !== undefined) return named
  if (directory === '') return { kind: 'memory' }
  return { kind: 'sqlite', file: join(resolve(directory), 'store.db') }
}

/** The file for clients: the one that was named, or one in the data directory. */
function orchconfigPath(options: Options): string {
  const given = options.string('orchconfig')
  return resolve(given === '' ? join(options.string('data-dir') || '.orch', 'orchconfig') : given)
}

/** Where certificates are kept: in the data directory, or beside the orchconfig file of a server without any. */
function certificateFolder(options: Options): string {
  const data = options.string('data-dir')
  return join(data === '' ? dirname(orchconfigPath(options)) : resolve(data), 'certificates')
}

/** Resolves when the signal aborts. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
}
