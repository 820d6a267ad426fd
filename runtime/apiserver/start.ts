import type { EncryptionConfiguration } from '../../generated/config/encryption/v1.ts'
import type { PluginContext } from '../admission/admission.ts'
import type { Auditor } from '../audit/audit.ts'
import type { Authenticator, RuleResolver } from '../auth/auth.ts'
import type { Awaitable } from '../kernel/async/awaitable.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import { OperatorError } from '../kernel/errors/operator-error.ts'
import type { Metrics, MetricValues } from '../observe/observe.ts'
import { bootstrap, createRegistry, type Registry } from '../registry/registry.ts'
import {
  type ApiServer,
  createServer,
  type ListenOptions,
  type OriginMatcher,
  originMatcher,
} from '../server/server.ts'
import { type Serving, startServing } from '../serving/serving.ts'
import { isSharedStore } from '../store/store.ts'
import { proxyCertificate } from './aggregation/proxy-certificate.ts'
import {
  type AuthenticationParts,
  openTokenWebhook,
  type StartedAuthentication,
  startAuthentication,
} from './authentication/start-authentication.ts'
import type { Authorization } from './authorization/authorization-options.ts'
import { startAuthorization } from './authorization/start-authorization.ts'
import { componentHealth } from './component-status.ts'
import { lazyConnector } from './connect/lazy-connector.ts'
import { defined } from './defined.ts'
import { healthChecks, partsOf } from './health-checks.ts'
import { Lifecycle } from './lifecycle.ts'
import { certificateUses, countStored, metricsOf } from './metrics.ts'
import type { ApiServerOptions, RunningApiServer } from './options.ts'
import { serviceResolver } from './service-resolver.ts'
import { checkedSettings, type Settings } from './settings.ts'
import { ControllerHost } from './start-controllers.ts'
import { openStorage, type Storage } from './storage/open-storage.ts'
import { startAudit } from './webhooks/start-audit.ts'

/**
 * Starts an API server. It is ready when the promise resolves.
 *
 * @throws an Error if an option is wrong, the store cannot be opened or the port is taken; nothing is left running.
 */
export async function startApiServer(options: ApiServerOptions): Promise<RunningApiServer> {
  const settings = checkedSettings(options)
  const lifecycle = new Lifecycle()
  try {
    return await startSteps(settings, lifecycle)
  } catch (error) {
    await lifecycle.stop()
    throw error
  }
}

/** The steps of a start. Each needs those before it; `lifecycle` undoes them in the opposite order. */
async function startSteps(given: Settings, lifecycle: Lifecycle): Promise<RunningApiServer> {
  const { options, shown, ranges, pools } = given
  const metrics = metricsOf(options)
  const storage = await openStorage(options, metrics, lifecycle)
  const authorization = await startAuthorization(options, storage.cache, lifecycle)
  const settings = authorizedBy(given, authorization)
  const serving = await servingOf(options, metrics, lifecycle)
  const certificate = await proxyCertificate(options, lifecycle)
  const place = {
    url: '',
    connection: serving?.authenticators ?? [],
    metrics,
    rules: authorization?.rules,
    webhook: await openTokenWebhook(options, lifecycle),
  }
  const registry = openRegistry(settings, storage, place, lifecycle)
  const controllers = new ControllerHost({ options, shown, registry: registry.stored, lifecycle })
  await controllers.addAllocations(storage.cache, pools)
  await bootstrap(registry.stored)
  await controllers.addAccess()
  controllers.addLifetimes()
  const allowedOrigin = await originsOf(options)
  const auditor = await auditorOf(options, metrics, lifecycle)
  const server = openServer(
    settings,
    storage,
    { ...registry, allowedOrigin, auditor },
    controllers,
    lifecycle,
  )
  await controllers.addDefinitions(server, storage.cache, registry.resolve)
  await controllers.addAggregation({ server, metrics, certificate })
  await controllers.addFlowControl(server)
  controllers.addPolicyStatus()
  if (serving !== undefined) await controllers.addClusterAuthentication(serving)
  const insecureUrl = await listen(
    server,
    options.listen && { ...options.listen, ...portOf('insecure', options) },
  )
  const secureUrl = await listen(
    server,
    serving && { ...options.secure!, ...portOf('secure', options), tls: serving.tls },
  )
  const url = secureUrl || insecureUrl
  place.url = url
  await controllers.addServerService(storage.cache, ranges, url)
  controllers.addIdentity()
  controllers.start()
  lifecycle.run((signal) => storage.cache.settle(signal))
  lifecycle.onStop(() => drain(server, options))
  return {
    url,
    insecureUrl,
    ended: lifecycle.ended,
    snapshot: (at) => storage.snapshot(at),
    replaceEncryption: (configuration) => replaceEncryption(storage, configuration),
    dispatch: (request) => server.dispatch(request),
    stop: () => lifecycle.stop(),
  }
}

