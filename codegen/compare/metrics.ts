/** Rules 11a and 11b about metrics: what dashboards and alerts are written against. */
import {
  daemonsServing,
  type MetricStability,
} from '../../runtime/kernel/descriptors/metric-facts.ts'
import type { MetricHistory, WithPosition } from '../schema/ir.ts'
import { wholeFile } from '../schema/position.ts'
import type { ApiPair, Comparison, ReportBreakingChange, RuleId } from './breaking-change.ts'
import { type Lifetime, minorOf, printLifetime, releasesBetween, releasesOf } from './release.ts'
import { missing } from './resources.ts'

/** Rule 11a: how long a metric exists at least, from the release that introduced it. */
export const metricLifetimes: Readonly<Record<MetricStability, Lifetime>> = {
  STABLE: { months: 12, releases: 4 },
  BETA: { months: 8, releases: 2 },
  ALPHA: { months: 0, releases: 0 },
}

/** Rule 11b: how long it is shown after the release that announced its deprecation. */
export const shownLifetimes: Readonly<Record<MetricStability, Lifetime>> = {
  STABLE: { months: 9, releases: 3 },
  BETA: { months: 4, releases: 1 },
  ALPHA: { months: 0, releases: 0 },
}

/** A stable metric is then hidden for one release, in which a flag still shows it. */
const hiddenReleases = 1

/** A metric may rise in rank at any time, and never fall. */
const ranks: Readonly<Record<MetricStability, number>> = { ALPHA: 0, BETA: 1, STABLE: 2 }

/** Compares each metric that the tree before has. */
export const compareMetrics: Comparison = (pair, report) => {
  const after = new Map(pair.after.metrics.map((metric) => [metric.name, metric]))
  for (const metric of pair.before.metrics) {
    const now = after.get(metric.name)
    if (now === undefined) checkGone(metric, pair, report)
    else {
      checkChange(metric, now, report)
      checkDeprecation(metric, now, pair, report)
    }
  }
}

/** Rules 11a and 11b: a metric above ALPHA is deprecated first, and goes when both of its lifetimes are over. */
function checkGone(
  metric: WithPosition<MetricHistory>,
  { before, after }: ApiPair,
  report: ReportBreakingChange,
): void {
  const { name, stability, deprecated } = metric
  if (stability === 'ALPHA') return
  const say = (rule: RuleId, why: string) =>
    report({
      rule,
      message: `the metric ${name} is gone: ${why}`,
      before: metric.at,
      after: wholeFile('metrics.yaml'),
    })
  const now = after.platform.release
  if (deprecated === undefined) say('rule-11b', `a ${stability} metric is deprecated first`)
  else {
    const grace =
      releasesOf(shownLifetimes[stability]) + (stability === 'STABLE' ? hiddenReleases : 0)
    if (releasesBetween(deprecated, now) < grace) {
      say(
        'rule-11b',
        `it is deleted ${grace} releases after its deprecation in ${deprecated} at the earliest`,
      )
    }
  }
  const since = metric.since ?? deprecated ?? minorOf(before.platform.release)
  if (releasesBetween(since, now) < releasesOf(metricLifetimes[stability])) {
    say(
      'rule-11a',
      `it must be there for ${printLifetime(metricLifetimes[stability])} from ${since} on`,
    )
  }
}

/** Rule 11a: a metric keeps its type, its labels and where it is served; a BETA one may get more labels. */
function checkChange(
  was: WithPosition<MetricHistory>,
  is: WithPosition<MetricHistory>,
  report: ReportBreakingChange,
): void {
  if (was.stability === 'ALPHA') return
  const say = (message: string) =>
    report({
      rule: 'rule-11a',
      message: `the metric ${was.name} ${message}`,
      before: was.at,
      after: is.at,
    })
  if (was.type !== is.type) say(`changes its type from ${was.type} to ${is.type}`)
  if (ranks[is.stability] < ranks[was.stability]) {
    say(`goes from ${was.stability} back to ${is.stability}`)
  }
  for (const label of missing(was.labels, is.labels)) say(`loses its label "${label}"`)
  for (const daemon of missing(daemonsServing(was), daemonsServing(is)))
    say(`is gone from the ${daemon}`)
  if (was.stability !== 'STABLE') return
  for (const label of missing(is.labels, was.labels)) say(`gets another label "${label}"`)
  if (JSON.stringify(was.buckets) !== JSON.stringify(is.buckets)) say('changes its buckets')
}

/** Rule 11b counts from the announcement: it is not dated before the tree that did not have it. */
function checkDeprecation(
  was: WithPosition<MetricHistory>,
  is: WithPosition<MetricHistory>,
  { before }: ApiPair,
  report: ReportBreakingChange,
): void {
  const { deprecated } = is
  if (deprecated === undefined || deprecated === was.deprecated || was.stability === 'ALPHA') return
  const release = minorOf(before.platform.release)
  if (releasesBetween(deprecated, release) <= 0) return
  const message = `the metric ${is.name} cannot have been deprecated in ${deprecated}: ${release} did not say so`
  report({ rule: 'rule-11b', message, before: was.at, after: is.at })
}
