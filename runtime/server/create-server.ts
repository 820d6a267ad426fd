import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Koa from 'koa'
import type { RemoteServerMap } from '../aggregator/aggregator.ts'
import type { Auditor } from '../audit/audit.ts'
import {
  type Authenticator,
  type Authorizer,
  alwaysAllow,
  anonymousAuthenticator,
} from '../auth/auth.ts'
import type { HealthCheck } from '../daemon/daemon.ts'
import { type Clock, type Random, systemClock, systemRandom } from '../kernel/async/clock.ts'
import { type EnabledGates, enabledGatesOf } from '../kernel/descriptors/enabled-gates.ts'
import { groupNames, type Platform } from '../kernel/descriptors/platform.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import { capitalized } from '../kernel/values/capitalized.ts'
import {
  createMetrics,
  type Log,
  type Metrics,
  type MetricValues,
  noMetrics,
  silentLog,
} from '../observe/observe.ts'
import type { Registry, Target } from '../registry/registry.ts'
import { createSerializers } from '../serializer/serializer.ts'
import { createApplication } from './application.ts'
import type { Connector } from './context/connector.ts'
import type { CompletedRequest, Middleware } from './context/filter.ts'
import type { SchemeView, ServerContext, ServerDocument } from './context/server-context.ts'
import { deprecations } from './discovery/deprecated-apis.ts'
import { discoveryDocuments } from './discovery/discovery-documents.ts'
import { type SchemaDocuments, schemaDocuments } from './discovery/openapi/schema-documents.ts'
import { factsConfig, plainConfig } from './flow/flow-config.ts'
import { type FlowConfig, FlowControl, type FlowOptions } from './flow/flow-control.ts'
import { createWorkEstimator } from './flow/work-estimator.ts'
import type { OriginMatcher } from './http/allowed-origins.ts'
import { hostMatcher } from './http/hosts.ts'
import {
  type ApiRequest,
  type ApiResponse,
  toApiResponse,
  toHttpRequest,
} from './http/in-process.ts'
import { defaultLimits, type Limits } from './http/limits.ts'
import { type Listener, type ListenOptions, openListener } from './http/listener.ts'
import { splitUrl } from './http/query.ts'
import { upgrades } from './http/websocket.ts'
import { createRequestMetrics } from './metrics/request-metrics.ts'
import { isRemote } from './request/remote-target.ts'
import { isConnection } from './request/request-info.ts'
import { resourcePath, routeTable, segmentsOf } from './request/resource-path.ts'

export type { Listener, ListenOptions } from './http/listener.ts'
export type { PortOpener } from './http/port.ts'

/** What a server is made of. Everything but the registry and the scheme has a default. */
export interface ServerOptions {
  readonly registry: Registry
  readonly scheme: Scheme
  readonly clock?: Clock
  readonly log?: Log
  /** Health checks beside `ping`, `log` and `shutdown`: the store, for one. */
  readonly checks?: readonly HealthCheck[]
  /** Longest time of a request that is no watch. Default one minute. */
  readonly requestTimeoutMs?: number
  /** Shortest time of a watch whose client names none; the longest is twice that. Default half an hour. */
  readonly minRequestTimeoutMs?: number
  /** Makes audit ids. Default: random UUIDs. */
  readonly newId?: () => string
  /** Spreads the ends of watches. Tests pass a constant. */
  readonly random?: Random
  readonly gates?: EnabledGates
  /** What is counted. Default: a registry with the scheme's metrics, or none where it has none. */
  readonly metrics?: Metrics
  /** What the other processes of this server have counted by now. Default: there are none. */
  readonly otherMetrics?: (() => Promise<readonly MetricValues[]>) | undefined
  /** How long after the start livez passes over checks of the start that fail. Default 0. */
  readonly livezGraceMs?: number
  /** What one request and one connection may cost, where it is not the default. */
  readonly limits?: Partial<Limits>
  /** Seats of requests that read and of those that change something; flow control divides the sum. Default 400 and 200. */
  readonly inFlight?: { readonly reading: number; readonly changing: number }
  /** False: requests are limited in number alone, not by who sends them. Default: as the scheme has facts for it. */
  readonly fairness?: boolean
  /** Finds out whose request over a socket it is. Default: all are the anonymous user's. */
  readonly authenticator?: Authenticator
  /** Decides whether a user may make a request. Default: every user may make every request. */
  readonly authorizer?: Authorizer
  /**
   * Names under which clients reach the server, beside `localhost`, IP addresses and those of its own service; one that begins with
   * a dot stands for those below it. Requests under other names are refused: they may come from any page in a browser.
   */
  readonly allowedHosts?: readonly string[]
  /** The origins of other sites whose pages may make requests. Default: none. */
  readonly allowedOrigin?: OriginMatcher
  /** Documents that are served as they are, by their path. */
  readonly documents?: ReadonlyMap<string, ServerDocument>
  /** Middleware of Koa that runs behind the server's own filters. */
  readonly use?: readonly Middleware[]
  /** Called with every request that was answered. */
  readonly onRequestCompleted?: (request: CompletedRequest) => void
  /** Keeps the audit log. Without it, requests pay nothing for one. */
  readonly auditor?: Auditor
  /** Leads to nodes, pods and services. Default: they cannot be reached. */
  readonly connector?: Connector
}

