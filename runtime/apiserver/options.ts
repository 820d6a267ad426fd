import type { EncryptionConfiguration } from '../../generated/config/encryption/v1.ts'
import type { PluginContext, PluginSelection } from '../admission/admission.ts'
import type { ServiceRanges } from '../apis/apis.ts'
import type { Authenticator, Authorizer } from '../auth/auth.ts'
import type { Awaitable } from '../kernel/async/awaitable.ts'
import type { Clock } from '../kernel/async/clock.ts'
import type { EnabledGates } from '../kernel/descriptors/enabled-gates.ts'
import type { FeatureGate } from '../kernel/descriptors/feature-gate.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { Log } from '../observe/observe.ts'
import type { ApiServer, Limits, ListenOptions, ServerOptions } from '../server/server.ts'
import type { SecureServing } from '../serving/serving.ts'
import type { MemorySnapshot, StoreLocation } from '../store/store.ts'
import type { CacheSnapshot } from '../watch/watch.ts'
import type { AggregationOptions } from './aggregation/aggregation-options.ts'
import type { AuthenticationOptions } from './authentication/authentication.ts'
import type { AuthorizationOptions } from './authorization/authorization-options.ts'
import type { NodeAccess } from './connect/node-settings.ts'
import type { MetricSelection } from './metrics.ts'
import type { ServerGroup } from './processes/server-group.ts'
import type { AuditSettings } from './webhooks/start-audit.ts'

