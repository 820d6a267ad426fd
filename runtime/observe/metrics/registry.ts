import type { MetricFacts } from '../../kernel/descriptors/metric-facts.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import { type ExpositionFormat, printMetrics } from './exposition.ts'
import { type LabelAllowList, type LabelFilter, labelFilterOf } from './label-allow-list.ts'
import { type VisibilityOptions, type VisibleMetrics, visibleMetrics } from './visibility.ts'

/** Values in the order of the metric's labels. */
export type LabelValues = readonly string[]

export interface Counter {
  add(labels: LabelValues, by?: number): void
}

export interface Gauge {
  set(labels: LabelValues, value: number): void
  add(labels: LabelValues, by: number): void
  /** Forgets every series. */
  clear(): void
}

export interface Histogram {
  observe(labels: LabelValues, value: number): void
  /** Observes under the same labels at each call, without looking for their series again. */
  withLabelValues(labels: LabelValues): (value: number) => void
}

/**
 * The metrics of one server. A name that the facts do not hold is our own mistake; one that they hide is counted nowhere.
 * The number of series is bounded: what comes beyond it is not counted.
 */
export interface Metrics {
  counter(name: string): Counter
  gauge(name: string): Gauge
  histogram(name: string): Histogram
  /** Runs before each text is made, for values that are looked up and not counted. */
  onCollect(run: () => void): void
  /** The text that a scraper reads; `only` picks metrics by name. */
  text(format: ExpositionFormat, only?: (name: string) => boolean): string
}

export interface MetricsOptions extends VisibilityOptions {
  /** The values that labels may have. Default: any. */
  readonly allowed?: LabelAllowList
}

const maxSeries = 20_000

export interface Series {
  readonly labels: LabelValues
  value: number
  /** Observations by bucket, the infinite one last; only for histograms. */
  readonly buckets?: number[]
  count: number
}

export interface Metric {
  readonly facts: MetricFacts
  readonly series: Map<string, Series>
  readonly labelFilter?: LabelFilter
  /** The one that was counted in last: most often it is the next one too, and found without a key being made. */
  last?: Series | undefined
}

export function createMetrics(facts: readonly MetricFacts[], options: MetricsOptions): Metrics {
  const { shown, hidden, disabled } = visibleMetrics(facts, options)
  const known = new Map(shown.map((each) => [each.name, metricOf(each, options.allowed)]))
  const collectors: (() => void)[] = []
  const budget = { left: maxSeries }
  const find = (name: string, type: MetricFacts['type']): Metric | undefined => {
    const metric = known.get(name)
    const silent = hidden.has(name) || disabled.has(name)
    invariant(metric !== undefined || silent, `${name} is not in the table of metrics`)
    invariant(metric === undefined || metric.facts.type === type, `${name} is no ${type}`)
    return metric
  }
  countThemselves(known, { hidden, disabled }, budget)
  return {
    counter: (name) => counterOf(find(name, 'counter'), budget),
    gauge: (name) => gaugeOf(find(name, 'gauge'), budget),
    histogram: (name) => histogramOf(find(name, 'histogram'), budget),
    onCollect: (run) => void collectors.push(run),
    text(format, only = () => true) {
      for (const run of collectors) run()
      return printMetrics(
        [...known.values()].filter((each) => only(each.facts.name)),
        format,
      )
    },
  }
}

function metricOf(facts: MetricFacts, allowed: LabelAllowList | undefined): Metric {
  const bound = labelFilterOf(facts, allowed)
  return { facts, series: new Map(), ...(bound && { labelFilter: bound }) }
}

/** Metrics that count nothing, for a server whose tree names none. */
export function noMetrics(): Metrics {
  const nothing = { add() {}, set() {}, clear() {}, observe() {}, withLabelValues: () => () => {} }
  return {
    counter: () => nothing,
    gauge: () => nothing,
    histogram: () => nothing,
    onCollect() {},
    text: (format) => printMetrics([], format),
  }
}

interface Budget {
  left: number
}

function counterOf(metric: Metric | undefined, budget: Budget): Counter {
  return {
    add(labels, by = 1) {
      const series = metric && seriesOf(metric, labels, budget)
      if (series !== undefined) series.value += by
    },
  }
}

function gaugeOf(metric: Metric | undefined, budget: Budget): Gauge {
  return {
    set(labels, value) {
      const series = metric && seriesOf(metric, labels, budget)
      if (series !== undefined) series.value = value
    },
    add(labels, by) {
      const series = metric && seriesOf(metric, labels, budget)
      if (series !== undefined) series.value += by
    },
    clear() {
      budget.left += metric?.series.size ?? 0
      metric?.series.clear()
      if (metric !== undefined) metric.last = undefined
    },
  }
}

function histogramOf(metric: Metric | undefined, budget: Budget): Histogram {
  const bounds = metric?.facts.buckets ?? []
  return {
    observe(labels, value) {
      const series = metric && seriesOf(metric, labels, budget)
      if (series !== undefined) record(series, bounds, value)
    },
    withLabelValues(labels) {
      let series: Series | undefined
      return (value) => {
        series ??= metric && seriesOf(metric, labels, budget)
        if (series !== undefined) record(series, bounds, value)
      }
    },
  }
}

function record(series: Series, bounds: readonly number[], value: number): void {
  const { buckets } = series
  if (buckets === undefined) return
  let at = 0
  while (at < bounds.length && value > (bounds[at] as number)) at++
  buckets[at] = (buckets[at] ?? 0) + 1
  series.value += value
  series.count++
}

function seriesOf(metric: Metric, given: LabelValues, budget: Budget): Series | undefined {
  const { last, labelFilter: bound } = metric
  const labels = bound === undefined ? given : bound(given)
  if (last !== undefined && sameLabels(last.labels, labels)) return last
  metric.last = keyedSeriesOf(metric, labels, budget)
  return metric.last
}

function sameLabels(a: LabelValues, b: LabelValues): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

function keyedSeriesOf(
  { facts, series }: Metric,
  labels: LabelValues,
  budget: Budget,
): Series | undefined {
  const key = labels.join('\n')
  const found = series.get(key)
  if (found !== undefined) return found
  invariant(labels.length === facts.labels.length, `${facts.name} has other labels`)
  if (budget.left === 0) return undefined
  budget.left--
  const empty: Series = {
    labels,
    value: 0,
    count: 0,
    ...(facts.buckets && { buckets: new Array<number>(facts.buckets.length + 1).fill(0) }),
  }
  series.set(key, empty)
  return empty
}

/** Counts the metrics themselves where the facts have a name for that. */
function countThemselves(
  known: ReadonlyMap<string, Metric>,
  { hidden, disabled }: Pick<VisibleMetrics, 'hidden' | 'disabled'>,
  budget: Budget,
): void {
  const registered = counterOf(known.get('registered_metrics_total'), budget)
  for (const { facts } of known.values()) {
    registered.add([facts.stability, facts.deprecated ?? ''])
  }
  counterOf(known.get('hidden_metrics_total'), budget).add([], hidden.size)
  counterOf(known.get('disabled_metrics_total'), budget).add([], disabled.size)
}
