import {
  policyGate,
  type Selection,
  selectionProblems,
  type World,
} from '../admission/admission.ts'
import { type AuditOptions, type Auditor, createAuditor } from '../audit/audit.ts'
import { withRevision } from '../codec/codec.ts'
import type { Gate } from '../kernel/features.ts'
import { type Gates, gatesOf } from '../kernel/gates.ts'
import type { Clock } from '../kernel/time.ts'
import type { Tree } from '../kernel/tree.ts'
import {
  ableTree,
  advertiseProblems,
  defaultServiceRanges,
  firstAddress,
  rangeProblems,
  type ServiceRanges,
  servicePools,
} from '../kinds/kinds.ts'
import type { Log, Metrics } from '../observe/observe.ts'
import {
  bootstrap,
  createRegistry,
  emptyNamespaces,
  expireObjects,
  keepClaims,
  type Registry,
  repairClaims,
} from '../registry/registry.ts'
import {
  type ApiServer,
  createServer,
  type Limits,
  type ListenOptions,
  type ServerOptions,
} from '../serve/serve.ts'
import { openSqliteStore } from '../store/store.ts'
import { createWatchCache } from '../watch/watch.ts'
import { ApiService, advertisedAddress } from './api-service.ts'
import { Background } from './background.ts'
import { componentHealth } from './components.ts'
import type { CustomKinds } from './custom-kinds.ts'
import { definitionKind, isMade } from './first-definition.ts'
import { FlowObjects, flowKinds } from './flow-objects.ts'
import { LocalVersions, versionKind } from './local-versions.ts'
import { countStored, type MetricSelection, metricsOf } from './metrics.ts'
import { PolicyChecks, policyKind } from './policy-checks.ts'
import { readied } from './readied.ts'
import { servedTree } from './served-tree.ts'
import { serviceResolver } from './services.ts'

/** Where objects are kept: until the server stops, or in a file that it owns while it runs. */
export type Storage =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly file: string }

export interface ApiServerOptions {
  readonly tree: Tree
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
  /** Where to listen; without it, only requests of the same process are answered. */
  readonly listen?: Pick<ListenOptions, 'host' | 'port'>
  /** How long changes are remembered. Default five minutes. */
  readonly historyMs?: number
  /** Upper bound of the remembered changes. Default 256 MiB. */
  readonly historyBytes?: number
  /** Longest time of a request that is no watch. Default one minute. */
  readonly requestTimeoutMs?: number
  /** Shortest time of a watch whose client names none. Default half an hour. */
  readonly minWatchMs?: number
  /** How long to go on serving after `stop`, with readyz failing. Default 0. */
  readonly shutdownDelayMs?: number
  /** How long objects stay that stay for a time only, such as events. Default: as their kinds say, one hour. */
  readonly eventTtlMs?: number
  /** Where the addresses and node ports of services lie. */
  readonly serviceRanges?: ServiceRanges
  /** Where other machines find the server. Default: where it listens, or this machine's first address. */
  readonly advertiseAddress?: string
  /** The feature gates that are on. Default: those that are on by default. */
  readonly gates?: Gates
  /** Words of --runtime-config: which part of the tree is served. Fails if one names nothing of the tree. */
  readonly runtimeConfig?: readonly string[]
  /** The plugins of admission, their settings, and how services are found. Default: those on by default; by stored objects. */
  readonly admission?: Selection & Partial<Pick<World, 'authorize' | 'resolve' | 'settings'>>
  /** Most bytes of an object as it is stored. Default 1.5 MiB. */
  readonly objectBytes?: number
  /** What one request and one connection may cost. */
  readonly limits?: Partial<Limits>
  /** Requests that are worked on at once. Default 400 reading and 200 changing ones. */
  readonly inFlight?: ServerOptions['inFlight']
  /** False: requests are limited in number only. */
  readonly fairness?: boolean
  /** How long after the start unfinished beginnings count as live. Default 0. */
  readonly livezGraceMs?: number
  /** Which metrics are shown, and which values their labels may have. Default: all that the release has, and any. */
  readonly metrics?: MetricSelection
  /** The table of feature gates, whose state is a metric. Default: none is told. */
  readonly knownGates?: readonly Gate[]
  /** What is recorded of requests, and where. Default: nothing. */
  readonly audit?: AuditOptions
}

