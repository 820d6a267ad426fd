/**
 * What a running process tells its operator: its log, its metrics and its traces.
 *
 *  1. A log is passed as an argument, never imported. An event is a constant; everything that varies is a field beside it.
 *  2. Fields never hold secrets or contents of objects.
 *  3. Metrics are declared in `schemas/metrics.yaml`. No label takes its value from a request; of what is in objects, only
 *     names that administrators choose are labels, and the number of series is bounded.
 */

export { type AdjustableLog, createAdjustableLog } from './logging/adjustable-log.ts'
export { type Log, type LogFields, logWith, silentLog } from './logging/log.ts'
export { logRequest, logUnexpectedError, type ServedRequest } from './logging/log-events.ts'
export { createLogger, type LoggerOptions, type LogLevel } from './logging/logger.ts'
export { expositionTypes } from './metrics/exposition.ts'
export { showGates } from './metrics/gate-metrics.ts'
export { type LabelAllowList, labelAllowList } from './metrics/label-allow-list.ts'
export type {
  Counter,
  Gauge,
  Histogram,
  Metrics,
  MetricsOptions,
  MetricValues,
} from './metrics/metrics-contract.ts'
export { collectProcessMetrics } from './metrics/process-metrics.ts'
export { createMetrics, noMetrics } from './metrics/registry.ts'
export { showHiddenProblem, type VisibilityOptions } from './metrics/visibility.ts'
export {
  failSpan,
  inSpan,
  type Span,
  type SpanAttributes,
  type TraceHeaders,
  type TracePropagation,
  type Tracer,
  traceHeaders,
  withinTrace,
} from './tracing/tracing.ts'
