import type { LabelAllowList } from './label-allow-list.ts'
import type { VisibilityOptions } from './visibility.ts'

/** The two text formats that scrapers read: Prometheus 0.0.4 and OpenMetrics 1.0.0. */
export type ExpositionFormat = 'prometheus' | 'openmetrics'

/** The values of a series' labels, in the order in which the metric's facts name the labels. */
export type LabelValues = readonly string[]

/** A total that only grows. */
export interface Counter {
  /** Adds `by`, 1 by default; never negative. */
  add(labels: LabelValues, by?: number): void
}

/** A value that goes up and down. */
export interface Gauge {
  set(labels: LabelValues, value: number): void
  add(labels: LabelValues, by: number): void
  /** Removes every series. */
  clear(): void
}

/** A distribution over the buckets that the metric's facts declare. */
export interface Histogram {
  observe(labels: LabelValues, value: number): void
  /** Observes under the same labels at each call, without looking their series up again. */
  withLabelValues(labels: LabelValues): (value: number) => void
}

/**
 * The metrics of one server: each server of a process has its own.
 *
 *  1. A name that the table of metrics does not have is our own mistake and fails; a metric that is hidden or disabled
 *     accepts values and counts nothing.
 *  2. All metrics together keep at most 20,000 series: values of any further series are dropped, so that no label can
 *     exhaust memory.
 *  3. Recording a value costs well under a microsecond and never throws.
 */
export interface Metrics {
  counter(name: string): Counter
  gauge(name: string): Gauge
  histogram(name: string): Histogram
  /** Runs `run` before each exposition, for values that are read off the system rather than counted. */
  onCollect(run: () => void): void
  /** The text that a scraper reads; `only` picks metrics by name. The values of `others` count as if they were recorded here. */
  text(
    format: ExpositionFormat,
    only?: (name: string) => boolean,
    others?: readonly MetricValues[],
  ): string
  /** What is recorded now, for another process of the same server to add to its own. */
  values(): MetricValues
}

/** The series of metrics by name. */
export type MetricValues = ReadonlyMap<string, readonly RecordedSeries[]>

/** What was recorded under some labels. */
export interface RecordedSeries {
  readonly labels: LabelValues
  readonly value: number
  readonly buckets?: readonly number[]
  readonly count: number
}

/** What a command line says about the metrics of a process. */
export interface MetricsOptions extends VisibilityOptions {
  /** The values that labels may have; any others count as `unexpected`. Default: all values are allowed. */
  readonly allowed?: LabelAllowList
}
