/** What varies from one line of an event to the next. Never secrets, nor contents of objects. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/**
 * The log that modules are given as an argument. `event` is a constant, so that lines can be counted by it; what varies is a
 * field beside it.
 */
export interface Log {
  /** True if `debug` writes anything: a caller looks first where fields cost something to collect. */
  readonly debugging: boolean
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  /** `cause` is written with its stack. */
  error(event: string, fields?: LogFields, cause?: unknown): void
}

function nothing(): void {}

/** A log that writes nothing. */
export const silentLog: Log = {
  debugging: false,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
}