/** The settings with the authorizer that the options ask for. */
function authorizedBy(settings: Settings, authorization: Authorization | undefined): Settings {
  if (authorization === undefined) return settings
  const { authorizer } = authorization
  return { ...settings, options: { ...settings.options, authorizer } }
}

/** The registry, what it counts in, and how its webhooks find services. */
interface OpenRegistry {
  readonly stored: Registry
  readonly metrics: Metrics | undefined
  readonly resolve: PluginContext['resolve']
  readonly authentication: StartedAuthentication
}

/** What the registry is told of the server around it. */
interface Place {
  /** Where it is reached; empty before it listens. */
  readonly url: string
  readonly connection: readonly Authenticator[]
  readonly metrics: Metrics | undefined
  /** What roles and bindings give to whom. */
  readonly rules: RuleResolver | undefined
  readonly webhook: AuthenticationParts['webhook']
}

/** Webhooks find services by the registry's own objects, so it is passed on before it is there. */
function openRegistry(
  { options, pools }: Settings,
  { cache, check, encryption }: Storage,
  place: Place,
  lifecycle: Lifecycle,
): OpenRegistry {
  const { scheme, clock, log, gates, admission = {} } = options
  const { metrics } = place
  const resolve = admission.resolve ?? serviceResolver(() => stored)
  const authentication = startAuthentication(options, {
    registry: () => stored,
    metrics,
    connection: place.connection,
    webhook: place.webhook,
    address: () => externalAddress(place.url, options),
  })
  const stored: Registry = createRegistry({
    store: cache,
    scheme,
    clock,
    admission: { ...withTokenVolumes(options, admission), resolve, log, ...defined({ metrics }) },
    pools,
    shared: isSharedStore(options.storage),
    computed: { 'component-health': componentHealth([{ name: 'etcd-0', check }]) },
    tokens: authentication.tokens,
    ...defined({
      gates,
      authorizer: options.authorizer,
      rules: place.rules,
      isOutdated: encryption?.isOutdated,
    }),
  })
  lifecycle.signal.addEventListener('abort', () => stored.close())
  if (metrics !== undefined) countStored(metrics, stored)
  return { stored, metrics, resolve, authentication }
}

/** Stops before the audit does: its last requests are recorded. */
function openServer(
  { options, shown }: Settings,
  { check, encryption }: Storage,
  {
    stored,
    metrics,
    allowedOrigin,
    auditor,
    authentication,
  }: OpenRegistry & {
    readonly allowedOrigin: OriginMatcher | undefined
    readonly auditor: Auditor | undefined
  },
  controllers: ControllerHost,
  lifecycle: Lifecycle,
): ApiServer {
  const { clock, log, scheme } = options
  const { prefix } = scheme.platform
  const apiServices = controllers.apiServices()
  const server = createServer({
    registry: apiServices?.registry ?? stored,
    connector: lazyConnector({ registry: () => stored, nodes: options.nodes ?? {} }),
    scheme: shown,
    clock,
    log,
    checks: healthChecks({
      prefix,
      checkStore: check,
      further: encryption === undefined ? [] : [encryption.check],
      isStarted: () => controllers.isStarted,
      parts: partsOf(options),
    }),
    ...defined({
      requestTimeoutMs: options.requestTimeoutMs,
      minRequestTimeoutMs: options.minWatchMs,
      limits: options.limits,
      inFlight: options.inFlight,
      fairness: options.fairness,
      gates: options.gates,
      livezGraceMs: options.livezGraceMs,
      authenticator: options.authenticator ?? authentication.authenticator,
      documents: authentication.documents,
      authorizer: options.authorizer,
      use: options.use,
      allowedHosts: hostsOf(options),
      allowedOrigin,
      metrics,
      otherMetrics: otherMetricsOf(options, metrics),
      auditor,
    }),
  })
  lifecycle.onStop(() => server.stop())
  return {
    ...server,
    replaceScheme(next: Scheme) {
      server.replaceScheme(next)
      apiServices?.serve(next)
    },
  }
}

