import { defaultLimits as defaultDecodeLimits } from '../../serializer/serializer.ts'
import type { BodyLimits } from './request.ts'

/** What one request and one connection may cost. Times are milliseconds. */
export interface Limits extends BodyLimits {
  /** Bytes of the request line and headers together. */
  readonly headerBytes: number
  /** Time until the headers of a request have arrived. */
  readonly headersMs: number
  /** Time until the whole request has arrived. */
  readonly receiveMs: number
  /** Time that a connection may be without a request. */
  readonly idleMs: number
  /** Time in which a receiver has to take the next part of a response, a quarter of a megabyte or less. */
  readonly stalledMs: number
  /** Bytes of all bodies that have arrived of requests which wait for their seats, or still arrive. */
  readonly waitingBytes: number
  /** Connections at once; more are closed as they come. */
  readonly connections: number
}

/**
 * Limits that ordinary clients never meet: bodies are twice as large as the largest object that can be stored, and an idle
 * connection stays longer than the 60 s after which common load balancers drop it.
 */
export const defaultLimits: Limits = {
  bodyBytes: 3 * 1024 * 1024,
  decode: defaultDecodeLimits,
  headerBytes: 32 * 1024,
  headersMs: 20_000,
  receiveMs: 60_000,
  idleMs: 90_000,
  stalledMs: 60_000,
  waitingBytes: 64 * 1024 * 1024,
  connections: 10_000,
}
