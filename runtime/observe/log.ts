/** What varies from one line of an event to the next. */
export type Facts = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Where rooms report to. */
export interface Log {
  /** True if `debug` writes anything: a caller asks first where the facts cost something to collect. */
  readonly debugging: boolean
  debug(event: string, facts?: Facts): void
  info(event: string, facts?: Facts): void
  warn(event: string, facts?: Facts): void
  /** `cause` is written with its stack. */
  error(event: string, facts?: Facts, cause?: unknown): void
}

function nothing(): void {}

/** A log that nobody reads. */
export const silentLog: Log = {
  debugging: false,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
}
