/**
 * What a running process tells its operator.
 *
 * A log is passed as an argument, never imported. The event is a constant; everything that varies is a fact beside it.
 * Facts never hold secrets or objects' contents.
 *
 * Metrics are declared in `schemas/metrics.yaml`. A label never takes its value from a request; of what stands in objects,
 * only names that administrators give are labels, and the number of series is bounded.
 */

export { type LabelAllowList, labelAllowList } from './allow-list.ts'
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
  type MetricsOptions,
  noMetrics,
} from './metrics.ts'
export { collectProcess } from './process.ts'
export { type ShownOptions, showHiddenProblem } from './shown.ts'
