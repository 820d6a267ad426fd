/** What varies from one line of an event to the next. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Where rooms report to. */
export interface Log {
  /** True if `debug` writes anything: a caller asks first where the facts cost something to collect. */
  readonly debugging: boolean
  debug(event: string, facts?: LogFields): void
  info(event: string, facts?: LogFields): void
  warn(event: string, facts?: LogFields): void
  /** `cause` is written with its stack. */
  error(event: string, facts?: LogFields, cause?: unknown): void
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
