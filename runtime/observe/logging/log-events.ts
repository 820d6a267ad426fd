import type { Log } from './log.ts'

/** One request from its first byte to its answer. */
export interface ServedRequest {
  readonly audit: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
}

/** A request was answered. Written at debug: a control plane serves thousands a second. */
export function logRequest(log: Log, request: ServedRequest): void {
  log.debug('request served', { ...request })
}

/** Something was thrown that is no StatusError: our mistake. The audit id is what the caller was told. */
export function logUnexpectedError(log: Log, audit: string, where: string, cause: unknown): void {
  log.error('unexpected error', { audit, where }, cause)
}
