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

/** The same log, each of whose lines has further fields: those of a line win. */
export function logWith(log: Log, fields: LogFields): Log {
  return log === silentLog ? log : new FieldLog(log, fields)
}

class FieldLog implements Log {
  readonly #log: Log
  readonly #fields: LogFields

  constructor(log: Log, fields: LogFields) {
    this.#log = log
    this.#fields = fields
  }

  get debugging(): boolean {
    return this.#log.debugging
  }

  debug(event: string, fields?: LogFields): void {
    if (this.#log.debugging) this.#log.debug(event, { ...this.#fields, ...fields })
  }

  info(event: string, fields?: LogFields): void {
    this.#log.info(event, { ...this.#fields, ...fields })
  }

  warn(event: string, fields?: LogFields): void {
    this.#log.warn(event, { ...this.#fields, ...fields })
  }

  error(event: string, fields?: LogFields, cause?: unknown): void {
    this.#log.error(event, { ...this.#fields, ...fields }, cause)
  }
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
