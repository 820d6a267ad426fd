import type { Log } from './log.ts'

/** The least severe level that is written. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** What to write, and where. */
export interface LoggerOptions {
  readonly level: LogLevel
  /** Takes one line of JSON with its newline. */
  readonly write: (line: string) => void
}

/**
 * A log that writes one JSON object a line: `level`, `time` (ISO 8601), `event`, then the fields. `cause` is written as `err`
 * with its stack. Imports its writer, pino, on the first call.
 */
export async function createLogger({ level, write }: LoggerOptions): Promise<Log> {
  const { pino, stdTimeFunctions } = await import('pino')
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  )
  return {
    debugging: logger.isLevelEnabled('debug'),
    debug: (event, fields) => logger.debug(fields ?? {}, event),
    info: (event, fields) => logger.info(fields ?? {}, event),
    warn: (event, fields) => logger.warn(fields ?? {}, event),
    error: (event, fields, cause) =>
      logger.error(cause === undefined ? (fields ?? {}) : { ...fields, err: cause }, event),
  }
}
