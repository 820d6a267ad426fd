/**
 * Priority and Fairness: which requests may be served now.
 *
 *  1. A request belongs to the first flow schema, by precedence and then by name, that matches it, and holds seats of that
 *     schema's priority level until its response is decided. Exempt levels have no limit.
 *  2. The server's seats are divided by the levels' shares. A level that has seats to spare lends them, up to its lendable
 *     part; they come back with the end of the requests that hold them.
 *  3. Without a free seat a request waits in one of the few queues that its flow is dealt, so that one flow cannot fill
 *     them all; it is rejected when that queue is full, when the level has no queues, or when it has waited too long.
 *  4. What waits is bounded by queues and their lengths; a request that waits has not had its body read.
 */

import type { UserInfo } from '../../auth/auth.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { FlowControlFacts } from '../../kernel/descriptors/flow-control-facts.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { Metrics } from '../../observe/observe.ts'
import { createFlowMetrics, type FlowMetrics } from './flow-metrics.ts'
import { type FlowRequest, matchesSchema, mayMatch } from './flow-schema.ts'
import { PriorityLevelQueues, type QueuedRequest } from './priority-level.ts'

export type { FlowRequest } from './flow-schema.ts'

/** The flow schemas and priority levels in force. Responses name them by `uid` in their headers. */
export interface FlowConfig {
  readonly priorityLevels: readonly (FlowControlFacts['priorityLevels'][number] & Uid)[]
  readonly flowSchemas: readonly (FlowControlFacts['flowSchemas'][number] & Uid)[]
}

interface Uid {
  readonly uid: string
}

/** What one server divides, and where it counts. */
export interface FlowOptions {
  /** Seats of the whole server. */
  readonly seats: number
  /** Milliseconds that a request may wait in a queue. */
  readonly waitMs: number
  readonly clock: Clock
  readonly metrics: Metrics
}

/** What became of a request: it has its seats, or is rejected. */
export interface FlowDecision {
  /** Empty if no schema matches. */
  readonly flowSchemaUid: string
  readonly priorityLevelUid: string
  /** Gives the seats back, once; undefined if the request is rejected. */
  readonly release: (() => void) | undefined
  /** When a rejected client may try again. */
  readonly retryAfterSeconds: number
}

/** The headers that name what a request was classified as. */
export interface FlowHeaderNames {
  readonly schema: string
  readonly level: string
}

/** A flow schema whose priority level exists. */
interface ActiveSchema {
  readonly facts: FlowConfig['flowSchemas'][number]
  readonly level: PriorityLevelQueues
  readonly levelUid: string
}

/** The decision of a request that no schema matches. */
const unclassified: FlowDecision = {
  flowSchemaUid: '',
  priorityLevelUid: '',
  release: () => {},
  retryAfterSeconds: 0,
}

/** Admits the requests of one server. `acquire` returns without a promise where there are seats. */
export class FlowControl {
  readonly #options: FlowOptions
  readonly #metrics: FlowMetrics
  #levels: readonly PriorityLevelQueues[] = []
  #schemas: readonly ActiveSchema[] = []
  /** What each level was made of, as JSON, by its name. */
  #specs = new Map<string, string>()
  /** The schemas that name a user at all: few, and the same for each of its requests. */
  #known = new WeakMap<UserInfo, readonly ActiveSchema[]>()

  constructor(config: FlowConfig, options: FlowOptions) {
    this.#options = options
    this.#metrics = createFlowMetrics(options.metrics)
    this.configure(config)
  }

