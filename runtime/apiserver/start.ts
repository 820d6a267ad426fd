import { selectionProblems } from '../admission/admission.ts'
import {
  advertiseProblems,
  defaultServiceRanges,
  rangeProblems,
  servableScheme,
  servicePools,
} from '../apis/apis.ts'
import { type Auditor, createAuditor } from '../audit/audit.ts'
import type { Clock } from '../kernel/async/clock.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { Metrics } from '../observe/observe.ts'
import { bootstrap, createRegistry, type Registry } from '../registry/registry.ts'
import { withResourceVersion } from '../serializer/serializer.ts'
import { type ApiServer, createServer, type ListenOptions } from '../server/server.ts'
import { openStore } from '../store/store.ts'
import { createWatchCache } from '../watch/watch.ts'
import type { ApiServerOptions } from './api-server-options.ts'
import { componentHealth } from './component-status.ts'
import { Lifecycle } from './lifecycle.ts'
import { countStored, metricsOf } from './metrics.ts'
import { servedScheme } from './served-scheme.ts'
import { serviceResolver } from './service-resolver.ts'
import { ControllerHost } from './start-controllers.ts'

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
