/**
 * Which metrics of a table a process shows, by their age and by what its command line says (document 1, section 9). What is
 * not shown is counted nowhere.
 */
import { type Daemon, isServedBy, type MetricFacts } from '../../kernel/descriptors/metric-facts.ts'

export interface VisibilityOptions {
  /** The described release: decides which deprecated metrics are hidden. */
  readonly release: string
  /** The program that serves them. Default: the API server. */
  readonly daemon?: Daemon
  /** Shows those that the release before this one still showed: the value of --show-hidden-metrics-for-version. */
  readonly showHiddenFor?: string
  /** Names that are not shown whatever else is said: the value of --disabled-metrics. */
  readonly disabled?: readonly string[]
  /** Hears of each deprecated metric that is shown. */
  readonly onDeprecated?: (name: string, release: string) => void
}

/** A table of metrics as one process has them. */
export interface VisibleMetrics {
  readonly shown: readonly MetricFacts[]
  readonly hidden: ReadonlySet<string>
  readonly disabled: ReadonlySet<string>
}

/** Releases between deprecation and hiding. */
const grace = 3

/** Divides the metrics of a table that the process serves into those that are shown, hidden and disabled. */
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

/** A deprecated metric says so where it is described, and once in the log. */
function withDeprecationNotice(facts: MetricFacts, options: VisibilityOptions): MetricFacts {
  const { name, deprecated, help } = facts
  if (deprecated === undefined || ageOf(facts, options) < 0) return facts
  options.onDeprecated?.(name, deprecated)
  return { ...facts, help: `(Deprecated from ${deprecated}) ${help}` }
}

/**
 * Hidden three releases after its deprecation. For one release the option shows it; then it is as good as deleted, whether
 * its row is still in the table or not.
 */
function isHidden(facts: MetricFacts, options: VisibilityOptions): boolean {
  const age = ageOf(facts, options)
  const shown = (options.showHiddenFor ?? '') !== '' && age === grace
  return age >= grace && !shown
}

/**
 * Releases since the deprecation: less than none for what is not deprecated, or will be in a release to come; all there are
 * for what an earlier major version did.
 */
function ageOf({ deprecated }: MetricFacts, { release }: VisibilityOptions): number {
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
