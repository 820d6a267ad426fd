/** Rules 3 and 4a about what `removals.yaml` announces. A row that did not change was judged when it was added. */

import type { VersionRemoval } from '../../runtime/kernel/descriptors/scheme.ts'
import { apiVersionOf } from '../../runtime/kernel/meta/object.ts'
import type { WithPosition } from '../schema/ir.ts'
import type { ApiPair, Comparison, ReportBreakingChange } from './breaking-change.ts'
import { betaLifetime } from './kinds.ts'
import { majorAdvances, minorOf, printLifetime, releasesBetween, releasesOf } from './release.ts'
import { matchingRemoval, positionOf } from './resources.ts'
import { isLessStable, mayReplace, stageOf } from './stability.ts'

/** Compares the rows that are new or changed. */
export const compareRemovals: Comparison = (pair, report) => {
  for (const row of pair.after.removals) {
    const was = matchingRemoval(pair.before, row)
    if (was !== undefined && printRemoval(was) === printRemoval(row)) continue
    checkReplacement(row, pair, report)
    checkAges(row, was, pair, report)
  }
}

/** Rule 3: a version is replaced by one that is at least as stable. */
function checkReplacement(
  row: WithPosition<VersionRemoval>,
  { before }: ApiPair,
  report: ReportBreakingChange,
): void {
  if (row.replacement === undefined) return
  const steps = row.replacement.split('/')
  const by = steps.pop() ?? ''
  const fits =
    steps.join('/') === row.group
      ? mayReplace(by, row.version)
      : !isLessStable(stageOf(by), stageOf(row.version))
  if (fits) return
  const message = `${apiVersionOf(row)} cannot give way to ${row.replacement}: a version is replaced by one that is as stable`
  report({ rule: 'rule-3', message, before: positionIn(before, row), after: row.at })
}

/** Rule 4a: the dates of a row leave a released version its lifetime, and its deprecation is not dated back. */
function checkAges(
  row: WithPosition<VersionRemoval>,
  was: VersionRemoval | undefined,
  { before }: ApiPair,
  report: ReportBreakingChange,
): void {
  const { deprecated, removed, at } = row
  const place = { before: positionIn(before, row), after: at }
  const say = (message: string) =>
    report({ rule: 'rule-4a', message: `${apiVersionOf(row)} ${message}`, ...place })
  const stage = stageOf(row.version)
  const inBefore = before.types.some((type) => apiVersionOf(type) === apiVersionOf(row))
  if (stage === 'Alpha' || !inBefore) return
  if (stage === 'GA' && !majorAdvances(before.platform.release, removed)) {
    say(`is stable: it cannot be removed in ${removed}, within the major version`)
  }
  if (deprecated === undefined) return
  if (stage === 'Beta' && releasesBetween(deprecated, removed) < releasesOf(betaLifetime)) {
    say(
      `cannot be removed in ${removed}: it must be served for ${printLifetime(betaLifetime)} after ${deprecated}`,
    )
  }
  const fresh = was?.deprecated !== deprecated
  if (fresh && releasesBetween(deprecated, before.platform.release) > 0) {
    say(
      `cannot have been deprecated in ${deprecated}: ${minorOf(before.platform.release)} did not say so`,
    )
  }
}

/** Where a tree says something about the version of a row, or would. */
function positionIn(api: ApiPair['before'], row: VersionRemoval): ReturnType<typeof positionOf> {
  const [kind = ''] = Object.values(row.resources)
  return positionOf(api, { ...row, kind })
}

/** A row that only moved within its file is the same row. */
function printRemoval({ at: _, ...row }: WithPosition<VersionRemoval>): string {
  return JSON.stringify(row)
}
