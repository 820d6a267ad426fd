import type { Awaitable } from '../kernel/async/awaitable.ts'
import type { Clock } from '../kernel/async/clock.ts'
import type { Log } from '../observe/observe.ts'
import type { BatchOptions } from './batches.ts'
import type { AuditEvent } from './event.ts'

/**
 * `blocking`: a record is out before the request goes on. `batch`: soon after. `blocking-strict`: before, and a request whose
 * arrival cannot be recorded is refused.
 */
export type AuditMode = 'batch' | 'blocking' | 'blocking-strict'

/** What all outputs can be told. */
export interface OutputOptions {
  readonly mode: AuditMode
  /** What records say they are. Default: version v1 of the platform's own group. */
  readonly apiVersion?: string
  /** For mode `batch`. */
  readonly batch: BatchOptions
  /**
   * Bytes of a record beyond which its objects are left out and an annotation says so; one that is too long even then is lost.
   * Default: no bound.
   */
  readonly maxEventBytes?: number
}

/** Where records go. */
export interface AuditOutput {
  /** False if the record is known to be lost. */
  record(event: AuditEvent): Awaitable<boolean>
  /** Sends what waits. Nothing is recorded afterwards. */
  stop(): Promise<void>
}

/** What an output tells the time, reports and counts by. */
export interface OutputContext {
  readonly clock: Clock
  readonly log: Log
  readonly apiVersion: string
  /** Counts records that a part of the way has lost. */
  readonly lost: (plugin: 'log' | 'webhook' | 'buffered' | 'truncate', count: number) => void
  /** The annotation of a record whose objects were left out. */
  readonly truncated: string
}

/** The text of a record within the bound of its length; undefined if it is too long without its objects. */
export function fittingText(
  event: AuditEvent,
  print: (event: AuditEvent) => string,
  { maxEventBytes = 0 }: OutputOptions,
  { truncated, lost }: OutputContext,
): string | undefined {
  const fits = (text: string): boolean =>
    maxEventBytes === 0 || Buffer.byteLength(text) <= maxEventBytes
  const whole = print(event)
  if (fits(whole)) return whole
  if (event.level !== 'Metadata') {
    const cut = print(withoutObjects(event, truncated))
    if (fits(cut)) return cut
  }
  lost('truncate', 1)
  return undefined
}

/** The event without its objects, and the annotation that says so. */
function withoutObjects(
  { requestObject: _, responseObject: __, ...event }: AuditEvent,
  truncated: string,
): AuditEvent {
  return { ...event, annotations: { ...event.annotations, [truncated]: 'true' } }
}
