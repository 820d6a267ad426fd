/**
 * Priority and Fairness: who may be worked on now.
 *
 *  1. A request belongs to the first flow schema, by precedence and then by name, that matches it, and holds seats of that
 *     schema's priority level until its answer is decided. Exempt levels have no limit.
 *  2. The server's seats are divided by the levels' shares. A level that has seats to spare lends them, up to its lendable
 *     part; they come back with the end of the requests that hold them.
 *  3. Without a free seat a request waits in one of the few queues that its flow is dealt, so that one flow cannot fill
 *     them all; it is turned away when that queue is full, when the level has no queues, or when it has waited too long.
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

/** The schemas and levels to go by. `uid` tells what answers name in their headers. */
export interface FlowConfig {
  readonly priorityLevels: readonly (FlowControlFacts['priorityLevels'][number] & Uid)[]
  readonly flowSchemas: readonly (FlowControlFacts['flowSchemas'][number] & Uid)[]
}

interface Uid {
  readonly uid: string
}

export interface FlowOptions {
  /** Seats of the whole server. */
  readonly seats: number
  /** Longest time in a queue. */
  readonly waitMs: number
  readonly clock: Clock
  readonly metrics: Metrics
}

/** What became of a request that asked to be let in. */
export interface FlowDecision {
  /** Uids of what it was classified by. */
  readonly flowSchemaUid: string
  readonly priorityLevelUid: string
  /** Undefined if it was turned away. */
  readonly release: (() => void) | undefined
  /** For one that was turned away: when to come back. */
  readonly retryAfterSeconds: number
}

/** The headers that name what a request was classified as. */
export interface FlowHeaderNames {
  readonly schema: string
  readonly level: string
}

interface ActiveSchema {
  readonly facts: FlowConfig['flowSchemas'][number]
  readonly level: PriorityLevelQueues
  readonly levelUid: string
}

export class FlowControl {
  readonly #options: FlowOptions
  readonly #meters: FlowMetrics
  #levels: readonly PriorityLevelQueues[] = []
  #schemas: readonly ActiveSchema[] = []
  #specs = new Map<string, string>()
  /** The schemas that name a user at all: few, and the same for each of its requests. */
  #known = new WeakMap<UserInfo, readonly ActiveSchema[]>()

  constructor(config: FlowConfig, options: FlowOptions) {
    this.#options = options
    this.#meters = createFlowMetrics(options.metrics)
    this.configure(config)
  }

  /** Goes by another configuration from now on. Levels that stay the same keep who waits and works there. */
  configure({ priorityLevels, flowSchemas }: FlowConfig): void {
    const shares = priorityLevels.reduce((sum, { spec }) => sum + sharesOf(spec), 0)
    const specs = new Map<string, string>()
    const before = new Map(this.#levels.map((level) => [level.name, level]))
    const uids = new Map(priorityLevels.map(({ name, uid }) => [name, uid]))
    const levels = priorityLevels.map(({ name, spec }) => {
      const nominal = Math.ceil((this.#options.seats * sharesOf(spec)) / Math.max(1, shares))
      const text = JSON.stringify([spec, nominal])
      specs.set(name, text)
      const old = before.get(name)
      return old !== undefined && this.#specs.get(name) === text
        ? old
        : new PriorityLevelQueues(name, spec, nominal)
    })
    const replaced = this.#levels.filter((level) => !levels.includes(level))
    this.#levels = levels
    this.#specs = specs
    this.#known = new WeakMap()
    this.#schemas = [...flowSchemas].sort(byPrecedence).flatMap((facts): ActiveSchema[] => {
      const { name } = facts.spec.priorityLevelConfiguration
      const level = levels.find((one) => one.name === name)
      return level === undefined ? [] : [{ facts, level, levelUid: uids.get(name) ?? '' }]
    })
    for (const level of levels) this.#meters.nominal(level.name, level.nominal)
    for (const level of replaced) for (const ticket of level.drain()) ticket.start()
  }

  /** Lets a request in, at once where there are seats. */
  acquire(request: FlowRequest, seats: number): FlowDecision | Promise<FlowDecision> {
    const schema = this.#schemaOf(request)
    if (schema === undefined)
      return { flowSchemaUid: '', priorityLevelUid: '', release: () => {}, retryAfterSeconds: 0 }
    const { level } = schema
    const width = level.exempt ? seats : Math.max(1, Math.min(seats, level.nominal))
    if (level.waiting === 0 && level.acquire(width, this.#levels))
      return this.#entered(schema, width)
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

  #wait(
    schema: ActiveSchema,
    seats: number,
    request: FlowRequest,
  ): FlowDecision | Promise<FlowDecision> {
    const { clock, waitMs } = this.#options
    const { level, facts } = schema
    let settle: (entry: FlowDecision) => void = () => {}
    const entered = new Promise<FlowDecision>((resolve) => {
      settle = resolve
    })
    const since = clock.now()
    let cancel = (): void => {}
    const ticket: QueuedRequest = {
      seats,
      start: () => {
        cancel()
        this.#meters.waited(level.name, facts.name, clock.now() - since, true)
        settle(this.#entered(schema, seats, place?.finished))
      },
    }
    const place = level.enqueue(flowKey(facts, request), ticket)
    if (place === undefined) {
      return this.#refused(schema, level.hasQueues ? 'queue-full' : 'concurrency-limit')
    }
    this.#meters.queued(level.name, facts.name, 1)
    cancel = clock.after(waitMs, () => {
      if (!place.leave()) return
      this.#meters.waited(level.name, facts.name, clock.now() - since, false)
      settle(this.#refused(schema, 'time-out'))
    })
    return entered
  }

  #entered(schema: ActiveSchema, seats: number, spent?: (ms: number) => void): FlowDecision {
    const { level, facts, levelUid } = schema
    const since = this.#options.clock.now()
    this.#meters.entered(level.name, facts.name, seats)
    let inside = true
    return {
      flowSchemaUid: facts.uid,
      priorityLevelUid: levelUid,
      retryAfterSeconds: 0,
      release: () => {
        invariant(inside, 'a request leaves once')
        inside = false
        this.#meters.left(level.name, facts.name, seats)
        spent?.(this.#options.clock.now() - since)
        level.release(seats)
        for (const one of this.#levels) if (one.waiting > 0) one.dispatch(this.#levels)
      },
    }
  }

  #refused({ facts, level, levelUid }: ActiveSchema, reason: string): FlowDecision {
    this.#meters.refused(level.name, facts.name, reason)
    const retryAfterSeconds = level.retryAfter.reject(this.#options.clock.now())
    return {
      flowSchemaUid: facts.uid,
      priorityLevelUid: levelUid,
      release: undefined,
      retryAfterSeconds,
    }
  }
}

function sharesOf({ limited, exempt, type }: FlowConfig['priorityLevels'][number]['spec']): number {
  if (type === 'Exempt') return exempt?.nominalConcurrencyShares ?? 0
  return limited?.nominalConcurrencyShares ?? 30
}

function byPrecedence(
  a: FlowConfig['flowSchemas'][number],
  b: FlowConfig['flowSchemas'][number],
): number {
  const first = (a.spec.matchingPrecedence ?? 1000) - (b.spec.matchingPrecedence ?? 1000)
  return first || (a.name < b.name ? -1 : 1)
}

/** The flow of a request: its schema, and who asks or where, as the schema tells requests apart. */
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