  /** Replaces the configuration. Levels that stay the same keep their requests; those that wait in others start at once. */
  configure({ priorityLevels, flowSchemas }: FlowConfig): void {
    const before = this.#levels
    this.#levels = this.#levelsOf(priorityLevels)
    this.#known = new WeakMap()
    const uids = new Map(priorityLevels.map(({ name, uid }) => [name, uid]))
    this.#schemas = [...flowSchemas].sort(byPrecedence).flatMap((facts): ActiveSchema[] => {
      const { name } = facts.spec.priorityLevelConfiguration
      const level = this.#levels.find((one) => one.name === name)
      return level === undefined ? [] : [{ facts, level, levelUid: uids.get(name) ?? '' }]
    })
    for (const level of this.#levels) this.#metrics.nominal(level.name, level.nominal)
    const replaced = before.filter((level) => !this.#levels.includes(level))
    for (const level of replaced) for (const waiting of level.drain()) waiting.start()
  }

  /** The levels of a configuration; one with the same spec and the same seats is the one that is there. */
  #levelsOf(facts: FlowConfig['priorityLevels']): readonly PriorityLevelQueues[] {
    const shares = facts.reduce((sum, { spec }) => sum + sharesOf(spec), 0)
    const before = new Map(this.#levels.map((level) => [level.name, level]))
    const specs = new Map<string, string>()
    const levels = facts.map(({ name, spec }) => {
      const nominal = Math.ceil((this.#options.seats * sharesOf(spec)) / Math.max(1, shares))
      const text = JSON.stringify([spec, nominal])
      specs.set(name, text)
      const old = before.get(name)
      const isSame = old !== undefined && this.#specs.get(name) === text
      return isSame ? old : new PriorityLevelQueues(name, spec, nominal)
    })
    this.#specs = specs
    return levels
  }

  /**
   * Takes the seats of a request, or lets it wait for them. A request of more seats than its level has takes all of them; one
   * that no schema matches is not limited.
   */
  acquire(request: FlowRequest, seats: number): FlowDecision | Promise<FlowDecision> {
    const schema = this.#schemaOf(request)
    if (schema === undefined) return unclassified
    const { level } = schema
    const width = level.exempt ? seats : Math.max(1, Math.min(seats, level.nominal))
    if (level.waiting === 0 && level.acquire(width, this.#levels))
      return this.#admitted(schema, width)
    return this.#wait(schema, width, request)
  }

  #schemaOf(request: FlowRequest): ActiveSchema | undefined {
    const { user } = request
    let schemas = this.#known.get(user)
    if (schemas === undefined) {
      schemas = this.#schemas.filter(({ facts }) => mayMatch(facts.spec, user))
      this.#known.set(user, schemas)
    }
    for (const schema of schemas) if (matchesSchema(schema.facts.spec, request)) return schema
    return undefined
  }

  /** Queues a request, until it has its seats or `waitMs` are over. */
  #wait(
    schema: ActiveSchema,
    seats: number,
    request: FlowRequest,
  ): FlowDecision | Promise<FlowDecision> {
    const { clock, waitMs } = this.#options
    const { level, facts } = schema
    let settle: (decision: FlowDecision) => void = () => {}
    const decided = new Promise<FlowDecision>((resolve) => {
      settle = resolve
    })
    const since = clock.now()
    let cancel = (): void => {}
    const waiting: QueuedRequest = {
      seats,
      start: () => {
        cancel()
        this.#metrics.waited(level.name, facts.name, clock.now() - since, true)
        settle(this.#admitted(schema, seats, position?.finished))
      },
    }
    const position = level.enqueue(flowKey(facts, request), waiting)
    if (position === undefined) {
      return this.#rejected(schema, level.hasQueues ? 'queue-full' : 'concurrency-limit')
    }
    this.#metrics.queued(level.name, facts.name, 1)
    cancel = clock.after(waitMs, () => {
      if (!position.leave()) return
      this.#metrics.waited(level.name, facts.name, clock.now() - since, false)
      settle(this.#rejected(schema, 'time-out'))
    })
    return decided
  }

  /** The decision of a request that has its seats. Giving them back starts what waits for them, in all levels. */
  #admitted(schema: ActiveSchema, seats: number, finished?: (ms: number) => void): FlowDecision {
    const { level, facts, levelUid } = schema
    const since = this.#options.clock.now()
    this.#metrics.entered(level.name, facts.name, seats)
    let held = true
    return {
      flowSchemaUid: facts.uid,
      priorityLevelUid: levelUid,
      retryAfterSeconds: 0,
      release: () => {
        invariant(held, 'a request gives its seats back once')
        held = false
        this.#metrics.left(level.name, facts.name, seats)
        finished?.(this.#options.clock.now() - since)
        level.release(seats)
        for (const one of this.#levels) if (one.waiting > 0) one.dispatch(this.#levels)
      },
    }
  }

  #rejected({ facts, level, levelUid }: ActiveSchema, reason: string): FlowDecision {
    this.#metrics.refused(level.name, facts.name, reason)
    const retryAfterSeconds = level.retryAfter.reject(this.#options.clock.now())
    return {
      flowSchemaUid: facts.uid,
      priorityLevelUid: levelUid,
      release: undefined,
      retryAfterSeconds,
    }
  }
}

/** Shares default as the public API server's do: 30 for a limited level, none for an exempt one. */
function sharesOf({ limited, exempt, type }: FlowConfig['priorityLevels'][number]['spec']): number {
  if (type === 'Exempt') return exempt?.nominalConcurrencyShares ?? 0
  return limited?.nominalConcurrencyShares ?? 30
}

/** The lower number first, then by name; the default precedence is 1000. */
function byPrecedence(
  a: FlowConfig['flowSchemas'][number],
  b: FlowConfig['flowSchemas'][number],
): number {
  const first = (a.spec.matchingPrecedence ?? 1000) - (b.spec.matchingPrecedence ?? 1000)
  return first || (a.name < b.name ? -1 : 1)
}

/** The flow of a request: its schema, with the user or the namespace if the schema tells requests apart by them. */
function flowKey({ name, spec }: FlowConfig['flowSchemas'][number], request: FlowRequest): string {
  switch (spec.distinguisherMethod?.type) {
    case 'ByUser':
      return `${name}\n${request.user.username}`
    case 'ByNamespace':
      return `${name}\n${request.resource?.namespace ?? ''}`
    default:
      return name
  }
}
