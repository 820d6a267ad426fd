import { hostname } from 'node:os'
import { type Event, events } from '../../generated/apis/core/v1/event.ts'
import type { Client, Draft } from '../client/client.ts'
import { onAbort } from '../kernel/async/abort-signal.ts'
import { type Clock, pause, type Random, timestamp } from '../kernel/async/clock.ts'
import { isStatus, StatusError } from '../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import { Recent } from '../kernel/values/recent.ts'
import type { Log } from '../observe/observe.ts'
import { type CorrelatedEvent, Correlator } from './correlate.ts'
import type { EventFacts } from './event-facts.ts'

/** Who records, and with what. */
export interface RecorderOptions {
  /** Names the source in the events: a controller. */
  readonly component: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** So many events wait to be written; further ones are dropped. Default 1000. */
  readonly mostPending?: number
}

/** Records events in the order in which they happened. */
export interface Recorder {
  /** Returns at once. The event is written by `client` when its turn comes. */
  record(client: Client, object: Stored<ApiObject>, facts: EventFacts): void
  /** Resolves when everything recorded so far is written or dropped, or when `signal` aborts; what is left then is dropped. */
  flush(signal: AbortSignal): Promise<void>
}

interface Pending {
  readonly client: Client
  readonly object: Stored<ApiObject>
  readonly facts: EventFacts
  event: CorrelatedEvent
  readonly at: number
}

const usualPending = 1000
/** An event is tried so often, this far apart, as clients of release 1.29 do. */
const attempts = 12
const attemptMs = 10_000
const longestMessage = 1024

/** A recorder for one component. Nothing is sent before something is recorded. */
export function createRecorder(options: RecorderOptions): Recorder {
  return new EventRecorder(options)
}

class EventRecorder implements Recorder {
  readonly #options: RecorderOptions
  readonly #correlator: Correlator
  /** What waits, by what equal events have in common: those that come meanwhile only raise its count. */
  readonly #pending = new Map<string, Pending>()
  readonly #names = new Recent<string>(4096)
  #stop = new AbortController()
  #sending: Promise<void> | undefined
  #named = 0

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#correlator = new Correlator(options.clock)
  }

  record(client: Client, object: Stored<ApiObject>, facts: EventFacts): void {
    const event = this.#correlator.correlate(object, facts)
    if (event === undefined) return
    const waiting = this.#pending.get(event.key)
    if (waiting !== undefined) waiting.event = event
    else if (this.#pending.size >= (this.#options.mostPending ?? usualPending))
      this.#dropped(facts, 'too many events wait')
    else this.#enqueue({ client, object, facts, event, at: this.#options.clock.now() })
  }

  #enqueue(pending: Pending): void {
    this.#pending.set(pending.event.key, pending)
    this.#sending ??= this.#send()
  }

  async flush(signal: AbortSignal): Promise<void> {
    const stop = (): void => {
      this.#pending.clear()
      this.#stop.abort()
      this.#stop = new AbortController()
    }
    if (signal.aborted) stop()
    const unwatch = signal.aborted ? () => {} : onAbort(signal, stop)
    await this.#sending
    unwatch()
  }

  async #send(): Promise<void> {
    await Promise.resolve()
    for (const [key, pending] of this.#pending) {
      this.#pending.delete(key)
      await this.#write(pending, this.#stop.signal)
    }
    this.#sending = undefined
  }

  async #write(pending: Pending, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options
    for (let left = attempts; ; left--) {
      try {
        return await this.#writeOnce(pending, signal)
      } catch (error) {
        const last = left === 1 || signal.aborted || !mayPass(error)
        if (last) return this.#dropped(pending.facts, (error as Error).message)
      }
      await pause(clock, left === attempts ? attemptMs * random() : attemptMs, signal)
    }
  }

  /** An event that was written before gets its new count; one that is gone meanwhile is written anew. */
  async #writeOnce(
    { client, object, facts, event, at }: Pending,
    signal: AbortSignal,
  ): Promise<void> {
    const resource = client.resource(events).in(namespaceOf(object))
    const isWritten = this.#names.has(event.key)
    const name = this.#names.get(event.key, () => this.#nameFor(object))
    const message = cut(event.message)
    if (isWritten && event.count > 1) {
      const change = { count: event.count, lastTimestamp: timestamp(at), message }
      try {
        await resource.mergePatch(name, change, {}, signal)
        return
      } catch (error) {
        if (!isStatus(error, 'NotFound')) throw error
      }
    }
    await resource.create(this.#draft({ object, facts, event, at }, name, message), {}, signal)
  }

  #draft(
    { object, facts, event, at }: Omit<Pending, 'client'>,
    name: string,
    message: string,
  ): Draft<Event> {
    const { component } = this.#options
    const { kind, apiVersion, metadata } = object
    const { uid, resourceVersion } = metadata
    const namespace = namespaceOf(object)
    const home = (metadata as { readonly namespace?: string }).namespace
    return {
      metadata: { name, namespace },
      involvedObject: {
        ...{ kind, apiVersion, name: metadata.name, uid, resourceVersion },
        ...(home && { namespace: home }),
      },
      ...{ type: facts.type, reason: facts.reason, message, count: event.count },
      ...(facts.action !== undefined && { action: facts.action }),
      source: { component },
      firstTimestamp: timestamp(event.first),
      lastTimestamp: timestamp(at),
      reportingComponent: component,
      reportingInstance: hostname(),
    }
  }

  /** `<object>.<hexadecimal>`: of the time, of chance and a count, so that no two are the same. */
  #nameFor({ metadata }: Stored<ApiObject>): string {
    const { clock, random } = this.#options
    this.#named += 1
    const parts = [clock.now(), Math.floor(random() * 0x10000), this.#named % 0x10000]
    const [time, ...rest] = parts.map((part) => part.toString(16).padStart(4, '0'))
    return `${metadata.name.slice(0, 200)}.${time}${rest.join('')}`
  }

  #dropped({ reason }: EventFacts, why: string): void {
    this.#options.log.warn('event dropped', { reason, why })
  }
}

/** Events about objects without a namespace stand in `default`. */
function namespaceOf({ metadata }: Stored<ApiObject>): string {
  return (metadata as { readonly namespace?: string }).namespace || 'default'
}

/** True for an error after which the same request may be accepted. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false
  return error.code >= 500 || error.code === 429
}

/** A message of at most as many bytes as the server takes, cut between characters. */
function cut(message: string): string {
  if (Buffer.byteLength(message) <= longestMessage) return message
  return Buffer.from(message)
    .subarray(0, longestMessage)
    .toString('utf8')
    .replace(/\uFFFD$/, '')
}
