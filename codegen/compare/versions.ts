/** Rules 4a and 4b about the versions of a group: which are served, which is preferred, which is stored. */
import { apiVersionOf } from '../../runtime/kernel/meta/object.ts'
import type { Api, GroupFacts, KindFacts } from '../schema/ir.ts'
import { type Position, wholeFile } from '../schema/position.ts'
import type { ApiPair, Comparison, ReportBreakingChange } from './breaking-change.ts'
import { betaLifetime } from './kinds.ts'
import { printLifetime, releasesBetween, releasesOf } from './release.ts'
import { groupOf, missing, servedKinds } from './resources.ts'
import { stageOf } from './stability.ts'

/** Compares each group that both trees have, and the ages of beta versions. */
export const compareVersions: Comparison = (pair, report) => {
  for (const was of pair.before.groups) {
    const is = groupOf(pair.after, was.group)
    if (is === undefined) continue
    checkOff(was, is, report)
    checkPreferred(was, is, report)
  }
  for (const group of pair.after.groups) checkLate(group, pair, report)
  checkStored(pair, report)
}

/** Rule 4a: a version that is served only on request is gone for every client that does not ask for it. */
function checkOff(was: GroupFacts, is: GroupFacts, report: ReportBreakingChange): void {
  for (const version of missing(is.off, was.off)) {
    if (stageOf(version) === 'Alpha' || !was.versions.includes(version)) continue
    const message = `${was.group}/${version} was served without being asked for, and is off now`
    report({ rule: 'rule-4a', message, ...groupPositions(was, is) })
  }
}

/** Rule 4b: the preferred version advances to one that the release before served, while the former is still served. */
function checkPreferred(was: GroupFacts, is: GroupFacts, report: ReportBreakingChange): void {
  const [from, to] = [preferredOf(was), preferredOf(is)]
  if (from === undefined || to === undefined || from === to) return
  const say = (why: string) => {
    const message = `${was.group} cannot prefer ${to} to ${from} yet: ${why}`
    report({ rule: 'rule-4b', message, ...groupPositions(was, is) })
  }
  if (!was.versions.includes(to)) say(`no release before this one serves ${to}`)
  if (!is.versions.includes(from)) say(`this release does not serve ${from} any more`)
}

/** The first version that is served by default. */
function preferredOf({ versions, off }: GroupFacts): string | undefined {
  return versions.find((version) => !off.includes(version))
}

/** A beta version is deprecated at the end of its lifetime: by then its successor exists, or it has no future. */
function checkLate(
  group: GroupFacts,
  { before, after }: ApiPair,
  report: ReportBreakingChange,
): void {
  for (const version of group.versions.filter((each) => stageOf(each) === 'Beta')) {
    const since = sinceOf(after, group.group, version)
    const age = since === undefined ? 0 : releasesBetween(since, after.platform.release)
    if (since === undefined || age < releasesOf(betaLifetime)) continue
    const rows = after.removals.filter(
      (row) => row.group === group.group && row.version === version,
    )
    const deprecated = rows.flatMap((row) => row.deprecated ?? [])
    if (deprecated.some((each) => releasesBetween(since, each) <= releasesOf(betaLifetime)))
      continue
    const message = `${group.group}/${version} is there since ${since}: a beta version is deprecated at most ${printLifetime(betaLifetime)} later`
    const was = groupOf(before, group.group)
    report({ rule: 'rule-4a', message, ...groupPositions(was ?? group, group) })
  }
}

/** The release that brought a version: its oldest kind. Undefined where a kind does not say since when it is there. */
function sinceOf({ kinds }: ApiPair['after'], group: string, version: string): string | undefined {
  const own = kinds.filter((one) => one.group === group && one.version === version && !one.external)
  if (own.some(({ since }) => since === undefined)) return undefined
  return own.flatMap(({ since }) => since ?? []).sort((a, b) => releasesBetween(b, a))[0]
}

/** Rule 4b: the stored version of a resource advances only between versions that both releases serve. */
function checkStored({ before, after }: ApiPair, report: ReportBreakingChange): void {
  const is = storedVersions(after)
  for (const [resource, { apiVersion: from, at }] of storedVersions(before)) {
    const now = is.get(resource)
    if (now === undefined || now.apiVersion === from || stageOf(from) === 'Alpha') continue
    const say = (why: string) => {
      const message = `${resource} cannot be stored as ${now.apiVersion} instead of ${from} yet: ${why}`
      report({ rule: 'rule-4b', message, before: at, after: now.at })
    }
    if (!serves(before, now.apiVersion)) say('no release before this one serves it')
    if (!serves(after, from)) say('this release does not serve the one before any more')
  }
}

function serves({ kinds }: Api, apiVersion: string): boolean {
  return kinds.some((kind) => apiVersionOf(kind) === apiVersion)
}

/** The version in which the objects of a resource are stored, and where a kind says so. */
interface StoredVersion {
  readonly apiVersion: string
  readonly at: Position
}

/** By `<group>/<plural>`. A resource whose versions do not say which of them is stored is left out. */
function storedVersions(api: Api): ReadonlyMap<string, StoredVersion> {
  const versions = new Map<string, KindFacts[]>()
  for (const kind of servedKinds(api).values()) {
    const key = `${kind.group}/${kind.plural}`
    versions.set(key, [...(versions.get(key) ?? []), kind])
  }
  return new Map(
    [...versions].flatMap(([key, all]) => {
      const said = all.find(({ storedAs }) => storedAs !== undefined) ?? all[0]
      if (said === undefined || (said.storedAs === undefined && all.length > 1)) return []
      return [[key, { apiVersion: said.storedAs ?? apiVersionOf(said), at: said.at }] as const]
    }),
  )
}

function groupPositions(was: GroupFacts, is: GroupFacts) {
  const table = wholeFile('groups.yaml')
  return { before: was.at ?? table, after: is.at ?? table }
}
