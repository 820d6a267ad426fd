import type { RemoteServerMap } from '../../aggregator/aggregator.ts'
import type { Auditor } from '../../audit/audit.ts'
import type { Authenticator, Authorizer } from '../../auth/auth.ts'
import type { HealthCheck } from '../../daemon/daemon.ts'
import type { Clock, Random } from '../../kernel/async/clock.ts'
import type { EnabledGates } from '../../kernel/descriptors/enabled-gates.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { Log, Metrics, MetricValues } from '../../observe/observe.ts'
import type { Registry, Target } from '../../registry/registry.ts'
import type { Serializer } from '../../serializer/serializer.ts'
import type { Deprecations } from '../discovery/deprecated-apis.ts'
import type { discoveryDocuments } from '../discovery/discovery-documents.ts'
import type { SchemaDocuments } from '../discovery/openapi/schema-documents.ts'
import type { FlowControl, FlowHeaderNames } from '../flow/flow-control.ts'
import type { WorkEstimator } from '../flow/work-estimator.ts'
import type { OriginMatcher } from '../http/allowed-origins.ts'
import type { HostMatcher } from '../http/hosts.ts'
import type { Limits } from '../http/limits.ts'
import type { RequestMetrics } from '../metrics/request-metrics.ts'
import type { SharedFrames } from '../negotiation/watch-frames.ts'
import type { RouteTable } from '../request/resource-path.ts'
import type { Connector } from './connector.ts'
import type { CompletedRequest } from './filter.ts'

/** What a server derives from the scheme that it serves. All of it is replaced with the scheme. */
export interface SchemeView {
  readonly scheme: Scheme
  readonly routes: RouteTable
  readonly documents: ReturnType<typeof discoveryDocuments>
  readonly schemas: SchemaDocuments
  readonly deprecations: Deprecations
  /** Group versions for which other servers answer; undefined where there are none. */
  readonly remote: RemoteServerMap | undefined
}

/** A document that no kind stands behind. */
export interface ServerDocument {
  readonly contentType: string
  /** The header `Cache-Control`. */
  readonly cacheControl: string
  readonly text: () => string
}

/** What the filters and endpoints of one server share: its parts, its limits, and what it keeps between requests. */
export interface ServerContext {
  /** Read it at each request: it changes while the server runs. */
  view: SchemeView
  readonly registry: Registry
  readonly clock: Clock
  readonly log: Log
  /** Makes audit ids. */
  readonly newId: () => string
  readonly random: Random
  readonly gates: EnabledGates
  /** Asked for every request that does not come from the same process. */
  readonly authenticator: Authenticator
  /** Asked for every request. */
  readonly authorizer: Authorizer
  /** The names under which requests over a socket may come. */
  readonly servedHost: HostMatcher
  /** The other origins whose pages may make requests; undefined where there is none. */
  readonly allowedOrigin: OriginMatcher | undefined
  readonly checks: readonly HealthCheck[]
  /** Milliseconds since the epoch; before, livez does not ask checks of the start. */
  readonly livezGraceEnds: number
  /** The wire formats of bodies; the first is the default. */
  readonly serializers: readonly Serializer[]
  /** `meta.<api>`: the group of options, tables and metadata-only objects. */
  readonly metaGroup: string
  /** The same under every name that clients may know it by. */
  readonly metaGroups: readonly string[]
  readonly limits: Limits
  /** Longest time of a request that is no watch. */
  readonly requestTimeoutMs: number
  /** Shortest time of a watch whose client names none; the longest is twice that. */
  readonly minRequestTimeoutMs: number
  readonly flow: FlowControl
  /** The names of the headers that say how a request was classified. */
  readonly flowHeaderNames: FlowHeaderNames
  readonly workEstimator: WorkEstimator
  /** What `/metrics` shows. */
  readonly metrics: Metrics
  /** What the other processes of this server have counted by now. */
  readonly otherMetrics: (() => Promise<readonly MetricValues[]>) | undefined
  readonly requestMetrics: RequestMetrics
  /** Documents that are served as they are, by their path. */
  readonly documents: ReadonlyMap<string, ServerDocument>
  /** Called with every request that was answered. */
  readonly onRequestCompleted: ((request: CompletedRequest) => void) | undefined
  /** Absent where no audit log is kept. */
  readonly auditor: Auditor | undefined
  /** The watches that are being served, and what they watch; aborting one ends its stream. */
  readonly watches: Map<AbortController, Target['kind']>
  /** What is passed on to other servers and not done; aborting one ends it. */
  readonly streams: Set<AbortController>
  /** Leads to nodes, pods and services; undefined where nothing does. */
  readonly connector: Connector | undefined
  readonly sharedFrames: SharedFrames
}