/** What the other processes of the server count, which are told what this one does. */
function otherMetricsOf(
  { group }: ApiServerOptions,
  metrics: Metrics | undefined,
): (() => Promise<readonly MetricValues[]>) | undefined {
  if (group === undefined || metrics === undefined) return undefined
  group.shareMetrics(() => metrics.values())
  return () => group.otherMetrics()
}

/** Pods get tokens where those outlive the server: where it is given the key that signs them. */
function withTokenVolumes(
  { authentication }: ApiServerOptions,
  admission: NonNullable<ApiServerOptions['admission']>,
): NonNullable<ApiServerOptions['admission']> {
  if (authentication?.serviceAccounts?.signingKey === undefined) return admission
  const settings = { ServiceAccount: { mountsTokens: true }, ...admission.settings }
  return { ...admission, settings }
}

/** Host and port under which others find the server. */
function externalAddress(url: string, { advertiseAddress }: ApiServerOptions): string {
  if (url === '') return advertiseAddress ?? 'localhost'
  const { hostname, host, port } = new URL(url)
  return advertiseAddress === undefined || advertiseAddress === hostname
    ? host
    : `${advertiseAddress.includes(':') ? `[${advertiseAddress}]` : advertiseAddress}:${port}`
}

/** The names that were named, and those that the server listens on. */
function hostsOf({ allowedHosts = [], listen, secure }: ApiServerOptions): readonly string[] {
  const own = [listen?.host, secure?.host].filter((host) => host !== undefined)
  return [...allowedHosts, ...own]
}

/** What TLS needs; undefined without it. */
async function servingOf(
  { secure, clock, log }: ApiServerOptions,
  metrics: Metrics | undefined,
  { signal }: Lifecycle,
): Promise<Serving | undefined> {
  const onCertificate = metrics && certificateUses(metrics)
  return secure && startServing(secure, { clock, log, signal, onCertificate })
}

/** Undefined where pages of other origins may nothing. @throws an Error that names every wrong expression. */
async function originsOf(options: ApiServerOptions): Promise<OriginMatcher | undefined> {
  const { corsAllowedOrigins: patterns = [] } = options
  return patterns.length === 0 ? undefined : originMatcher(patterns)
}

async function replaceEncryption(
  { encryption }: Storage,
  configuration: Awaitable<EncryptionConfiguration>,
): Promise<void> {
  if (encryption !== undefined) return encryption.replace(configuration)
  throw new Error('the server began without encryption: start it anew with the configuration')
}

/** Undefined where nothing is recorded. It closes after everything that may record. */
async function auditorOf(
  { audit, scheme: { platform }, clock, log }: ApiServerOptions,
  metrics: Metrics | undefined,
  lifecycle: Lifecycle,
): Promise<Auditor | undefined> {
  if (audit === undefined) return undefined
  const auditor = await startAudit(audit, { platform, clock, log, ...defined({ metrics }) })
  lifecycle.onStop(() => auditor.stop())
  return auditor
}

/** One of several processes takes connections in turn with the others. */
function portOf(name: string, { group }: ApiServerOptions): Pick<ListenOptions, 'openPort'> {
  return group === undefined ? {} : { openPort: (where, take) => group.listen(name, where, take) }
}

/** The URL, or "" for a server that does not listen. @throws an Error that says what to do about a port that is taken. */
async function listen(server: ApiServer, where: ListenOptions | undefined): Promise<string> {
  if (where === undefined) return ''
  const { host = '127.0.0.1', port, openPort, tls } = where
  try {
    return (await server.listen({ host, port, ...defined({ openPort, tls }) })).url
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code !== 'EADDRINUSE') throw cause
    throw new OperatorError(
      `port ${port} of ${host} is taken: stop who has it, or choose another`,
      {
        cause,
      },
    )
  }
}

/** Fails readiness, then gives load balancers the time to notice. */
function drain(server: ApiServer, { clock, shutdownDelayMs = 0 }: ApiServerOptions): Promise<void> {
  server.drain()
  if (shutdownDelayMs === 0) return Promise.resolve()
  return new Promise((resolve) => clock.after(shutdownDelayMs, resolve))
}