/**
 * What a store in memory is ahead of the clock. Each begins its versions where the clock stands, so that a version which
 * a client kept from an earlier server lies before its history and is answered with 410, not taken for one of its own.
 */
const revisionsPerMs = 16

export interface RunningApiServer extends Pick<ApiServer, 'dispatch'> {
  /** Empty for a server that does not listen. */
  readonly url: string
  /** Fails if the server cannot go on, because its store cannot; settles when it has stopped. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

/** Starts an API server. Fails with nothing left behind if the store is not to be had or the port is taken. */
export async function startApiServer(options: ApiServerOptions): Promise<RunningApiServer> {
  const { storage, clock, log } = options
  const words = options.runtimeConfig ?? []
  const { tree, problems } = servedTree(ableTree(options.tree), words)
  const admission = options.admission ?? {}
  const ranges = options.serviceRanges ?? defaultServiceRanges
  const wrong = [
    ...problems,
    ...selectionProblems(admission),
    ...rangeProblems(ranges),
    ...advertiseProblems(options.advertiseAddress),
  ]
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
  const background = new Background()
  try {
    const store = await openSqliteStore({
      ...(storage.kind === 'memory'
        ? { filename: ':memory:', origin: clock.now() * revisionsPerMs }
        : { filename: storage.file }),
      clock,
      compactionFailed: (error) => log.error('compaction failed', {}, error),
      ...given({ keepMs: options.historyMs, valueBytes: options.objectBytes }),
    })
    background.onStop(() => store.close())
    const { historyMs, historyBytes } = options
    const cache = await createWatchCache(store, {
      clock,
      seal: withRevision,
      ...given({ historyMs, historyBytes }),
    })
    background.onStop(() => cache.close())
    background.run((signal) => store.run(signal))
    const gates = given({ gates: options.gates })
    const metrics = metricsOf(options)
    const pools = servicePools(ranges)
    const resolve = admission.resolve ?? serviceResolver(() => registry)
    const storeIsWell = async () => void (await store.revision())
    const registry: Registry = createRegistry({
      store: cache,
      tree: options.tree,
      clock,
      admission: { ...admission, resolve, log, ...given({ metrics }) },
      pools,
      computed: { 'component-health': componentHealth([{ name: 'etcd-0', check: storeIsWell }]) },
      ...gates,
    })
    background.signal.addEventListener('abort', () => registry.close())
    if (metrics !== undefined) countStored(metrics, registry)
    const claims = { store: cache, kinds: Object.values(options.tree.routes), pools, clock, log }
    await repairClaims(claims)
    background.run((signal) => keepClaims(claims, signal))
    await bootstrap(registry)
    background.run((signal) => emptyNamespaces(registry, { clock, log }, signal))
    const expiry = { clock, log, ...given({ ttlMs: options.eventTtlMs }) }
    background.run((signal) => expireObjects(registry, expiry, signal))
    const auditor = auditorOf(options, metrics)
    if (auditor !== undefined) background.onStop(() => auditor.stop())
    const versions = localVersions(options, tree, registry, background)
    const server = createServer({
      registry: versions?.registry ?? registry,
      tree,
      clock,
      log,
      checks: [{ name: 'etcd', check: storeIsWell }],
      ...given({
        requestTimeoutMs: options.requestTimeoutMs,
        minRequestTimeoutMs: options.minWatchMs,
        limits: options.limits,
        inFlight: options.inFlight,
        fairness: options.fairness,
        metrics,
        auditor,
        livezGraceMs: options.livezGraceMs,
      }),
      ...gates,
    })
    background.onStop(() => server.stop())
    const serving = {
      replaceTree(next: Tree) {
        server.replaceTree(next)
        versions?.serve(next)
      },
    }
    await followDefinitions({ ...options, resolve }, tree, registry, serving, background)
    await followFlowObjects(options, registry, server, background)
    followPolicies(options, registry, background)
    const url = options.listen === undefined ? '' : await listen(server, options.listen)
    await followApiService(options, ranges, registry, url, background)
    background.onStop(() => drain(server, clock, options.shutdownDelayMs ?? 0))
    return {
      url,
      ended: background.ended,
      dispatch: (request) => server.dispatch(request),
      stop: () => background.stop(),
    }
  } catch (error) {
    await background.stop()
    throw error
  }
}

/** Where the tree shows the kind of group versions, requests about it find an object of each. */
function localVersions(
  { clock, log }: ApiServerOptions,
  tree: Tree,
  registry: Registry,
  background: Background,
) {
  const kind = versionKind(tree)
  if (kind === undefined) return undefined
  const versions = new LocalVersions({ registry, kind, tree, clock, log })
  background.run((signal) => versions.run(signal))
  return {
    registry: readied(registry, kind, () => versions.ready()),
    serve: (next: Tree) => versions.serve(next),
  }
}

/**
 * Where the tree has definitions, the kinds that they make are served beside its own. What makes them is loaded when there
 * is a definition.
 */
async function followDefinitions(
  options: ApiServerOptions & Pick<World, 'resolve'>,
  shown: Tree,
  registry: Registry,
  server: Pick<ApiServer, 'replaceTree'>,
  background: Background,
): Promise<void> {
  const kind = definitionKind(shown)
  if (kind === undefined) return
  let custom: CustomKinds | undefined
  const serve = async () => {
    const file = await import('./custom-kinds.ts')
    custom = file.customKinds(options, { kind, shown, registry, server })
    await custom.definitions.bring()
  }
  background.signal.addEventListener('abort', () => custom?.close())
  if ((await registry.list({ kind }, {})).items.length > 0) await serve()
  const { clock, log } = options
  background.run(async (signal) => {
    if (custom === undefined && (await isMade({ registry, kind, clock, log }, signal)))
      await serve()
    await custom?.definitions.run(signal)
  })
}

/** Where the tree has the kinds of flow control, their objects are what the server goes by. */
async function followFlowObjects(
  { tree, clock, log, fairness }: ApiServerOptions,
  registry: Registry,
  server: ApiServer,
  background: Background,
): Promise<void> {
  const kinds = flowKinds(tree)
  const facts = tree.flowControl
  if (kinds === undefined || facts === undefined || fairness === false) return
  const configure = server.configureFlow
  const objects = new FlowObjects({ registry, kinds, facts, clock, log, configure })
  await objects.bring()
  background.run((signal) => objects.run(signal))
}

/** The server is found by a service, like any other program of the cluster. */
async function followApiService(
  { clock, log, listen: where, advertiseAddress }: ApiServerOptions,
  ranges: ServiceRanges,
  registry: Registry,
  url: string,
  background: Background,
): Promise<void> {
  const clusterIP = firstAddress(ranges)
  if (clusterIP === undefined) return
  const address = advertiseAddress ?? advertisedAddress(where?.host ?? '127.0.0.1')
  const advertised =
    url === '' || address === undefined
      ? undefined
      : { address, port: Number(new URL(url).port) || 80 }
  const service = new ApiService({
    ...{ registry, clusterIP, clock, log },
    ...given({ advertised }),
  })
  await service.bring()
  background.run((signal) => service.run(signal))
}

/** Where policies are in force, their authors are told of mistakes. */
function followPolicies(
  { tree, clock, log, gates = gatesOf(tree) }: ApiServerOptions,
  registry: Registry,
  background: Background,
): void {
  const kind = policyKind(tree)
  if (kind === undefined || !gates.has(policyGate)) return
  const checks = new PolicyChecks({ registry, kind, clock, log })
  background.run((signal) => checks.run(signal))
}

function auditorOf(
  { audit, tree: { platform }, clock, log }: ApiServerOptions,
  metrics: Metrics | undefined,
): Auditor | undefined {
  return audit && createAuditor(audit, { platform, clock, log, ...given({ metrics }) })
}

async function listen(
  server: ApiServer,
  { host = '127.0.0.1', port }: ListenOptions,
): Promise<string> {
  try {
    return (await server.listen({ host, port })).url
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code !== 'EADDRINUSE') throw cause
    throw new Error(`port ${port} of ${host} is taken: stop who has it, or choose another`, {
      cause,
    })
  }
}

/** Fails readiness, then gives load balancers the time to notice. */
function drain(server: ApiServer, clock: Clock, delayMs: number): Promise<void> {
  server.drain()
  if (delayMs === 0) return Promise.resolve()
  return new Promise((resolve) => clock.after(delayMs, resolve))
}

type Given<T> = { readonly [P in keyof T]?: NonNullable<T[P]> }

/** Only the settings that are set: a default belongs to whoever knows what it means. */
function given<T extends object>(settings: T): Given<T> {
  const set = Object.entries(settings).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set) as Given<T>
}
