import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { defaultGates, type Gates } from '../kernel/gates.ts'
import { invariant } from '../kernel/invariant.ts'
import { groupNames } from '../kernel/platform.ts'
import { type Clock, type Random, systemClock, systemRandom } from '../kernel/time.ts'
import type { Tree } from '../kernel/tree.ts'
import { type Log, silentLog } from '../observe/observe.ts'
import type { Registry } from '../registry/registry.ts'
import { answerTo } from './answer.ts'
import type { Core } from './core.ts'
import { type ApiRequest, type ApiResponse, incomingOf, responseOf } from './dispatch.ts'
import { documents } from './documents.ts'
import type { HealthCheck } from './health.ts'
import type { Handler } from './koa-carrier.ts'
import { type Listening, type ListenOptions, openListener } from './listen.ts'
import { schemaDocuments } from './openapi.ts'
import { routeTable } from './path.ts'
import { binaryOf } from './protobuf.ts'
import { sharedFrames } from './watch-stream.ts'

export type { Listening, ListenOptions } from './listen.ts'

export interface ServerOptions {
  readonly registry: Registry
  readonly tree: Tree
  readonly clock?: Clock
  readonly log?: Log
  /** What the health endpoints ask beside `ping`, `log` and `shutdown`: the store, for one. */
  readonly checks?: readonly HealthCheck[]
  /** Longest time of an ordinary request. Default one minute. */
  readonly requestTimeoutMs?: number
  /** Shortest time of a watch that names none itself; the longest is twice that. Default half an hour. */
  readonly minRequestTimeoutMs?: number
  readonly newId?: () => string
  readonly random?: Random
  readonly gates?: Gates
}

export interface ApiServer {
  /** A listener for node:http. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void
  /** Answers a request of the same process, without a socket. */
  dispatch(request: ApiRequest): Promise<ApiResponse>
  /** Listens until `signal` aborts or the server stops. May be called more than once. */
  listen(options: ListenOptions): Promise<Listening>
  /** `readyz` fails from now on; everything else goes on, so that balancers can look elsewhere first. */
  drain(): void
  /** Ends watches, lets the other requests finish, closes listeners. Resolves when nothing is left. */
  stop(): Promise<void>
}

/** A server over a registry. Nothing is listening, running or loaded before it is asked for. */
export function createServer(options: ServerOptions): ApiServer {
  let draining = false
  let stopped: Promise<void> | undefined
  const listeners = new Set<Listening>()
  const core = coreOf(options, () => draining)
  let handler: Promise<Handler> | undefined
  const load = (): Promise<Handler> => {
    handler ??= import('./koa-carrier.ts').then(({ koaHandler }) =>
      koaHandler((request) => answerTo(core, request), core.log),
    )
    return handler
  }
  let loaded: Handler | undefined
  const handle: Handler = (request, response) => {
    if (loaded !== undefined) return loaded(request, response)
    load().then((one) => {
      loaded = one
      one(request, response)
    })
  }
  return {
    handle,
    async dispatch(request) {
      invariant(stopped === undefined, 'a stopped server takes no requests')
      const answer = await answerTo(core, incomingOf(request))
      return responseOf(answer, request.method, request.signal)
    },
    async listen(where) {
      loaded ??= await load()
      const listening = await openListener(where, handle, core.clock, () => endWatches(core))
      listeners.add(listening)
      listening.closed.then(() => listeners.delete(listening))
      return listening
    },
    drain() {
      draining = true
    },
    stop() {
      draining = true
      endWatches(core)
      stopped ??= Promise.all([...listeners].map((one) => one.close())).then(() => undefined)
      return stopped
    },
  }
}

function endWatches({ watches }: Core): void {
  for (const watch of watches) watch.abort()
}

function coreOf(options: ServerOptions, draining: () => boolean): Core {
  const { registry, tree, clock = systemClock, log = silentLog } = options
  const routes = routeTable(tree)
  const binary = binaryOf(tree)
  return {
    registry,
    tree,
    routes,
    clock,
    log,
    checks: [...ownChecks(draining), ...(options.checks ?? [])],
    schemas: schemaDocuments(tree, clock),
    ...(binary && { binary }),
    metaGroup: `meta.${tree.platform.api}`,
    metaGroups: groupNames('meta', tree.platform),
    gates: options.gates ?? defaultGates,
    documents: documents(tree, routes),
    newId: options.newId ?? randomUUID,
    random: options.random ?? systemRandom,
    requestTimeoutMs: options.requestTimeoutMs ?? 60_000,
    minRequestTimeoutMs: options.minRequestTimeoutMs ?? 1_800_000,
    watches: new Set(),
    frame: sharedFrames(),
  }
}

function ownChecks(draining: () => boolean): readonly HealthCheck[] {
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
