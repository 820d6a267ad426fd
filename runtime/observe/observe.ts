/**
 * What a running process tells its operator.
 *
 * A log is passed as an argument, never imported. The event is a constant; everything that varies is a fact beside it.
 * Facts never hold secrets or objects' contents.
 */

export { logBug, logRequest, type ServedRequest } from './events.ts'
export { type Facts, type Log, silentLog } from './log.ts'
export { createLogger, type LoggerOptions, type LogLevel } from './logger.ts'
