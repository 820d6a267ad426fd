/**
 * What a running process tells its operator.
 *
 * A log is passed as an argument, never imported. The event is a constant; everything that varies is a fact beside it.
 * Facts never hold secrets or objects' contents.
 *
 * Metrics are declared in `schemas/metrics.yaml`. A label never takes its value from a request; of what stands in objects,
 * only names that administrators give are labels, and the number of series is bounded.
 */

export { type Log, type LogFields, silentLog } from './logging/log.ts'
export { logRequest, logUnexpectedError, type ServedRequest } from './logging/log-events.ts'
export { createLogger, type LoggerOptions, type LogLevel } from './logging/logger.ts'
export { expositionTypes } from './metrics/exposition.ts'
export { type LabelAllowList, labelAllowList } from './metrics/label-allow-list.ts'
export { collectProcessMetrics } from './metrics/process-metrics.ts'
export {
  type Counter,
  createMetrics,
  type Gauge,
  type Histogram,
  type Metrics,
  type MetricsOptions,
  noMetrics,
} from './metrics/registry.ts'
export { showHiddenProblem, type VisibilityOptions } from './metrics/visibility.ts'
