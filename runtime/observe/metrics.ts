import { invariant } from '../kernel/invariant.ts'
import type { MetricFacts } from '../kernel/metrics.ts'
import { type Format, printMetrics } from './exposition.ts'

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
  text(format: Format, only?: (name: string) => boolean): string
}

export interface MetricsOptions {
  /** The described release: decides which deprecated metrics are hidden. */
  readonly release: string
  /** Shows those that the release before this one still showed: the value of --show-hidden-metrics-for-version. */
  readonly showHiddenFor?: string
  /** Hears of each deprecated metric that is registered. */
  readonly onDeprecated?: (name: string, release: string) => void
}

/** Releases between deprecation and hiding. */
const grace = 3
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
  /** The one that was counted in last: most often it is the next one too, and found without a key being made. */
  last?: Series | undefined
}

export function createMetrics(facts: readonly MetricFacts[], options: MetricsOptions): Metrics {
  const known = new Map<string, Metric>()
  const hidden = new Set<string>()
  const collectors: (() => void)[] = []
  for (const each of facts) {
    if (isHidden(each, options)) hidden.add(each.name)
    else known.set(each.name, { facts: described(each, options), series: new Map() })
    if (isDeprecated(each, options) && !hidden.has(each.name)) {
      options.onDeprecated?.(each.name, each.deprecated ?? '')
    }
  }
  const budget = { left: maxSeries }
  const find = (name: string, type: MetricFacts['type']): Metric | undefined => {
    const metric = known.get(name)
    invariant(metric !== undefined || hidden.has(name), `${name} is not in the table of metrics`)
    invariant(metric === undefined || metric.facts.type === type, `${name} is no ${type}`)
    return metric
  }
  countRegistered(known, hidden, budget)
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

/** Metrics that count nothing, for a server whose tree names none. */
export function noMetrics(): Metrics {
  const nothing = { add() {}, set() {}, clear() {}, observe() {} }
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
      if (series?.buckets === undefined) return
      let at = 0
      while (at < bounds.length && value > (bounds[at] as number)) at++
      series.buckets[at] = (series.buckets[at] ?? 0) + 1
      series.value += value
      series.count++
    },
  }
}

function seriesOf(metric: Metric, labels: LabelValues, budget: Budget): Series | undefined {
  const { last } = metric
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

/** A deprecated metric says so where it is described. */
function described(facts: MetricFacts, options: MetricsOptions): MetricFacts {
  return isDeprecated(facts, options)
    ? { ...facts, help: `(Deprecated from ${facts.deprecated}) ${facts.help}` }
    : facts
}

/** A deprecation that a later release will bring is none yet. */
function isDeprecated(facts: MetricFacts, options: MetricsOptions): boolean {
  return ageOf(facts, options) >= 0
}

/**
 * Hidden three releases after its deprecation. For one release the option shows it; then it is as good as deleted, whether
 * its row is still in the table or not.
 */
function isHidden(facts: MetricFacts, options: MetricsOptions): boolean {
  const age = ageOf(facts, options)
  const shown = (options.showHiddenFor ?? '') !== '' && age === grace
  return age >= grace && !shown
}

/** Releases since the deprecation: none for what is not deprecated, all there are for what an earlier major version did. */
function ageOf({ deprecated }: MetricFacts, { release }: MetricsOptions): number {
  if (deprecated === undefined) return Number.NEGATIVE_INFINITY
  const majors = major(release) - major(deprecated)
  return majors === 0 ? minor(release) - minor(deprecated) : majors * Number.POSITIVE_INFINITY
}

/** What is wrong with a value of --show-hidden-metrics-for-version: only the release before this one has any to show. */
export function showHiddenProblem(value: string, release: string): string | undefined {
  const previous = `${major(release)}.${minor(release) - 1}`
  if (value === '' || value === previous) return undefined
  return `--show-hidden-metrics-for-version must be left out or ${previous}, the release before this one`
}

function major(release: string): number {
  return Number(release.split('.')[0])
}

function minor(release: string): number {
  return Number(release.split('.')[1])
}

/** Counts the metrics themselves where the facts have a name for that. */
function countRegistered(
  known: ReadonlyMap<string, Metric>,
  hidden: ReadonlySet<string>,
  budget: Budget,
): void {
  const registered = counterOf(known.get('registered_metrics_total'), budget)
  for (const { facts } of known.values()) {
    registered.add([facts.stability, facts.deprecated ?? ''])
  }
  counterOf(known.get('hidden_metrics_total'), budget).add([], hidden.size)
}
