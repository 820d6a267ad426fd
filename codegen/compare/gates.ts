/**
 * Rules 7 to 10 about feature gates: their histories only grow, and a gate is accepted for a time after its last stage.
 */
import type { FeatureRelease } from '../../runtime/kernel/descriptors/feature-gate.ts'
import type { FeatureFacts } from '../schema/ir.ts'
import { wholeFile } from '../schema/position.ts'
import type { ApiPair, Comparison, ReportBreakingChange, RuleId } from './breaking-change.ts'
import { type Lifetime, minorOf, printLifetime, releasesBetween, releasesOf } from './release.ts'
import { isLessStable, type Stage } from './stability.ts'

/** How long a gate is accepted after its last stage began, by how far it had come. */
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

/** Compares each gate that the tree before has. */
export const compareGates: Comparison = (pair, report) => {
  const after = new Map(own(pair.after.features).map((feature) => [feature.gate, feature]))
  for (const feature of own(pair.before.features)) {
    const now = after.get(feature.gate)
    if (now === undefined) checkGone(feature, pair, report)
    else {
      checkHistory(feature, now, pair, report)
      checkDeprecated(feature, now, pair, report)
    }
  }
}

/** The gates that a tree declares itself, not those of the root that it refers to. */
function own(features: readonly FeatureFacts[]): readonly FeatureFacts[] {
  return features.filter(({ external }) => !external)
}

/** Rules 7 and 9: a gate goes only after its lifetime, and a beta gate not at all before it is deprecated or GA. */
function checkGone(feature: FeatureFacts, pair: ApiPair, report: ReportBreakingChange): void {
  const last = feature.releases.at(-1)
  if (last === undefined) return
  const { rule, lifetime } = endOf(feature)
  const say = (why: string) => {
    const message = `the gate ${feature.gate} is gone: ${why}`
    report({ rule, message, before: feature.at, after: wholeFile('features.yaml') })
  }
  if (last.stage === 'Beta') say('a beta gate is deprecated first, or goes on to GA')
  else if (releasesBetween(last.since, pair.after.platform.release) < releasesOf(lifetime)) {
    say(`it must be accepted for ${printLifetime(lifetime)} after ${last.since}`)
  }
}

/** The rule and the lifetime that hold for the end of a gate. */
function endOf({ releases }: FeatureFacts): { readonly rule: RuleId; readonly lifetime: Lifetime } {
  const stages = releases.map(({ stage }) => stage)
  const { behaviour, finished, betaEnded, alphaEnded } = gateLifetimes
  if (stages.includes('GA')) return { rule: 'rule-9', lifetime: finished }
  if (stages.includes('Beta')) return { rule: 'rule-9', lifetime: betaEnded }
  if (stages.includes('Alpha')) return { rule: 'rule-9', lifetime: alphaEnded }
  return { rule: 'rule-7', lifetime: behaviour }
}

/** Rule 9: releases up to the tree before stay as written, and none is added to them later. */
function checkHistory(
  was: FeatureFacts,
  is: FeatureFacts,
  { before }: ApiPair,
  report: ReportBreakingChange,
): void {
  const release = before.platform.release
  const past = (each: FeatureRelease): boolean => releasesBetween(each.since, release) > 0
  const say = (message: string, after = is.at) =>
    report({ rule: 'rule-9', message: `the gate ${is.gate} ${message}`, before: was.at, after })
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

/** Such as `GA, on and locked`: two releases are the same if they print the same. */
function printRelease({ stage, default: on, locked }: FeatureRelease): string {
  return `${stage}, ${on ? 'on' : 'off'}${locked === true ? ' and locked' : ''}`
}

/**
 * Rules 8 and 10 about a gate that the tree after brings to GA or deprecates: it says whether it is locked, and its
 * replacement is as stable as it was.
 */
function checkDeprecated(
  was: FeatureFacts,
  is: FeatureFacts,
  { after }: ApiPair,
  report: ReportBreakingChange,
): void {
  const [from, to] = [was.releases.at(-1), is.releases.at(-1)]
  if (from === undefined || to === undefined || from.stage === to.stage) return
  const say = (rule: RuleId, message: string) =>
    report({ rule, message: `the gate ${is.gate} ${message}`, before: was.at, after: to.at })
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
