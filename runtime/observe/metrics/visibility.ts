/**
 * Which metrics of a table a process serves, by the deprecation policy and its command line (document 1, section 9). What
 * is not served is not counted either.
 */
import { type Daemon, isServedBy, type MetricFacts } from '../../kernel/descriptors/metric-facts.ts'

/** What decides which metrics of a table are served. */
export interface VisibilityOptions {
  /** The described release, `1.29.0`: deprecated metrics are hidden by their distance from it. */
  readonly release: string
  /** The program that serves them. Default: the API server. */
  readonly daemon?: Daemon
  /** `1.28`: shows what the release before this one still showed. The value of --show-hidden-metrics-for-version. */
  readonly showHiddenFor?: string
  /** Names of metrics that are off in any case: the value of --disabled-metrics. */
  readonly disabled?: readonly string[]
  /** Called once for each deprecated metric that is served; `release` deprecated it. */
  readonly onDeprecated?: (name: string, release: string) => void
}

/** The metrics of a table, divided by whether one process serves them. */
export interface VisibleMetrics {
  /** In the order of the table; the help of a deprecated one says so. */
  readonly shown: readonly MetricFacts[]
  /** Names of those that are too old to be shown. */
  readonly hidden: ReadonlySet<string>
  /** Names of those that the command line turns off. */
  readonly disabled: ReadonlySet<string>
}

/** Minor releases from deprecation to hiding. */
const grace = 3

/** Divides the metrics that the table declares for a daemon into those that are shown, hidden and disabled. */
export function visibleMetrics(
  table: readonly MetricFacts[],
  options: VisibilityOptions,
): VisibleMetrics {
  const off = new Set(options.disabled ?? [])
  const served = table.filter((facts) => isServedBy(facts, options.daemon ?? 'apiserver'))
  const disabled = served.filter(({ name }) => off.has(name))
  const hidden = served.filter((facts) => !off.has(facts.name) && isHidden(facts, options))
  const names = { disabled: namesOf(disabled), hidden: namesOf(hidden) }
  const shown = served
    .filter(({ name }) => !names.disabled.has(name) && !names.hidden.has(name))
    .map((facts) => withDeprecationNotice(facts, options))
  return { shown, ...names }
}

function namesOf(facts: readonly MetricFacts[]): ReadonlySet<string> {
  return new Set(facts.map(({ name }) => name))
}

/** A deprecated metric says so in its help, and once in the log. */
function withDeprecationNotice(facts: MetricFacts, options: VisibilityOptions): MetricFacts {
  const { name, deprecated, help } = facts
  if (deprecated === undefined || ageOf(facts, options) < 0) return facts
  options.onDeprecated?.(name, deprecated)
  return { ...facts, help: `(Deprecated from ${deprecated}) ${help}` }
}

/**
 * A metric is hidden three minor releases after its deprecation. During the first release in which it is hidden, the
 * option can show it; later nothing can, whether its row is still in the table or not.
 */
function isHidden(facts: MetricFacts, options: VisibilityOptions): boolean {
  const age = ageOf(facts, options)
  const shown = (options.showHiddenFor ?? '') !== '' && age === grace
  return age >= grace && !shown
}

/**
 * Minor releases since the deprecation. Negative for a metric that is not deprecated, or will be in a later release;
 * infinite if an earlier major version deprecated it.
 */
function ageOf({ deprecated }: MetricFacts, { release }: VisibilityOptions): number {
  if (deprecated === undefined) return Number.NEGATIVE_INFINITY
  const majors = major(release) - major(deprecated)
  return majors === 0 ? minor(release) - minor(deprecated) : majors * Number.POSITIVE_INFINITY
}

/**
 * The text of what is wrong with a value of --show-hidden-metrics-for-version, which can only be the release before this
 * one; undefined if nothing is.
 */
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
