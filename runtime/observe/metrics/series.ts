import type { MetricFacts } from '../../kernel/descriptors/metric-facts.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import { type LabelAllowList, type LabelFilter, labelFilterOf } from './label-allow-list.ts'
import type { LabelValues } from './metrics-contract.ts'

/** One combination of label values and what was recorded under it. */
export interface Series {
  readonly labels: LabelValues
  /** The total of a counter, the value of a gauge, or the sum of a histogram's observations. */
  value: number
  /** Observations by bucket, not cumulative, the infinite bucket last; only for histograms. */
  readonly buckets?: number[]
  /** The number of observations; only for histograms. */
  count: number
}

/** A metric with the series that it has so far. */
export interface Metric {
  readonly facts: MetricFacts
  readonly series: Map<string, Series>
  readonly labelFilter?: LabelFilter
  /** The series of the last value: most often it is the next one's too, and is found without making a key. */
  last?: Series | undefined
}

/** How many more series a registry may keep. */
export interface SeriesBudget {
  left: number
}

/** A metric without any series. */
export function createMetric(facts: MetricFacts, allowed: LabelAllowList | undefined): Metric {
  const labelFilter = labelFilterOf(facts, allowed)
  return { facts, series: new Map(), ...(labelFilter && { labelFilter }) }
}

/** The series of these label values, made if there is none; undefined when the budget is spent. */
export function seriesOf(
  metric: Metric,
  values: LabelValues,
  budget: SeriesBudget,
): Series | undefined {
  const { last, labelFilter } = metric
  const labels = labelFilter === undefined ? values : labelFilter(values)
  if (last !== undefined && sameLabels(last.labels, labels)) return last
  metric.last = seriesByKey(metric, labels, budget)
  return metric.last
}

function sameLabels(a: LabelValues, b: LabelValues): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

function seriesByKey(
  { facts, series }: Metric,
  labels: LabelValues,
  budget: SeriesBudget,
): Series | undefined {
  const key = labels.join('\n')
  const known = series.get(key)
  if (known !== undefined) return known
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

/** Removes every series of a metric and returns their number to the budget. */
export function clearSeries(metric: Metric, budget: SeriesBudget): void {
  budget.left += metric.series.size
  metric.series.clear()
  metric.last = undefined
}

/** Records an observation in the first bucket whose upper bound is not below it. */
export function recordObservation(
  series: Series,
  bounds: readonly number[],
  observed: number,
): void {
  const { buckets } = series
  if (buckets === undefined) return
  let at = 0
  while (at < bounds.length && observed > (bounds[at] as number)) at++
  buckets[at] = (buckets[at] ?? 0) + 1
  series.value += observed
  series.count++
}
