/** The text formats of metrics: Prometheus 0.0.4, and OpenMetrics 1.0.0 for scrapers that ask for it. */
import type { ExpositionFormat } from './metrics-contract.ts'
import type { Metric, Series } from './series.ts'

/** The content type of each format. */
export const expositionTypes: Readonly<Record<ExpositionFormat, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

/**
 * Families sorted by name, each with its help and type, then its series. A metric without series is left out, as the
 * public servers do.
 */
export function printMetrics(metrics: readonly Metric[], format: ExpositionFormat): string {
  const sorted = [...metrics]
    .filter(({ series }) => series.size > 0)
    .sort((a, b) => (a.facts.name < b.facts.name ? -1 : 1))
  const families = sorted.map((metric) => printFamily(metric, format))
  return `${families.join('')}${format === 'openmetrics' ? '# EOF\n' : ''}`
}

/** In OpenMetrics the family of a counter is named without `_total`; its samples have it in both formats. */
function printFamily({ facts, series }: Metric, format: ExpositionFormat): string {
  const { name, type, stability, help } = facts
  const counter = format === 'openmetrics' && type === 'counter'
  const family = counter ? name.replace(/_total$/, '') : name
  const head = `# HELP ${family} [${stability}] ${escapeHelp(help)}\n# TYPE ${family} ${type}\n`
  const sample = counter ? `${family}_total` : name
  const lines = [...series.values()].flatMap((one) =>
    type === 'histogram'
      ? histogramLines(name, facts.labels, facts.buckets ?? [], one)
      : [sampleLine(sample, labelPairs(facts.labels, one), one.value)],
  )
  return head + lines.join('')
}

/** Buckets are cumulative on the wire; `le` is the last label. */
function histogramLines(
  name: string,
  labels: readonly string[],
  bounds: readonly number[],
  one: Series,
): readonly string[] {
  const pairs = labelPairs(labels, one)
  let sum = 0
  const buckets = [...bounds.map(String), '+Inf'].map((bound, at) => {
    sum += one.buckets?.[at] ?? 0
    return sampleLine(`${name}_bucket`, [...pairs, `le="${bound}"`], sum)
  })
  return [
    ...buckets,
    sampleLine(`${name}_sum`, pairs, one.value),
    sampleLine(`${name}_count`, pairs, one.count),
  ]
}

function labelPairs(labels: readonly string[], { labels: values }: Series): readonly string[] {
  return labels.map((label, at) => `${label}="${escapeValue(values[at] ?? '')}"`)
}

function sampleLine(name: string, labels: readonly string[], value: number): string {
  return `${name}${labels.length === 0 ? '' : `{${labels.join(',')}}`} ${value}\n`
}

function escapeValue(text: string): string {
  return text.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`))
}

function escapeHelp(text: string): string {
  return text.replace(/[\\\n]/g, (char) => (char === '\n' ? '\\n' : '\\\\'))
}
