import type { Log } from './log.ts'

/** One request, from its first byte to the end of its response. */
export interface ServedRequest {
  /** The audit id. */
  readonly audit: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** Milliseconds. */
  readonly ms: number
}

/** Logs a served request, at debug: a control plane serves thousands a second. */
export function logRequest(log: Log, request: ServedRequest): void {
  log.debug('request served', { ...request })
}

/** Logs an exception that is no StatusError, which is a bug. Its Status has the audit id and no more. */
export function logUnexpectedError(log: Log, audit: string, where: string, cause: unknown): void {
  log.error('unexpected error', { audit, where }, cause)
}
