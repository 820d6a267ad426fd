import type { MetricFacts } from '../../kernel/descriptors/metric-facts.ts'
import type { MetricValues, RecordedSeries } from './metrics-contract.ts'
import type { Metric, Series } from './series.ts'

/** A metric as it would be if one process had recorded what several did. */
export function merged(metric: Metric, others: readonly MetricValues[]): Metric {
  const all = new Map<string, Series>()
  for (const [key, series] of metric.series) all.set(key, copyOf(series))
  for (const other of others) {
    for (const recorded of other.get(metric.facts.name) ?? []) {
      const key = recorded.labels.join('\n')
      const known = all.get(key)
      if (known === undefined) all.set(key, copyOf(recorded))
      else add(known, recorded, metric.facts)
    }
  }
  return { ...metric, series: all }
}

function copyOf(series: RecordedSeries): Series {
  const { labels, value, count, buckets } = series
  return { labels, value, count, ...(buckets && { buckets: [...buckets] }) }
}

function add(to: Series, { value, count, buckets = [] }: RecordedSeries, facts: MetricFacts): void {
  to.count += count
  for (const [at, observations] of buckets.entries()) {
    if (to.buckets !== undefined) to.buckets[at] = (to.buckets[at] ?? 0) + observations
  }
  if (facts.acrossProcesses === 'most') to.value = Math.max(to.value, value)
  else if (facts.acrossProcesses === 'least') to.value = Math.min(to.value, value)
  else to.value += value
}
