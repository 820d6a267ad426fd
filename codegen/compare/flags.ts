/** Rules 5a to 6 about command lines: a flag works on after its deprecation, and says what replaces it. */
import type { OptionFacts, OptionSet, OptionStability } from '../schema/ir.ts'
import { wholeFile } from '../schema/position.ts'
import { higher, lower } from './bounds.ts'
import type { ApiPair, Comparison, ReportBreakingChange, RuleId } from './breaking-change.ts'
import { tightened } from './constraints.ts'
import { type Lifetime, minorOf, printLifetime, releasesBetween, releasesOf } from './release.ts'
import { missing } from './resources.ts'
import { isLessStable, stageOf } from './stability.ts'

/** How long a flag works after its deprecation, by its audience and by the stability that was promised. */
export const flagLifetimes: Readonly<
  Record<'admin' | 'user', Readonly<Record<OptionStability['stability'], Lifetime>>>
> = {
  user: {
    GA: { months: 12, releases: 2 },
    Beta: { months: 3, releases: 1 },
    Alpha: { months: 0, releases: 0 },
  },
  admin: {
    GA: { months: 6, releases: 1 },
    Beta: { months: 3, releases: 1 },
    Alpha: { months: 0, releases: 0 },
  },
}

/** Compares the flags of each daemon that the tree before has. */
export const compareFlags: Comparison = (pair, report) => {
  for (const set of pair.before.optionSets) {
    const now = pair.after.optionSets.find(({ daemon }) => daemon === set.daemon)
    const flags = new Map(flagsOf(now).map((option) => [option.flag, option]))
    for (const option of flagsOf(set)) {
      const is = flags.get(option.flag)
      if (is === undefined) checkGone(option, set, now, pair, report)
      else {
        checkChange(option, is, set, pair, report)
        checkDeprecation(option, is, now ?? set, pair, report)
      }
    }
    if (now !== undefined) checkConstraints(set, now, pair, report)
  }
}

/** Rule 5 about combinations of flags: a command line that was accepted is accepted. */
function checkConstraints(
  was: OptionSet,
  is: OptionSet,
  pair: ApiPair,
  report: ReportBreakingChange,
): void {
  const flags = new Map(flagsOf(was).map((option) => [option.flag, option]))
  const now = new Map(flagsOf(is).map((option) => [option.flag, option]))
  const bound = (flag: string): boolean => {
    const option = flags.get(flag)
    return option !== undefined && reasonToStay(option, was, pair) !== undefined
  }
  for (const constraint of tightened(was.constraints, is.constraints, bound)) {
    const flag =
      constraint.is === 'together' && !bound(constraint.field) ? constraint.other : constraint.field
    report({
      rule: ruleOf(was),
      message: `--${flag} of ${was.daemon} has a new constraint "${constraint.is}"`,
      before: flags.get(flag)?.at ?? wholeFile(was.file),
      after: now.get(flag)?.at ?? wholeFile(is.file),
    })
  }
}

/** Moving a flag to another section of the help is no change. */
function flagsOf(set: OptionSet | undefined): readonly OptionFacts[] {
  return set?.sections.flatMap(({ options }) => options) ?? []
}

/** The rule about the flags of a daemon: 5a where users type them, 5b where administrators do. */
function ruleOf({ audience }: OptionSet): RuleId {
  return audience === 'user' ? 'rule-5a' : 'rule-5b'
}

/** Why a flag may not go yet; undefined once its lifetime is over. */
function reasonToStay(option: OptionFacts, set: OptionSet, pair: ApiPair): string | undefined {
  const { stability, deprecatedSince } = lifeOf(option)
  const lifetime = flagLifetimes[set.audience ?? 'admin'][stability]
  if (releasesOf(lifetime) === 0) return undefined
  if (option.deprecated === undefined) return 'it was never deprecated'
  const since = deprecatedSince ?? minorOf(pair.before.platform.release)
  if (releasesBetween(since, pair.after.platform.release) >= releasesOf(lifetime)) return undefined
  return `it must work for ${printLifetime(lifetime)} after its deprecation in ${since}`
}

/** A flag that is gone must have outlived its deprecation. */
function checkGone(
  option: OptionFacts,
  set: OptionSet,
  now: OptionSet | undefined,
  pair: ApiPair,
  report: ReportBreakingChange,
): void {
  const reason = reasonToStay(option, set, pair)
  if (reason === undefined) return
  const message = `--${option.flag} of ${set.daemon} is gone: ${reason}`
  report({
    rule: ruleOf(set),
    message,
    before: option.at,
    after: wholeFile(now?.file ?? set.file),
  })
}

