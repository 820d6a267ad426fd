import { withRevision } from '../codec/codec.ts'
import type { Clock } from '../kernel/time.ts'
import type { Tree } from '../kernel/tree.ts'
import { ableTree } from '../kinds/kinds.ts'
import type { Log } from '../observe/observe.ts'
import { bootstrap, createRegistry, emptyNamespaces } from '../registry/registry.ts'
import { type ApiServer, createServer, type ListenOptions } from '../serve/serve.ts'
import { openSqliteStore } from '../store/store.ts'
import { createWatchCache } from '../watch/watch.ts'
import { Background } from './background.ts'

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
  const tree = ableTree(options.tree)
  const filename = storage.kind === 'memory' ? ':memory:' : storage.file
  const background = new Background()
  try {
    const store = await openSqliteStore({
      filename,
      clock,
      ...given({ keepMs: options.historyMs }),
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
    const registry = createRegistry({ store: cache, tree, clock })
    await bootstrap(registry)
    background.run((signal) => emptyNamespaces(registry, { clock, log }, signal))
    const server = createServer({
      registry,
      tree,
      clock,
      log,
      checks: [{ name: 'etcd', check: async () => void (await store.revision()) }],
      ...given({
        requestTimeoutMs: options.requestTimeoutMs,
        minRequestTimeoutMs: options.minWatchMs,
      }),
    })
    background.onStop(() => server.stop())
    const url = options.listen === undefined ? '' : await listen(server, options.listen)
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
