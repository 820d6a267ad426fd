import { type Middleware, startApiServer } from '../apiserver/apiserver.ts'
import {
  type Client,
  createClient,
  httpTransport,
  orchconfigText,
  type Transport,
} from '../client/client.ts'
import { type Clock, systemClock } from '../kernel/async/clock.ts'
import { mergeSchemes, type Scheme } from '../kernel/descriptors/scheme.ts'
import { type Log, silentLog } from '../observe/observe.ts'

/** What the control plane serves, and how it is reached. */
export interface ControlPlaneOptions {
  /** The generated schemes of your own kinds, served beside the base. */
  readonly schemes?: readonly Scheme[]
  /** The base. Default: the tree that comes with orch. */
  readonly scheme?: Scheme
  /** Listen on a free port of 127.0.0.1, for clients in other processes; `client` then uses it, too. Default false. */
  readonly socket?: boolean
  /** Middleware of Koa behind the server's own filters: further paths, further headers. */
  readonly use?: readonly Middleware[]
  readonly clock?: Clock
  readonly log?: Log
}

/** A running control plane. Dispose of it, or call `stop`. */
export interface ControlPlane {
  readonly client: Client
  /** For further clients, such as one of another manager's name. */
  readonly transport: Transport
  readonly scheme: Scheme
  /** Where it listens; undefined without a socket. */
  readonly url: string | undefined
  /** The text of an orchconfig file for this control plane; undefined without a socket. */
  readonly orchconfig: string | undefined
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts an API server on an empty store in this process. It is ready when the promise resolves, with its system namespaces.
 *
 * @example
 * await using plane = await startControlPlane({ schemes: [scheme] })
 * const site = await plane.client.resource(websites).create({ metadata: { name: 'blog' }, spec: { title: 'Blog' } })
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { schemes = [], socket = false, clock = systemClock, log = silentLog } = options
  const scheme = mergeSchemes(options.scheme ?? (await builtInScheme()), ...schemes)
  const server = await startApiServer({
    scheme,
    clock,
    log,
    storage: { kind: 'memory' },
    ...(options.use && { use: options.use }),
    ...(socket && { listen: { host: '127.0.0.1', port: 0 } }),
  })
  const transport = socket ? httpTransport({ server: server.url }) : inProcessTransport(server)
  const client = createClient(transport, { clock })
  const stop = async (): Promise<void> => {
    await client.close()
    await server.stop()
  }
  return {
    client,
    transport,
    scheme,
    url: socket ? server.url : undefined,
    orchconfig: socket ? orchconfigText({ server: server.url, name: 'test' }) : undefined,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function builtInScheme(): Promise<Scheme> {
  const { scheme } = await import('orch/generated/scheme')
  return scheme
}

function inProcessTransport(server: { dispatch: Transport['send'] }): Transport {
  return { send: (request) => server.dispatch(request), close: async () => {} }
}
