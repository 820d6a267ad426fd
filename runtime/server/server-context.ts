import type { Auditor } from '../audit/audit.ts'
import type { Clock, Random } from '../kernel/async/clock.ts'
import type { EnabledGates } from '../kernel/descriptors/enabled-gates.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { Log, Metrics } from '../observe/observe.ts'
import type { Registry, Target, WatchEvent } from '../registry/registry.ts'
import type { discoveryDocuments } from './discovery/discovery-documents.ts'
import type { SchemaDocuments } from './discovery/openapi/schema-documents.ts'
import type { HealthCheck } from './endpoints/health.ts'
import type { Deprecations } from './filters/deprecation.ts'
import type { CompletedRequest } from './filters/handler-chain.ts'
import type { RequestMetrics } from './filters/request-metrics.ts'
import type { Caller, FlowControl } from './flow/flow-control.ts'
import type { WorkEstimator } from './flow/work-estimator.ts'
import type { Limits } from './http/limits.ts'
import type { Frame, HttpRequest } from './http/message.ts'
import type { ListTextCache } from './negotiation/list-text.ts'
import type { ProtobufFormat } from './negotiation/protobuf.ts'
import type { RecentBodies } from './negotiation/representation.ts'
import type { RouteTable } from './request/resource-path.ts'

/** What every part of one server shares. */
export interface ServerContext {
  readonly registry: Registry
  readonly scheme: Scheme
  readonly routes: RouteTable
  readonly clock: Clock
  readonly log: Log
  readonly checks: readonly HealthCheck[]
  /** Until then livez passes over checks of beginnings. */
  readonly livezGraceEnds: number
  readonly schemas: SchemaDocuments
  /** The protobuf form of the tree's kinds, if any has one. */
  readonly protobuf?: ProtobufFormat
  /** `meta.<api>`: the group of options, tables and metadata-only objects. */
  readonly metaGroup: string
  /** The same under every name that clients may know it by. */
  readonly metaGroups: readonly string[]
  readonly gates: EnabledGates
  readonly documents: ReturnType<typeof discoveryDocuments>
  readonly newId: () => string
  readonly random: Random
  readonly requestTimeoutMs: number
  readonly minRequestTimeoutMs: number
  readonly flow: FlowControl
  /** The headers that name what a request was classified by. */
  readonly flowHeaderNames: { readonly schema: string; readonly level: string }
  readonly workEstimator: WorkEstimator
  readonly metrics: Metrics
  readonly requestMetrics: RequestMetrics
  readonly deprecations: Deprecations
  /** Who a request comes from. */
  readonly callerOf: (request: HttpRequest) => Caller
  readonly onRequestCompleted: ((served: CompletedRequest) => void) | undefined
  /** Who keeps the audit log, if anybody does. */
  readonly auditor: Auditor | undefined
  readonly limits: Limits
  /** The watches under way, and what they watch; aborting one ends its stream. */
  readonly watches: Map<AbortController, Target['kind']>
  /** Bodies of single objects, as they were last sent. */
  readonly recentBodies: RecentBodies
  /** Texts of runs of objects, as lists were last made of them. */
  readonly listTexts: ListTextCache
  /** How an event is framed that many watchers see. */
  readonly frame: (event: WatchEvent) => Frame
}