/** What an API server runs on. Everything but scheme, storage, clock and log has a default. */
export interface ApiServerOptions {
  /** The kinds, their routes and documents. What of it clients see is for `runtimeConfig`. */
  readonly scheme: Scheme
  /** Where objects are kept. */
  readonly storage: StoreLocation
  /** What the server begins with, where it keeps objects in memory. Default: nothing. */
  readonly from?: ServerSnapshot
  /** The only source of time and of waiting. */
  readonly clock: Clock
  readonly log: Log
  /** Where to listen; without it, only requests of the same process are answered. */
  readonly listen?: Pick<ListenOptions, 'host' | 'port'>
  /** Where to listen with TLS, beside `listen` or instead of it. */
  readonly secure?: SecureServing
  /** Milliseconds that changes are remembered: how long ago a watch or a list may go on from. Default five minutes. */
  readonly historyMs?: number
  /** Upper bound in bytes of what the process grows by for the remembered changes. Default 256 MiB. */
  readonly historyBytes?: number
  /**
   * Resources, such as `events` and `widgets.example.com`, whose objects are not kept in memory: each read of them is one of the store.
   * Default: none.
   */
  readonly uncachedResources?: readonly string[]
  /** Longest time of a request that is no watch. Default one minute. */
  readonly requestTimeoutMs?: number
  /** Shortest time of a watch whose client names none. Default half an hour. */
  readonly minWatchMs?: number
  /** Milliseconds to go on serving after `stop`, with readyz failing. Default 0. */
  readonly shutdownDelayMs?: number
  /** Milliseconds that objects stay which stay for a time only, such as events. Default: as their kinds say, one hour. */
  readonly eventTtlMs?: number
  /** Where the addresses and node ports of services lie. */
  readonly serviceRanges?: ServiceRanges
  /** The port of the service under which programs of the cluster find the API. Default 443. */
  readonly servicePort?: number
  /** Where other machines find the server. Default: where it listens, or this machine's first address. */
  readonly advertiseAddress?: string
  /** The name of the machine: others see by a lease that a server of it is there. Default: there is no lease, and no note of what is tracked. */
  readonly hostname?: string
  /** The feature gates that are on. Default: those that are on by default. */
  readonly gates?: EnabledGates
  /** Words of --runtime-config: which part of the tree is served. Fails if one names nothing of the tree. */
  readonly runtimeConfig?: readonly string[]
  /** The plugins of admission, their settings, and how services are found. Default: those on by default; by stored objects. */
  readonly admission?: PluginSelection & Partial<Pick<PluginContext, 'resolve' | 'settings'>>
  /** Most bytes of an object as it is stored. Default 1.5 MiB. */
  readonly objectBytes?: number
  /** What one request and one connection may cost. */
  readonly limits?: Partial<Limits>
  /** Requests that are served at once. Default 400 that read and 200 that change something. */
  readonly inFlight?: ServerOptions['inFlight']
  /** False: requests are limited in number alone, not by who sends them. */
  readonly fairness?: boolean
  /** Milliseconds after the start in which livez passes over steps of the start that are not done. Default 0. */
  readonly livezGraceMs?: number
  /**
   * Names of controllers that run elsewhere in this process: the loops of those stay out of the server. Without any, they rest while a
   * controller manager holds its lease.
   */
  readonly controllersElsewhere?: readonly string[]
  /** Which metrics are shown, and which values their labels may have. Default: all that the release has, and any. */
  readonly metrics?: MetricSelection
  /** The table of feature gates, whose state is a metric. Default: none is shown. */
  readonly knownGates?: readonly FeatureGate[]
  /** How it is found out whose request over a socket it is. Default: all are the anonymous user's. */
  readonly authentication?: AuthenticationOptions
  /** Finds it out instead of what `authentication` says. */
  readonly authenticator?: Authenticator
  /** Decides what users may do, in front of every verb, in access reviews and in admission. Default: everything. */
  readonly authorizer?: Authorizer
  /** Decides by modes such as RBAC; `authorizer`, if it is given, stands in their place. Default: everything is allowed. */
  readonly authorization?: AuthorizationOptions
  /** Names under which clients reach the server, beside `localhost` and IP addresses; `.example.com` is those below it. */
  readonly allowedHosts?: readonly string[]
  /** Regular expressions for the origins of other sites whose pages may make requests. Default: none may. */
  readonly corsAllowedOrigins?: readonly string[]
  /** Middleware of Koa behind the server's own filters: further paths, further headers. */
  readonly use?: ServerOptions['use']
  /** How the agents of nodes are reached, for logs, commands and ports of pods. Default: at their addresses, unchecked and unknown to them. */
  readonly nodes?: NodeAccess
  /** How requests get to the servers that answer for other group versions. */
  readonly aggregation?: AggregationOptions
  /** How objects are encrypted where they are stored. Default: not at all. It is checked by its schema already. */
  readonly encryption?: EncryptionConfiguration
  /** The other processes of this server, where it has several. */
  readonly group?: ServerGroup
  /** What is recorded of requests, and where. Default: nothing. */
  readonly audit?: AuditSettings
}

/** What a server held at one revision. It never changes, and any number of servers may begin with it. */
export interface ServerSnapshot {
  readonly store: MemorySnapshot
  readonly cache: CacheSnapshot
}

/** A running server. It stops by `stop` alone, and in order. */
export interface RunningApiServer extends Pick<ApiServer, 'dispatch'> {
  /** Where it listens, with TLS if it does that; empty for a server that does not listen. */
  readonly url: string
  /** Where it listens without TLS; empty if it does not. */
  readonly insecureUrl: string
  /** Rejects if the server cannot go on, because its store cannot; settles when it has stopped. */
  readonly ended: Promise<void>
  /**
   * What it holds now, or held at a revision, for other servers to begin with. @throws an Error unless it keeps objects in memory, StoreError
   * for a revision that its history does not reach.
   */
  snapshot(at?: number): Promise<ServerSnapshot>
  /**
   * Encrypts by another configuration from now on, once it is there.
   *
   * @throws Error that says what is wrong with it, or what it could not decrypt; the former one stays. A server that began without one
   *   has to begin anew.
   */
  replaceEncryption(configuration: Awaitable<EncryptionConfiguration>): Promise<void>
  /** Fails readiness, waits as `shutdownDelayMs` says, ends watches, finishes requests, closes the store. */
  stop(): Promise<void>
}
