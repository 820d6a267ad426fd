/**
 * What a running process tells its operator.
 *
 * A log is passed as an argument, never imported. The event is a constant; everything that varies is a fact beside it.
 * Facts never hold secrets or objects' contents.
 *
 * Metrics are declared in `schemas/metrics.yaml`; a label never takes its value from a client's text.
 */

export { logBug, logRequest, type ServedRequest } from './events.ts'
export { expositionTypes } from './exposition.ts'
export { type Facts, type Log, silentLog } from './log.ts'
export { createLogger, type LoggerOptions, type LogLevel } from './logger.ts'
export {
  type Counter,
  createMetrics,
  type Gauge,
  type Histogram,
  type Metrics,
  noMetrics,
  showHiddenProblem,
} from './metrics.ts'
