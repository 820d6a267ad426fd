import type { Auditor } from '../audit/audit.ts'
import type { Gates } from '../kernel/gates.ts'
import type { Clock, Random } from '../kernel/time.ts'
import type { Tree } from '../kernel/tree.ts'
import type { Log, Metrics } from '../observe/observe.ts'
import type { Registry, Target, WatchEvent } from '../registry/registry.ts'
import type { Deprecations } from './deprecation.ts'
import type { documents } from './documents.ts'
import type { Frame, Incoming } from './exchange.ts'
import type { Caller, FlowControl } from './flow/flow.ts'
import type { Served } from './gate.ts'
import type { HealthCheck } from './health.ts'
import type { RunTexts } from './join.ts'
import type { Limits } from './limits.ts'
import type { Meters } from './meters.ts'
import type { SchemaDocuments } from './openapi.ts'
import type { RouteTable } from './path.ts'
import type { Binary } from './protobuf.ts'
import type { Lines } from './represent.ts'
import type { Widths } from './widths.ts'

/** What every part of one server shares. */
export interface Core {
  readonly registry: Registry
  readonly tree: Tree
  readonly routes: RouteTable
  readonly clock: Clock
  readonly log: Log
  readonly checks: readonly HealthCheck[]
  /** Until then livez passes over checks of beginnings. */
  readonly graceEnds: number
  readonly schemas: SchemaDocuments
  /** The protobuf form of the tree's kinds, if any has one. */
  readonly binary?: Binary
  /** `meta.<api>`: the group of options, tables and metadata-only objects. */
  readonly metaGroup: string
  /** The same under every name that clients may know it by. */
  readonly metaGroups: readonly string[]
  readonly gates: Gates
  readonly documents: ReturnType<typeof documents>
  readonly newId: () => string
  readonly random: Random
  readonly requestTimeoutMs: number
  readonly minRequestTimeoutMs: number
  readonly flow: FlowControl
  /** The headers that name what a request was classified by. */
  readonly flowHeaderNames: { readonly schema: string; readonly level: string }
  readonly widths: Widths
  readonly metrics: Metrics
  readonly meters: Meters
  readonly deprecations: Deprecations
  /** Who a request comes from. */
  readonly callerOf: (request: Incoming) => Caller
  readonly onServed: ((served: Served) => void) | undefined
  /** Who keeps the audit log, if anybody does. */
  readonly auditor: Auditor | undefined
  readonly limits: Limits
  /** The watches under way, and what they watch; aborting one ends its stream. */
  readonly watches: Map<AbortController, Target['kind']>
  /** Bodies of single objects, as they were last sent. */
  readonly lines: Lines
  /** Texts of runs of objects, as lists were last made of them. */
  readonly texts: RunTexts
  /** How an event is framed that many watchers see. */
  readonly frame: (event: WatchEvent) => Frame
}
