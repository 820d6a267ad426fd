import type { ControllerName } from '../../generated/controllers.ts'
import {
  type Middleware,
  type RunningApiServer,
  type ServerSnapshot,
  startApiServer,
} from '../apiserver/apiserver.ts'
import {
  type Client,
  type ClientOptions,
  createClient,
  httpTransport,
  orchconfigText,
  type Transport,
} from '../client/client.ts'
import type { CloudProvider } from '../cloud/cloud.ts'
import { type Clock, systemClock } from '../kernel/async/clock.ts'
import type { UserInfo } from '../kernel/auth/user-info.ts'
import { mergeSchemes, type Scheme } from '../kernel/descriptors/scheme.ts'
import { invariant } from '../kernel/errors/invariant.ts'
import { type Log, silentLog } from '../observe/observe.ts'
import type { SchedulerSettings } from '../scheduler/scheduler.ts'
import type { SimulatedNodes, SimulatedNodesOptions } from '../simulated-nodes/simulated-nodes.ts'
import { type Entry, StoreError } from '../store/store.ts'
import {
  type AnyAdmissionWebhook,
  serveLocally,
  type WebhookServer,
} from '../webhook-server/webhook-server.ts'
import { type ActingUser, actingUser } from './acting-user.ts'
import { localSocket } from './local-socket.ts'
import { countRequests } from './requests-under-way.ts'
import {
  type ControllerWord,
  controllerNames,
  type StartedPrograms,
  startPrograms,
} from './start-programs.ts'

/** What the control plane serves, and how it is reached. */
export interface ControlPlaneOptions {
  /** The generated schemes of your own kinds, served beside the base. */
  readonly schemes?: readonly Scheme[]
  /** The base. Default: the tree that comes with orch. */
  readonly scheme?: Scheme
  /**
   * Listen on a free port of 127.0.0.1, for clients in other processes; `client` then uses it, too. `tls`: with certificates, that of an
   * administrator in `orchconfig`. Default false.
   */
  readonly socket?: boolean | 'tls'
  /** Middleware of Koa behind the server's own filters: further paths, further headers. */
  readonly use?: readonly Middleware[]
  /**
   * Admission webhooks of an operator, which the server asks over TLS as in a cluster; forks have them, too. Their configurations are
   * called `operator`. Default: none.
   */
  readonly webhooks?: readonly AnyAdmissionWebhook[]
  /**
   * `RBAC`: what clients may do follows from roles and bindings, those that a cluster begins with among them. `client` may do
   * everything all the same; `as` gives clients of others. Default: every user may do everything.
   */
  readonly authorization?: 'RBAC'
  /**
   * Controllers of the controller manager that run with it, each as its own service account: `['garbage-collector-controller']`, or
   * `['*', '-node-lifecycle-controller']` for all but some. Default: none, but for the loops that every server has. They begin before the promise
   * resolves, and end with `stop`.
   */
  readonly controllers?: readonly ControllerWord[]
  /**
   * Where the cluster runs, for the controllers of load balancers, routes and machines: `memoryCloud()`. A fork has none unless its own options
   * name one. Default: nowhere, and these controllers do not run.
   */
  readonly cloud?: CloudProvider
  /** Ranges that nodes get parts of for their pods where the controllers of that run: `10.244.0.0/16,fd00::/48`. Default: nodes get none. */
  readonly clusterCIDR?: string
  /**
   * Nodes that register and lead the pods that are bound to them through their phases: how many, or what they are like. They are there before the
   * promise resolves. Default: none.
   */
  readonly simulatedNodes?: number | SimulatedNodesOptions
  /** A scheduler runs with it, as the user that a scheduler is: settings say how. Default: none. */
  readonly scheduler?: boolean | SchedulerSettings
  readonly clock?: Clock
  readonly log?: Log
  /** What it begins with. Default: nothing but what every control plane has. Its kinds are served unless you name others. */
  readonly from?: ControlPlaneSnapshot
}

/** How a fork differs, and of which moment it is. */
export interface ForkOptions extends Omit<ControlPlaneOptions, 'from'> {
  /** The resourceVersion at which it begins. Default: what there is now. */
  readonly at?: string
}

