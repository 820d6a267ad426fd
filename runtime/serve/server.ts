import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Auditor } from '../audit/audit.ts'
import { type Gates, gatesOf } from '../kernel/gates.ts'
import { invariant } from '../kernel/invariant.ts'
import { groupNames, type Platform } from '../kernel/platform.ts'
import { type Clock, type Random, systemClock, systemRandom } from '../kernel/time.ts'
import type { Tree } from '../kernel/tree.ts'
import { createMetrics, type Log, type Metrics, noMetrics, silentLog } from '../observe/observe.ts'
import type { Registry } from '../registry/registry.ts'
import { answerTo } from './answer.ts'
import type { Core } from './core.ts'
import { deprecations } from './deprecation.ts'
import { type ApiRequest, type ApiResponse, incomingOf, responseOf } from './dispatch.ts'
import { documents } from './documents.ts'
import type { Incoming } from './exchange.ts'
import { factsConfig, plainConfig } from './flow/config.ts'
import { type Caller, type FlowConfig, FlowControl, type FlowOptions } from './flow/flow.ts'
import type { Served } from './gate.ts'
import { handlerOf } from './handler.ts'
import type { HealthCheck } from './health.ts'
import { RunTexts } from './join.ts'
import { defaultLimits, type Limits } from './limits.ts'
import { type Listening, type ListenOptions, openListener } from './listen.ts'
import { createMeters } from './meters.ts'
import { type SchemaDocuments, schemaDocuments } from './openapi.ts'
import { routeTable } from './path.ts'
import { binaryOf } from './protobuf.ts'
import { recentLines } from './represent.ts'
import { sharedFrames } from './watch-stream.ts'
import { websocketWatches } from './websocket.ts'
import { createWidths } from './widths.ts'

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
  /** What is counted; without it, what the tree's facts name. */
  readonly metrics?: Metrics
  /** How long after the start a beginning that is not finished counts as live. Default 0. */
  readonly livezGraceMs?: number
  readonly limits?: Partial<Limits>
  /** Seats of reading and of changing requests; together they are what flow control divides. */
  readonly inFlight?: { readonly reading: number; readonly changing: number }
  /** False: requests are limited in number only, not by who sends them. Default: as the tree has facts for it. */
  readonly fairness?: boolean
  /** Who a request over a socket comes from. Default: nobody known. */
  readonly callerOf?: (request: Incoming) => Caller
  /** Hears of every request that was answered. */
  readonly onServed?: (served: Served) => void
  /** Keeps the audit log. Without it, requests pay nothing for one. */
  readonly auditor?: Auditor
}

export interface ApiServer {
  /** A listener for node:http. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void
  /** Answers a request of the same process, without a socket. */
  dispatch(request: ApiRequest): Promise<ApiResponse>
  /** Serves another tree from now on. Watches of kinds that it does not have any more end. */
  replaceTree(tree: Tree): void
  /** Other priority levels and flow schemas from now on. */
  configureFlow(config: FlowConfig): void
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
  const inside: Core = { ...core, callerOf: () => ourselves }
  const handle = handlerOf((request) => answerTo(core, request), core)
  return {
    handle,
    async dispatch(request) {
      invariant(stopped === undefined, 'a stopped server takes no requests')
      const answer = await answerTo(inside, incomingOf(request, core.limits))
      return responseOf(answer, request.method, request.signal)
    },
    async listen(where) {
      const { clock, limits } = core
      const watches = websocketWatches((request) => answerTo(core, request), core)
      const end = (): void => endWatches(core)
      const listening = await openListener(where, handle, { clock, limits }, end, watches)
      listeners.add(listening)
      listening.closed.then(() => listeners.delete(listening))
      return listening
    },
    replaceTree(next) {
      const view = viewOf(next, core.clock, core.schemas)
      const kinds = new Set(Object.values(next.routes))
      Object.assign(core, view)
      Object.assign(inside, view)
      for (const [watch, kind] of core.watches) if (!kinds.has(kind)) watch.abort()
    },
    configureFlow: (config) => core.flow.configure(config),
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

/** A request of the same process is the server's own, and never has to wait. */
const ourselves: Caller = {
  name: 'system:apiserver',
  groups: ['system:masters', 'system:authenticated'],
}
const nobody: Caller = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

function endWatches({ watches }: Core): void {
  for (const watch of watches.keys()) watch.abort()
}

function coreOf(options: ServerOptions, draining: () => boolean): Core {
  const { registry, tree, clock = systemClock, log = silentLog } = options
  const binary = binaryOf(tree)
  const metrics = options.metrics ?? metricsOf(tree)
  const requestTimeoutMs = options.requestTimeoutMs ?? 60_000
  return {
    registry,
    ...viewOf(tree, clock),
    clock,
    log,
    checks: [...ownChecks(draining), ...(options.checks ?? [])],
    graceEnds: clock.now() + (options.livezGraceMs ?? 0),
    ...(binary && { binary }),
    metaGroup: `meta.${tree.platform.api}`,
    metaGroups: groupNames('meta', tree.platform),
    gates: options.gates ?? gatesOf(tree),
    newId: options.newId ?? randomUUID,
    random: options.random ?? systemRandom,
    requestTimeoutMs,
    minRequestTimeoutMs: options.minRequestTimeoutMs ?? 1_800_000,
    watches: new Map(),
    frame: sharedFrames(),
    lines: recentLines(),
    texts: new RunTexts(),
    metrics,
    meters: createMeters(metrics, tree.platform, clock),
    flow: flowOf(options, { clock, metrics, waitMs: requestTimeoutMs / 4 }),
    flowHeaderNames: flowHeaderNames(tree.platform),
    widths: createWidths(),
    callerOf: options.callerOf ?? (() => nobody),
    onServed: options.onServed,
    auditor: options.auditor,
    limits: { ...defaultLimits, ...options.limits },
  }
}

/** What a server knows by its tree, and what changes with it. */
function viewOf(
  tree: Tree,
  clock: Clock,
  before?: SchemaDocuments,
): Pick<Core, 'tree' | 'routes' | 'documents' | 'schemas' | 'deprecations'> {
  const routes = routeTable(tree)
  return {
    tree,
    routes,
    documents: documents(tree, routes),
    schemas: schemaDocuments(tree, clock, before?.memory),
    deprecations: deprecations(tree),
  }
}

function metricsOf({ metrics, platform: { release } }: Tree): Metrics {
  return metrics === undefined ? noMetrics() : createMetrics(metrics, { release })
}

function flowOf(
  { tree, fairness = true, inFlight = { reading: 400, changing: 200 } }: ServerOptions,
  rest: Omit<FlowOptions, 'seats'>,
): FlowControl {
  const { reading, changing } = inFlight
  const config =
    fairness && tree.flowControl !== undefined
      ? factsConfig(tree.flowControl)
      : plainConfig(reading, changing)
  return new FlowControl(config, { ...rest, seats: reading + changing })
}

/** `X-<Brand>-PF-...` */
function flowHeaderNames({ brand }: Platform): Core['flowHeaderNames'] {
  const prefix = `X-${brand.slice(0, 1).toUpperCase()}${brand.slice(1)}-PF`
  return { schema: `${prefix}-FlowSchema-UID`, level: `${prefix}-PriorityLevel-UID` }
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
