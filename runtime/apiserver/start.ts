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
import {
  bootstrap,
  createRegistry,
  emptyNamespaces,
  expireObjects,
  keepClaims,
  type Registry,
  repairClaims,
} from '../registry/registry.ts'
import { withResourceVersion } from '../serializer/serializer.ts'
import {
  type ApiServer,
  createServer,
  type Limits,
  type ListenOptions,
  type ServerOptions,
} from '../server/server.ts'
import { openSqliteStore } from '../store/store.ts'
import { createWatchCache } from '../watch/watch.ts'
import { ApiServiceRegistration, apiServiceKind } from './api-service-registration.ts'
import { componentHealth } from './component-status.ts'
import type { CustomResources } from './custom-resources.ts'
import { definitionKind, waitForDefinition } from './definition-watch.ts'
import { FlowControlController, flowKinds } from './flow-control-controller.ts'
import { lazyResource } from './lazy-resource.ts'
import { Lifecycle } from './lifecycle.ts'
import { countStored, type MetricSelection, metricsOf } from './metrics.ts'
import { PolicyStatusController, policyKind } from './policy-status-controller.ts'
import { servedScheme } from './served-scheme.ts'
import { advertisedAddress, ServerServiceController } from './server-service-controller.ts'
import { serviceResolver } from './service-resolver.ts'

/** Where objects are kept: until the server stops, or in a file that it owns while it runs. */
export type Storage =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly file: string }

export interface ApiServerOptions {
  readonly scheme: Scheme
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
    const store = await openSqliteStore({
      ...(storage.kind === 'memory'
        ? { filename: ':memory:', startRevision: clock.now() * revisionsPerMs }
        : { filename: storage.file }),
      clock,
      onCompactionFailure: (error) => log.error('compaction failed', {}, error),
      ...defined({ keepMs: options.historyMs, valueBytes: options.objectBytes }),
    })
    background.onStop(() => store.close())
    const { historyMs, historyBytes } = options
    const cache = await createWatchCache(store, {
      clock,
      stampResourceVersion: withResourceVersion,
      ...defined({ historyMs, historyBytes }),
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
    const claims = { store: cache, kinds: Object.values(options.scheme.routes), pools, clock, log }
    await repairClaims(claims)
    background.run((signal) => keepClaims(claims, signal))
    await bootstrap(registry)
    background.run((signal) => emptyNamespaces(registry, { clock, log }, signal))
    const expiry = { clock, log, ...defined({ ttlMs: options.eventTtlMs }) }
    background.run((signal) => expireObjects(registry, expiry, signal))
    const auditor = auditorOf(options, metrics)
    if (auditor !== undefined) background.onStop(() => auditor.stop())
    const versions = localVersions(options, scheme, registry, background)
    const server = createServer({
      registry: versions?.registry ?? registry,
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
      }),
      ...gates,
    })
    background.onStop(() => server.stop())
    const serving = {
      replaceTree(next: Scheme) {
        server.replaceTree(next)
        versions?.serve(next)
      },
    }
    await followDefinitions({ ...options, resolve }, scheme, registry, serving, background)
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
  scheme: Scheme,
  registry: Registry,
  background: Lifecycle,
) {
  const kind = apiServiceKind(scheme)
  if (kind === undefined) return undefined
  const versions = new ApiServiceRegistration({ registry, kind, scheme, clock, log })
  background.run((signal) => versions.run(signal))
  return {
    registry: lazyResource(registry, kind, () => versions.ready()),
    serve: (next: Scheme) => versions.serve(next),
  }
}

/**
 * Where the tree has definitions, the kinds that they make are served beside its own. What makes them is loaded when there
 * is a definition.
 */
async function followDefinitions(
  options: ApiServerOptions & Pick<PluginContext, 'resolve'>,
  shown: Scheme,
  registry: Registry,
  server: Pick<ApiServer, 'replaceTree'>,
  background: Lifecycle,
): Promise<void> {
  const kind = definitionKind(shown)
  if (kind === undefined) return
  let custom: CustomResources | undefined
  const serve = async () => {
    const file = await import('./custom-resources.ts')
    custom = file.customResources(options, { kind, shown, registry, server })
    await custom.definitions.sync()
  }
  background.signal.addEventListener('abort', () => custom?.close())
  if ((await registry.list({ kind }, {})).items.length > 0) await serve()
  const { clock, log } = options
  background.run(async (signal) => {
    if (custom === undefined && (await waitForDefinition({ registry, kind, clock, log }, signal)))
      await serve()
    await custom?.definitions.run(signal)
  })
}

/** Where the tree has the kinds of flow control, their objects are what the server goes by. */
async function followFlowObjects(
  { scheme, clock, log, fairness }: ApiServerOptions,
  registry: Registry,
  server: ApiServer,
  background: Lifecycle,
): Promise<void> {
  const kinds = flowKinds(scheme)
  const facts = scheme.flowControl
  if (kinds === undefined || facts === undefined || fairness === false) return
  const configure = server.configureFlow
  const objects = new FlowControlController({ registry, kinds, facts, clock, log, configure })
  await objects.sync()
  background.run((signal) => objects.run(signal))
}

/** The server is found by a service, like any other program of the cluster. */
async function followApiService(
  { clock, log, listen: where, advertiseAddress }: ApiServerOptions,
  ranges: ServiceRanges,
  registry: Registry,
  url: string,
  background: Lifecycle,
): Promise<void> {
  const clusterIP = firstAddress(ranges)
  if (clusterIP === undefined) return
  const address = advertiseAddress ?? advertisedAddress(where?.host ?? '127.0.0.1')
  const advertised =
    url === '' || address === undefined
      ? undefined
      : { address, port: Number(new URL(url).port) || 80 }
  const service = new ServerServiceController({
    ...{ registry, clusterIP, clock, log },
    ...defined({ advertised }),
  })
  await service.sync()
  background.run((signal) => service.run(signal))
}

/** Where policies are in force, their authors are told of mistakes. */
function followPolicies(
  { scheme, clock, log, gates = enabledGatesOf(scheme) }: ApiServerOptions,
  registry: Registry,
  background: Lifecycle,
): void {
  const kind = policyKind(scheme)
  if (kind === undefined || !gates.has(validatingAdmissionPolicyGate)) return
  const checks = new PolicyStatusController({ registry, kind, clock, log })
  background.run((signal) => checks.run(signal))
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