/** What a control plane held at some moment. It never changes, and any number of control planes may begin with it. */
export interface ControlPlaneSnapshot {
  /** The resourceVersion that it is as of; the next write to what begins with it gets a later one. */
  readonly resourceVersion: string
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
  /**
   * A client that acts as some user, for tests of what a user, a service account or an operator may do. It needs no
   * credentials. Close it after use, or let `stop` do so.
   *
   * @example
   * const operator = plane.as('system:serviceaccount:site-system:site-operator')
   */
  as(user: string | ActingUser): Client
  /** The simulated nodes; undefined without any. */
  readonly nodes: Pick<SimulatedNodes, 'names' | 'start' | 'stop'> | undefined
  /**
   * What it holds now, for `startControlPlane({ from })`; with `at`, what it held at that resourceVersion.
   *
   * @throws RangeError for a resourceVersion that it does not know, or not any more: it remembers five minutes of its clock.
   */
  snapshot(at?: string): Promise<ControlPlaneSnapshot>
  /**
   * Starts another one with the same content, in milliseconds: the same objects under the same resourceVersions, the same kinds.
   * Nothing is shared from then on. Options say what differs; watches begin anew. With `at` it begins with what there was at that
   * resourceVersion: for a controller that is run again on what it found then.
   *
   * @throws RangeError as `snapshot` does.
   */
  fork(options?: ForkOptions): Promise<ControlPlane>
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
  const { socket = false, clock = systemClock, log = silentLog, from, authorization } = options
  const begin = from && snapshots.get(from)
  if (from !== undefined && begin === undefined) {
    throw new Error('from: is no snapshot that a control plane gave')
  }
  const scheme = await schemeOf(options, begin?.scheme)
  const controllers = await controllerNames(options, scheme)
  const local = await localSocket(socket, clock)
  const server = await startApiServer({
    scheme,
    clock,
    log,
    storage: { kind: 'memory' },
    controllersElsewhere: controllers,
    ...(protects(controllers) && { admission: { enable: ['StorageObjectInUseProtection'] } }),
    ...(begin && { from: begin.server }),
    ...(authorization && { authorization: { modes: [authorization] } }),
    ...(options.use && { use: options.use }),
    ...local.options,
  })
  const transport = countRequests(
    socket
      ? httpTransport({ server: server.url, ...local.credentials })
      : inProcessTransport(server),
  )
  const client = createClient(transport, { clock })
  const others: Client[] = []
  const as = (user: string | ActingUser, settings: ClientOptions = {}): Client => {
    const sender = countRequests(inProcessTransport(server, actingUser(user)))
    const acting = createClient(sender, { clock, ...settings })
    others.push(acting)
    return acting
  }
  const { webhooks = begin?.webhooks ?? [] } = options
  const removesTaint = !controllers.includes('node-lifecycle-controller')
  let asked: WebhookServer | undefined
  let programs: StartedPrograms | undefined
  const stop = async (): Promise<void> => {
    await programs?.stop()
    await Promise.all([client, ...others].map((one) => one.close()))
    await server.stop()
    await asked?.close()
  }
  try {
    if (webhooks.length > 0) asked = await serveLocally({ client, webhooks, clock, log })
    programs = await startPrograms(options, { as, scheme, clock, log, removesTaint })
  } catch (error) {
    await stop()
    throw error
  }
  const snapshot = async (at?: string): Promise<ControlPlaneSnapshot> => {
    const held = await heldAt(server, at)
    const taken = { resourceVersion: String(held.cache.revision) }
    snapshots.set(taken, { scheme, webhooks, server: held })
    return taken
  }
  return {
    client,
    transport,
    scheme,
    url: socket ? server.url : undefined,
    orchconfig: socket
      ? orchconfigText({ server: server.url, name: 'test', ...local.credentials })
      : undefined,
    as: (user) => as(user),
    nodes: programs.nodes,
    snapshot,
    fork: async ({ at, ...other } = {}) =>
      startControlPlane({
        ...{ socket, clock, log },
        ...(authorization && { authorization }),
        ...(options.controllers && { controllers: options.controllers }),
        ...(options.clusterCIDR !== undefined && { clusterCIDR: options.clusterCIDR }),
        ...(options.simulatedNodes && { simulatedNodes: options.simulatedNodes }),
        ...(options.scheduler && { scheduler: options.scheduler }),
        ...other,
        from: await snapshot(at),
      }),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** What a server held at a resourceVersion. */
async function heldAt(server: RunningApiServer, at: string | undefined): Promise<ServerSnapshot> {
  if (at === undefined) return server.snapshot()
  if (!/^[1-9]\d{0,15}$/.test(at)) throw new RangeError(`at ${at}: a resourceVersion is a number`)
  return server.snapshot(Number(at)).catch((error: unknown) => {
    throw error instanceof StoreError ? new RangeError(`at ${at}: ${error.message}`) : error
  })
}

/** What stands behind the snapshots that were given away. */
const snapshots = new WeakMap<
  ControlPlaneSnapshot,
  {
    readonly scheme: Scheme
    readonly webhooks: readonly AnyAdmissionWebhook[]
    readonly server: ServerSnapshot
  }
>()

/** What a snapshot holds, by key: entries that are the same object were not written in between. */
export function snapshotEntries(snapshot: ControlPlaneSnapshot): ReadonlyMap<string, Entry> {
  const held = snapshots.get(snapshot)
  invariant(held, 'a control plane gave the snapshot')
  return held.server.cache.entries
}

async function schemeOf(
  { scheme, schemes = [] }: ControlPlaneOptions,
  held: Scheme | undefined,
): Promise<Scheme> {
  if (scheme === undefined && schemes.length === 0 && held !== undefined) return held
  return mergeSchemes(scheme ?? held ?? (await builtInScheme()), ...schemes)
}

async function builtInScheme(): Promise<Scheme> {
  const { scheme } = await import('orch/generated/scheme')
  return scheme
}

function inProcessTransport(
  server: Pick<RunningApiServer, 'dispatch'>,
  user?: UserInfo,
): Transport {
  return {
    send: (request) => server.dispatch(user === undefined ? request : { ...request, user }),
    close: async () => {},
  }
}

/** True where claims and volumes that are protected lose that again. */
function protects(controllers: readonly ControllerName[]): boolean {
  return (
    controllers.includes('persistentvolumeclaim-protection-controller') &&
    controllers.includes('persistentvolume-protection-controller')
  )
}