/** A server. It answers through its listeners, through `handle` and `koa`, and to `dispatch`, all alike. */
export interface ApiServer {
  /** A listener for node:http. */
  readonly handle: (message: IncomingMessage, response: ServerResponse) => void
  /** The same as an application of Koa, for mounting in another one. */
  readonly koa: Koa
  /** Answers a request of the same process, without a socket, as its user's. Rejects after `stop`. */
  dispatch(request: ApiRequest): Promise<ApiResponse>
  /** Serves another scheme from now on. Watches of kinds that it does not have any more end. */
  replaceScheme(scheme: Scheme): void
  /** Has other servers answer for group versions from now on, also for those of the scheme. Undefined for none. */
  passOnTo(servers: RemoteServerMap | undefined): void
  /** Other priority levels and flow schemas from now on. */
  configureFlow(config: FlowConfig): void
  /**
   * Listens until the signal aborts or the server stops. May be called more than once.
   *
   * @throws the error of node:net if the address cannot be bound.
   */
  listen(options: ListenOptions): Promise<Listener>
  /** `readyz` fails from now on; everything else goes on, so that load balancers can look elsewhere first. */
  drain(): void
  /** Ends watches, lets the other requests finish, closes listeners. Resolves when nothing is left. */
  stop(): Promise<void>
}

/** What is told to programs of the same process that outlive the server. */
const stoppedWords =
  'the server is stopped and takes no requests: stop what uses it first, or start another one'

/** A server over a registry. Nothing is listening, running or loaded before it is called for. */
export function createServer(options: ServerOptions): ApiServer {
  let draining = false
  let stopped: Promise<void> | undefined
  const listeners = new Set<Listener>()
  const context = serverContext(options, () => draining)
  const { clock, log, limits } = context
  const mayUpgrade = (url: string) =>
    isRemote(context.view.remote, url) ||
    (connectWords.test(url) && isConnection(targetOf(context.view.routes, url)))
  const { koa, handle, decide } = createApplication(context, options.use ?? [])
  return {
    koa,
    handle,
    async dispatch(request) {
      if (stopped !== undefined) throw new Error(stoppedWords)
      const response = await decide(toHttpRequest(request, limits))
      return toApiResponse(response, request.method, request.signal)
    },
    async listen(where) {
      const listener = await openListener(where, {
        handle,
        upgrade: upgrades(decide, { clock, log, limits, mayUpgrade }),
        mayUpgrade,
        endStreams: () => endWatches(context),
        clock,
        log,
        limits,
      })
      listeners.add(listener)
      listener.closed.then(() => listeners.delete(listener))
      return listener
    },
    replaceScheme(next) {
      const { schemas, remote } = context.view
      context.view = schemeView(next, context, schemas, remote)
      const kinds = new Set(Object.values(next.routes))
      for (const [watch, kind] of context.watches) if (!kinds.has(kind)) watch.abort()
    },
    passOnTo(servers) {
      const { scheme, schemas } = context.view
      context.view = schemeView(scheme, context, schemas, servers)
    },
    configureFlow: (config) => context.flow.configure(config),
    drain() {
      draining = true
    },
    stop() {
      draining = true
      endWatches(context)
      stopped ??= Promise.all([...listeners].map((one) => one.close())).then(() => undefined)
      return stopped
    },
  }
}

/** What is in every path at which connections may become others; most paths are not looked at further. */
const connectWords = /\/(attach|exec|portforward|proxy)([/?]|$)/

function targetOf(routes: SchemeView['routes'], url: string): Target | undefined {
  const segments = segmentsOf(splitUrl(url).path)
  return segments && resourcePath(routes, segments)?.target
}

/** Each watch ends in order, with what was written before; what other servers answer breaks off. */
function endWatches({ watches, streams }: ServerContext): void {
  for (const watch of watches.keys()) watch.abort()
  for (const stream of streams) stream.abort()
}

