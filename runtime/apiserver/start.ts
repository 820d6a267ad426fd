import {
  type PluginContext,
  type PluginSelection,
  selectionProblems,
  validatingAdmissionPolicyGate,
} from '../admission/admission.ts'
import {
  advertiseProblems,
  defaultServiceRanges,
  firstAddress,
  rangeProblems,
  type ServiceRanges,
  servableScheme,
  servicePools,
} from '../apis/apis.ts'
import { type AuditOptions, type Auditor, createAuditor } from '../audit/audit.ts'
import type { Clock } from '../kernel/async/clock.ts'
import { type EnabledGates, enabledGatesOf } from '../kernel/descriptors/enabled-gates.ts'
import type { FeatureGate } from '../kernel/descriptors/feature-gate.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { Log, Metrics } from '../observe/observe.ts'
import { bootstrap, createRegistry, type Registry } from '../registry/registry.ts'
import { withResourceVersion } from '../serializer/serializer.ts'
import {
  type ApiServer,
  createServer,
  type Limits,
  type ListenOptions,
  type ServerOptions,
} from '../server/server.ts'
import { openStore, type StoreLocation } from '../store/store.ts'
import { createWatchCache } from '../watch/watch.ts'
import { componentHealth } from './component-status.ts'
import { Lifecycle } from './lifecycle.ts'
import { countStored, type MetricSelection, metricsOf } from './metrics.ts'
import { servedScheme } from './served-scheme.ts'
import { serviceResolver } from './service-resolver.ts'
import { ControllerHost } from './start-controllers.ts'

export interface ApiServerOptions {
  readonly scheme: Scheme
  /** Where objects are kept. */
  readonly storage: StoreLocation
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
  readonly gates?: EnabledGates
  /** Words of --runtime-config: which part of the tree is served. Fails if one names nothing of the tree. */
  readonly runtimeConfig?: readonly string[]
  /** The plugins of admission, their settings, and how services are found. Default: those on by default; by stored objects. */
  readonly admission?: PluginSelection &
    Partial<Pick<PluginContext, 'authorizer' | 'resolve' | 'settings'>>
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
  readonly knownGates?: readonly FeatureGate[]
  /** Finds out whose request over a socket it is. Default: all are the anonymous user's. */
  readonly authenticator?: ServerOptions['authenticator']
  /** Middleware of Koa behind the server's own filters: further paths, further headers. */
  readonly use?: ServerOptions['use']
  /** What is recorded of requests, and where. Default: nothing. */
  readonly audit?: AuditOptions
}

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
  const { scheme, problems } = servedScheme(servableScheme(options.scheme), words)
  const admission = options.admission ?? {}
  const ranges = options.serviceRanges ?? defaultServiceRanges
  const wrong = [
    ...problems,
    ...selectionProblems(admission),
    ...rangeProblems(ranges),
    ...advertiseProblems(options.advertiseAddress),
  ]
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
  const background = new Lifecycle()
  try {
    const store = await openStore(storage, {
      clock,
      onCompactionFailure: (error) => log.error('compaction failed', {}, error),
      ...defined({ retentionMs: options.historyMs, maxValueBytes: options.objectBytes }),
    })
    background.onStop(() => store.close())
    const { historyMs, historyBytes } = options
    const cache = await createWatchCache(store, {
      clock,
      stampResourceVersion: withResourceVersion,
      ...defined({ historyMs, maxHistoryBytes: historyBytes }),
    })
    background.onStop(() => cache.close())
    background.run((signal) => store.run(signal))
    const gates = defined({ gates: options.gates })
    const metrics = metricsOf(options)
    const pools = servicePools(ranges)
    const resolve = admission.resolve ?? serviceResolver(() => registry)
    const storeIsWell = async () => void (await store.revision())
    const registry: Registry = createRegistry({
      store: cache,
      scheme: options.scheme,
      clock,
      admission: { ...admission, resolve, log, ...defined({ metrics }) },
      pools,
      computed: { 'component-health': componentHealth([{ name: 'etcd-0', check: storeIsWell }]) },
      ...gates,
    })
    background.signal.addEventListener('abort', () => registry.close())
    if (metrics !== undefined) countStored(metrics, registry)
    const controllers = new ControllerHost({
      options,
      shown: scheme,
      registry,
      lifecycle: background,
    })
    await controllers.addAllocations(cache, pools)
    await bootstrap(registry)
    controllers.addLifetimes()
    const auditor = auditorOf(options, metrics)
    if (auditor !== undefined) background.onStop(() => auditor.stop())
    const apiServices = controllers.apiServices()
    const server = createServer({
      registry: apiServices?.registry ?? registry,
      scheme,
      clock,
      log,
      checks: [{ name: 'etcd', check: storeIsWell }],
      ...defined({
        requestTimeoutMs: options.requestTimeoutMs,
        minRequestTimeoutMs: options.minWatchMs,
        limits: options.limits,
        inFlight: options.inFlight,
        fairness: options.fairness,
        metrics,
        auditor,
        livezGraceMs: options.livezGraceMs,
        authenticator: options.authenticator,
        authorizer: admission.authorizer,
        use: options.use,
      }),
      ...gates,
    })
    background.onStop(() => server.stop())
    const serving = {
      replaceTree(next: Scheme) {
        server.replaceTree(next)
        apiServices?.serve(next)
      },
    }
    await controllers.addDefinitions(serving, resolve)
    await controllers.addFlowControl(server)
    controllers.addPolicyStatus()
    const url = options.listen === undefined ? '' : await listen(server, options.listen)
    await controllers.addServerService(ranges, url)
    controllers.start()
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

function auditorOf(
  { audit, scheme: { platform }, clock, log }: ApiServerOptions,
  metrics: Metrics | undefined,
): Auditor | undefined {
  return audit && createAuditor(audit, { platform, clock, log, ...defined({ metrics }) })
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

type Defined<T> = { readonly [P in keyof T]?: NonNullable<T[P]> }

/** Only the settings that are set: a default belongs to whoever knows what it means. */
function defined<T extends object>(settings: T): Defined<T> {
  const set = Object.entries(settings).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set) as Defined<T>
}
