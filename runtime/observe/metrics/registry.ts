import type { MetricFacts } from '../../kernel/descriptors/metric-facts.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import { printMetrics } from './exposition.ts'
import { merged } from './merging.ts'
import type { Counter, Gauge, Histogram, Metrics, MetricsOptions } from './metrics-contract.ts'
import {
  clearSeries,
  createMetric,
  type Metric,
  recordObservation,
  type SeriesBudget,
  seriesOf,
} from './series.ts'
import { type VisibleMetrics, visibleMetrics } from './visibility.ts'

/** How many series all metrics of a registry may have together. */
const maxSeries = 20_000

/** The metrics of one server, by the table that the schema declares. */
export function createMetrics(facts: readonly MetricFacts[], options: MetricsOptions): Metrics {
  const { shown, hidden, disabled } = visibleMetrics(facts, options)
  const known = new Map(shown.map((each) => [each.name, createMetric(each, options.allowed)]))
  const collectors: (() => void)[] = []
  const budget = { left: maxSeries }
  const find = (name: string, type: MetricFacts['type']): Metric | undefined => {
    const metric = known.get(name)
    const silent = hidden.has(name) || disabled.has(name)
    invariant(metric !== undefined || silent, `${name} is not in the table of metrics`)
    invariant(metric === undefined || metric.facts.type === type, `${name} is no ${type}`)
    return metric
  }
  countMetrics(known, { hidden, disabled }, budget)
  return {
    counter: (name) => counterOf(find(name, 'counter'), budget),
    gauge: (name) => gaugeOf(find(name, 'gauge'), budget),
    histogram: (name) => histogramOf(find(name, 'histogram'), budget),
    onCollect: (run) => void collectors.push(run),
    text(format, only = () => true, others = []) {
      for (const run of collectors) run()
      const chosen = [...known.values()].filter((each) => only(each.facts.name))
      return printMetrics(
        others.length === 0 ? chosen : chosen.map((each) => merged(each, others)),
        format,
      )
    },
    values() {
      for (const run of collectors) run()
      return new Map([...known].map(([name, { series }]) => [name, [...series.values()]]))
    },
  }
}

/** Metrics that record nothing, for a server whose scheme declares none. */
export function noMetrics(): Metrics {
  const nothing = { add() {}, set() {}, clear() {}, observe() {}, withLabelValues: () => () => {} }
  return {
    counter: () => nothing,
    gauge: () => nothing,
    histogram: () => nothing,
    onCollect() {},
    text: (format) => printMetrics([], format),
    values: () => new Map(),
  }
}

function counterOf(metric: Metric | undefined, budget: SeriesBudget): Counter {
  return {
    add(labels, by = 1) {
      const series = metric && seriesOf(metric, labels, budget)
      if (series !== undefined) series.value += by
    },
  }
}

function gaugeOf(metric: Metric | undefined, budget: SeriesBudget): Gauge {
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
      if (metric !== undefined) clearSeries(metric, budget)
    },
  }
}

function histogramOf(metric: Metric | undefined, budget: SeriesBudget): Histogram {
  const bounds = metric?.facts.buckets ?? []
  return {
    observe(labels, value) {
      const series = metric && seriesOf(metric, labels, budget)
      if (series !== undefined) recordObservation(series, bounds, value)
    },
    withLabelValues(labels) {
      let series: ReturnType<typeof seriesOf>
      return (value) => {
        series ??= metric && seriesOf(metric, labels, budget)
        if (series !== undefined) recordObservation(series, bounds, value)
      }
    },
  }
}

/** Counts the metrics themselves, where the table has metrics for that. */
function countMetrics(
  known: ReadonlyMap<string, Metric>,
  { hidden, disabled }: Pick<VisibleMetrics, 'hidden' | 'disabled'>,
  budget: SeriesBudget,
): void {
  const registered = counterOf(known.get('registered_metrics_total'), budget)
  for (const { facts } of known.values()) {
    registered.add([facts.stability, facts.deprecated ?? ''])
  }
  counterOf(known.get('hidden_metrics_total'), budget).add([], hidden.size)
  counterOf(known.get('disabled_metrics_total'), budget).add([], disabled.size)
}
