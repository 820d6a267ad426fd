/** Rules 3 and 4a about what the table of removals announces: rows that are as they were were judged then. */
import { apiVersionOf } from '../../runtime/kernel/object.ts'
import type { Removal } from '../../runtime/kernel/tree.ts'
import type { Placed } from '../schema/ir.ts'
import type { Comparison, Pair, Tell } from './breach.ts'
import { betaLifetime } from './kinds.ts'
import { majorAdvances, minorOf, printLifetime, releasesBetween, releasesOf } from './release.ts'
import { placeOf, sameRow } from './resources.ts'
import { isLessStable, mayReplace, stageOf } from './stability.ts'

/** Looks at the rows that are new or were changed. */
export const compareRemovals: Comparison = (pair, tell) => {
  for (const row of pair.after.removals) {
    const was = sameRow(pair.before, row)
    if (was !== undefined && textOf(was) === textOf(row)) continue
    checkReplacement(row, pair, tell)
    checkAges(row, was, pair, tell)
  }
}

function checkReplacement(row: Placed<Removal>, { before }: Pair, tell: Tell): void {
  if (row.replacement === undefined) return
  const steps = row.replacement.split('/')
  const by = steps.pop() ?? ''
  const fits =
    steps.join('/') === row.group
      ? mayReplace(by, row.version)
      : !isLessStable(stageOf(by), stageOf(row.version))
  if (fits) return
  const message = `${apiVersionOf(row)} cannot give way to ${row.replacement}: a version is replaced by one that is as stable`
  tell({ rule: 'rule-3', message, before: placeIn(before, row), after: row.at })
}

function checkAges(
  row: Placed<Removal>,
  was: Removal | undefined,
  { before }: Pair,
  tell: Tell,
): void {
  const { deprecated, removed, at } = row
  const place = { before: placeIn(before, row), after: at }
  const say = (message: string) =>
    tell({ rule: 'rule-4a', message: `${apiVersionOf(row)} ${message}`, ...place })
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

function placeIn(api: Pair['before'], row: Removal): ReturnType<typeof placeOf> {
  const [kind = ''] = Object.values(row.resources)
  return placeOf(api, { ...row, kind })
}

function textOf({ at: _, ...row }: Placed<Removal>): string {
  return JSON.stringify(row)
}