/** The defaults of every option stand here. */
function serverContext(options: ServerOptions, draining: () => boolean): ServerContext {
  const { registry, scheme, clock = systemClock, log = silentLog } = options
  const metrics = options.metrics ?? metricsOf(scheme)
  const requestTimeoutMs = options.requestTimeoutMs ?? 60_000
  const checks = [...builtInChecks(draining), ...(options.checks ?? [])]
  return {
    view: schemeView(scheme, { clock, checks }),
    registry,
    clock,
    log,
    newId: options.newId ?? randomUUID,
    random: options.random ?? systemRandom,
    gates: options.gates ?? enabledGatesOf(scheme),
    authenticator: options.authenticator ?? anonymousAuthenticator,
    authorizer: options.authorizer ?? alwaysAllow,
    servedHost: hostMatcher([...serviceNames(scheme.platform), ...(options.allowedHosts ?? [])]),
    allowedOrigin: options.allowedOrigin,
    checks,
    livezGraceEnds: clock.now() + (options.livezGraceMs ?? 0),
    serializers: createSerializers(scheme),
    metaGroup: `meta.${scheme.platform.api}`,
    metaGroups: groupNames('meta', scheme.platform),
    limits: { ...defaultLimits, ...options.limits },
    requestTimeoutMs,
    minRequestTimeoutMs: options.minRequestTimeoutMs ?? 1_800_000,
    flow: flowOf(options, { clock, metrics, waitMs: requestTimeoutMs / 4 }),
    flowHeaderNames: flowHeaderNames(scheme.platform),
    workEstimator: createWorkEstimator(),
    metrics,
    otherMetrics: options.otherMetrics,
    requestMetrics: createRequestMetrics(metrics, scheme.platform, clock),
    documents: options.documents ?? new Map(),
    onRequestCompleted: options.onRequestCompleted,
    auditor: options.auditor,
    connector: options.connector,
    watches: new Map(),
    streams: new Set(),
    sharedFrames: new WeakMap(),
  }
}

/** The names of the server's own service, under which programs of the cluster find it. */
function serviceNames({ brand }: Platform): readonly string[] {
  return ['', '.default', '.default.svc', '.default.svc.cluster.local'].map((rest) => brand + rest)
}

/** What a server derives from a scheme. Schema documents that the scheme before had, too, are kept. */
function schemeView(
  scheme: Scheme,
  { clock, checks }: Pick<ServerContext, 'clock' | 'checks'>,
  before?: SchemaDocuments,
  remote?: RemoteServerMap,
): SchemeView {
  const routes = ownRoutes(scheme, remote)
  return {
    scheme,
    routes,
    documents: discoveryDocuments(scheme, routes, checks, remote),
    schemas: schemaDocuments(scheme, clock, before?.cache, remote),
    deprecations: deprecations(scheme),
    remote,
  }
}

/** The routes of a scheme without those for which other servers answer. */
function ownRoutes(scheme: Scheme, remote: RemoteServerMap | undefined): SchemeView['routes'] {
  const routes = routeTable(scheme)
  if (remote === undefined) return routes
  return new Map([...routes].filter(([path]) => !remote.has(path)))
}

function metricsOf({ metrics, platform: { release } }: Scheme): Metrics {
  return metrics === undefined ? noMetrics() : createMetrics(metrics, { release })
}

/** Flow control by the facts of the scheme, or a limit on the number of requests alone. */
function flowOf(
  { scheme, fairness = true, inFlight = { reading: 400, changing: 200 } }: ServerOptions,
  rest: Omit<FlowOptions, 'seats'>,
): FlowControl {
  const { reading, changing } = inFlight
  const config =
    fairness && scheme.flowControl !== undefined
      ? factsConfig(scheme.flowControl)
      : plainConfig(reading, changing)
  return new FlowControl(config, { ...rest, seats: reading + changing })
}

/** `X-<Brand>-PF-FlowSchema-UID` and its like. */
function flowHeaderNames({ brand }: Platform): ServerContext['flowHeaderNames'] {
  const prefix = `X-${capitalized(brand)}-PF`
  return { schema: `${prefix}-FlowSchema-UID`, level: `${prefix}-PriorityLevel-UID` }
}

/** Checks of every server. `log` is one because clients of the public API server name it; ours cannot fail. */
function builtInChecks(draining: () => boolean): readonly HealthCheck[] {
  const well = (): void => {}
  return [
    { name: 'ping', check: well },
    { name: 'log', check: well },
    {
      name: 'shutdown',
      endpoints: ['readyz'],
      check() {
        if (draining()) throw new Error('process is shutting down')
      },
    },
  ]
}