/** Until then its type, default, values, range, form and names stay as they are. */
function checkChange(
  was: OptionFacts,
  is: OptionFacts,
  set: OptionSet,
  pair: ApiPair,
  report: ReportBreakingChange,
): void {
  const reason = reasonToStay(was, set, pair)
  if (reason === undefined) return
  const changes = [
    ...(was.type === is.type ? [] : [`changes its type from ${was.type} to ${is.type}`]),
    ...(same(was.default, is.default)
      ? []
      : [`changes its default from ${print(was.default)} to ${print(is.default)}`]),
    ...(was.values === undefined && is.values !== undefined ? ['accepts listed values only'] : []),
    ...missing(was.values ?? [], is.values ?? was.values ?? []).map(
      (one) => `loses the value "${one}"`,
    ),
    ...higher('minimum', was.minimum, is.minimum),
    ...lower('maximum', was.maximum, is.maximum),
    ...(was.format === is.format
      ? []
      : [`changes its form from ${was.format ?? 'none'} to ${is.format ?? 'none'}`]),
    ...lost('shorthand', was, is),
    ...lost('environment', was, is),
    ...(isLessStable(lifeOf(is).stability, lifeOf(was).stability)
      ? [`goes from ${lifeOf(was).stability} back to ${lifeOf(is).stability}`]
      : []),
  ]
  for (const change of changes) {
    const message = `--${was.flag} of ${set.daemon} ${change}: ${reason}`
    report({ rule: ruleOf(set), message, before: was.at, after: is.at })
  }
}

/** The end of a sentence about another name of the flag that is gone or changed. */
function lost(
  key: 'shorthand' | 'environment',
  was: OptionFacts,
  is: OptionFacts,
): readonly string[] {
  return was[key] === undefined || was[key] === is[key] ? [] : [`loses its ${key} ${was[key]}`]
}

/** Rules 5c and 6, and that a deprecation is not dated before the tree that did not have it. */
function checkDeprecation(
  was: OptionFacts,
  is: OptionFacts,
  set: OptionSet,
  { before }: ApiPair,
  report: ReportBreakingChange,
): void {
  const say = (rule: RuleId, message: string) =>
    report({
      rule,
      message: `--${is.flag} of ${set.daemon} ${message}`,
      before: was.at,
      after: is.at,
    })
  if (is.deprecated === undefined) {
    if (is.hidden && !was.hidden) say('rule-6', 'is hidden and does not say that it is deprecated')
    return
  }
  if (is.deprecated.trim() === '')
    say('rule-6', 'is deprecated and does not say what to use instead')
  const { deprecatedSince, stability } = lifeOf(is)
  if (deprecatedSince !== undefined && deprecatedSince !== lifeOf(was).deprecatedSince) {
    const known =
      was.deprecated === undefined && releasesBetween(deprecatedSince, before.platform.release) > 0
    if (known) {
      const release = minorOf(before.platform.release)
      say(
        ruleOf(set),
        `cannot have been deprecated in ${deprecatedSince}: ${release} did not say so`,
      )
    }
  }
  if (was.deprecated !== undefined) return
  const instead = replacementOf(is, set)
  if (instead !== undefined && isLessStable(instead.stability, stability)) {
    say('rule-5c', `cannot give way to ${instead.name}, which is only ${instead.stability}`)
  }
}

/** What replaces a flag, and how stable it is: another flag, or a field of the configuration file in its version. */
function replacementOf(option: OptionFacts, set: OptionSet) {
  const { replacement } = lifeOf(option)
  const flag = flagsOf(set).find((each) => each.flag === replacement)
  if (flag !== undefined) return { name: `--${flag.flag}`, stability: lifeOf(flag).stability }
  if (option.field === undefined || set.config === undefined) return undefined
  const version =
    set.config
      .replace(/\.[^.]*$/, '')
      .split('/')
      .at(-1) ?? ''
  return { name: `"${option.field}" of a file in ${version}`, stability: stageOf(version) }
}

/**
 * The stability of a flag: GA where the schema does not say.
 * Most flags say nothing about their stability: they have the strongest promise.
 */
function lifeOf({ lifecycle: life }: OptionFacts): OptionStability {
  return life ?? { stability: 'GA' }
}

function same(a: unknown, b: unknown): boolean {
  return print(a) === print(b)
}

function print(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}
