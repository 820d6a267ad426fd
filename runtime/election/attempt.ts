import type { Clock } from '../kernel/async/clock.ts'
import { deadline } from '../kernel/async/deadline.ts'
import { errorText } from '../kernel/errors/error-text.ts'
import type { Log, LogFields } from '../observe/observe.ts'

/** What requests about leases are tried with. */
export interface AttemptOptions {
  readonly clock: Clock
  readonly log: Log
  /** Milliseconds that a request may take: as long as a term may go without a renewal. */
  readonly limitMs: number
  /** What the log says beside the reason. */
  readonly fields: LogFields
}

/** What `request` gives; undefined if it fails, which is logged as `failure`, or takes longer than it may. */
export async function attempt<T>(
  failure: string,
  signal: AbortSignal,
  request: (limit: AbortSignal) => Promise<T>,
  { clock, log, limitMs, fields }: AttemptOptions,
): Promise<T | undefined> {
  const limit = deadline(clock, signal, 0, limitMs)
  try {
    return await request(limit.signal)
  } catch (error) {
    if (!signal.aborted) log.warn(failure, { ...fields, why: errorText(error) })
    return undefined
  } finally {
    limit.end()
  }
}
