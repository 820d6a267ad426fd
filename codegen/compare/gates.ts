/** Rules 7 to 10 about feature gates and the behaviours behind them: their histories only grow, and end late. */
import type { FeatureRelease } from '../../runtime/kernel/descriptors/feature-gate.ts'
import type { FeatureFacts } from '../schema/ir.ts'
import {
  type ApiPair,
  type Comparison,
  type ReportBreakingChange,
  type RuleId,
  startOfFile,
} from './breaking-change.ts'
import { type Lifetime, minorOf, printLifetime, releasesBetween, releasesOf } from './release.ts'
import { isLessStable, type Stage } from './stability.ts'

/** How long a gate is accepted after the stage that its last release brought, by where it came from. */
export const gateLifetimes = {
  /** Rule 7: a gate that was never more than deprecated brings an old behaviour back. */
  behaviour: { months: 12, releases: 0 },
  /** Rule 9: beta to GA. */
  finished: { months: 6, releases: 2 },
  /** Rule 9: beta to the end of its life. */
  betaEnded: { months: 3, releases: 1 },
  /** Rule 9: alpha to the end of its life. */
  alphaEnded: { months: 0, releases: 0 },
} as const satisfies Readonly<Record<string, Lifetime>>

/** Looks at each gate of the tree before. */
export const compareGates: Comparison = (pair, tell) => {
  const after = new Map(own(pair.after.features).map((feature) => [feature.gate, feature]))
  for (const feature of own(pair.before.features)) {
    const now = after.get(feature.gate)
    if (now === undefined) checkGone(feature, pair, tell)
    else {
      checkHistory(feature, now, pair, tell)
      checkDeprecated(feature, now, pair, tell)
    }
  }
}

function own(features: readonly FeatureFacts[]): readonly FeatureFacts[] {
  return features.filter(({ external }) => !external)
}

function checkGone(feature: FeatureFacts, pair: ApiPair, tell: ReportBreakingChange): void {
  const last = feature.releases.at(-1)
  if (last === undefined) return
  const { rule, lifetime } = endOf(feature)
  const say = (why: string) => {
    const message = `the gate ${feature.gate} is gone: ${why}`
    tell({ rule, message, before: feature.at, after: startOfFile('features.yaml') })
  }
  if (last.stage === 'Beta') say('a beta gate is deprecated first, or goes on to GA')
  else if (releasesBetween(last.since, pair.after.platform.release) < releasesOf(lifetime)) {
    say(`it must be accepted for ${printLifetime(lifetime)} after ${last.since}`)
  }
}

/** The rule and lifetime that hold for the end of a gate. */
function endOf({ releases }: FeatureFacts): { readonly rule: RuleId; readonly lifetime: Lifetime } {
  const stages = releases.map(({ stage }) => stage)
  const { behaviour, finished, betaEnded, alphaEnded } = gateLifetimes
  if (stages.includes('GA')) return { rule: 'rule-9', lifetime: finished }
  if (stages.includes('Beta')) return { rule: 'rule-9', lifetime: betaEnded }
  if (stages.includes('Alpha')) return { rule: 'rule-9', lifetime: alphaEnded }
  return { rule: 'rule-7', lifetime: behaviour }
}

/** What a gate was in releases up to the one before stays written; what is new is not dated back. */
function checkHistory(
  was: FeatureFacts,
  is: FeatureFacts,
  { before }: ApiPair,
  tell: ReportBreakingChange,
): void {
  const release = before.platform.release
  const past = (each: FeatureRelease): boolean => releasesBetween(each.since, release) > 0
  const say = (message: string, after = is.at) =>
    tell({ rule: 'rule-9', message: `the gate ${is.gate} ${message}`, before: was.at, after })
  for (const each of was.releases.filter(past)) {
    const now = is.releases.find(({ since }) => since === each.since)
    if (now === undefined) say(`was ${each.stage} in ${each.since}, which is left out now`)
    else if (printRelease(now) !== printRelease(each)) {
      say(`was ${printRelease(each)} in ${each.since}, not ${printRelease(now)}`, now.at)
    }
  }
  for (const each of is.releases.filter(past)) {
    if (was.releases.some(({ since }) => since === each.since)) continue
    say(
      `cannot have become ${each.stage} in ${each.since}: ${minorOf(release)} did not say so`,
      each.at,
    )
  }
}

function printRelease({ stage, default: on, locked }: FeatureRelease): string {
  return `${stage}, ${on ? 'on' : 'off'}${locked === true ? ' and locked' : ''}`
}

/** Rules 8 and 10 about a gate that the tree after deprecates: GA does that too. */
function checkDeprecated(
  was: FeatureFacts,
  is: FeatureFacts,
  { after }: ApiPair,
  tell: ReportBreakingChange,
): void {
  const [from, to] = [was.releases.at(-1), is.releases.at(-1)]
  if (from === undefined || to === undefined || from.stage === to.stage) return
  const say = (rule: RuleId, message: string) =>
    tell({ rule, message: `the gate ${is.gate} ${message}`, before: was.at, after: to.at })
  if ((to.stage === 'GA' || to.stage === 'Deprecated') && to.locked === undefined) {
    say(
      'rule-10',
      `must say whether it can still be set: "locked" is missing where it becomes ${to.stage}`,
    )
  }
  if (to.stage !== 'Deprecated' || from.stage === 'Deprecated') return
  const other = after.features.find(({ gate }) => gate === is.replacement)
  const stage = other?.releases.at(-1)?.stage
  if (other === undefined || stage === undefined) return
  if (stage === 'Deprecated' || isLessStable(stage, from.stage as Stage)) {
    say('rule-8', `cannot give way to ${other.gate}, which is only ${stage}`)
  }
}
