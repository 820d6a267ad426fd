import type { Log } from './log.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

export interface LoggerOptions {
  readonly level: LogLevel
  /** Takes one line of JSON with its newline. */
  readonly write: (line: string) => void
}

/** A log that writes one JSON object a line: level, time, event, then the facts. Loads its writer on the first call. */
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
    debug: (event, facts) => logger.debug(facts ?? {}, event),
    info: (event, facts) => logger.info(facts ?? {}, event),
    warn: (event, facts) => logger.warn(facts ?? {}, event),
    error: (event, facts, cause) =>
      logger.error(cause === undefined ? (facts ?? {}) : { ...facts, err: cause }, event),
  }
}
