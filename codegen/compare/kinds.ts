/** Rules 1 and 4a about resources: one goes only by its age, and what a version promised of one stays true. */
import type { Column, Subresource } from '../../runtime/kernel/descriptors/kind.ts'
import type { NameFormat } from '../../runtime/kernel/meta/names.ts'
import type { KindFacts } from '../schema/ir.ts'
import type { ApiPair, Comparison, ReportBreakingChange } from './breaking-change.ts'
import { majorAdvances, minorOf, printLifetime, releasesBetween, releasesOf } from './release.ts'
import {
  missing,
  positionOf,
  type Resource,
  removalOf,
  resourceName,
  servedKinds,
} from './resources.ts'
import { stageOf } from './stability.ts'
import { typeComparer } from './types.ts'

/** From the deprecation of a beta version to its removal, and at most from its introduction to its deprecation. */
export const betaLifetime = { months: 9, releases: 3 }

/** Resources that are gone, resources that changed, and the types of those that stayed. */
export const compareKinds: Comparison = (pair, report) => {
  const after = servedKinds(pair.after)
  const walk = typeComparer(pair, report)
  for (const [key, kind] of servedKinds(pair.before)) {
    if (stageOf(kind.version) === 'Alpha') continue
    const now = after.get(key)
    if (now === undefined) checkRemoval(kind, pair, report)
    else {
      checkFacts(kind, now, report)
      walk(kind.type, now.type, resourceName(kind))
    }
  }
  for (const body of pair.before.bodies.filter(({ external }) => !external)) {
    const now = pair.after.bodies.find(({ type }) => type === body.type)
    if (now !== undefined && stageOf(body.version) !== 'Alpha')
      walk(body.type, now.type, resourceName(body))
  }
}

/**
 * Rule 4a for a resource that the tree after does not have: a GA one stays in its major version, a beta one for its
 * lifetime after an announced deprecation.
 */
export function checkRemoval(
  kind: Resource,
  { before, after }: ApiPair,
  report: ReportBreakingChange,
): void {
  const at = { before: kind.at, after: positionOf(after, kind) }
  const say = (message: string) =>
    report({ rule: 'rule-4a', message: `${resourceName(kind)} ${message}`, ...at })
  const now = after.platform.release
  if (stageOf(kind.version) === 'GA') {
    if (majorAdvances(before.platform.release, now)) return
    say(`is stable: it may be deprecated, but is served as long as the major version lasts`)
    return
  }
  const row = removalOf(after, kind)
  const deprecated = row?.deprecated
  if (row === undefined || deprecated === undefined) {
    say('is not served any more, and removals.yaml does not say since when it is deprecated')
    return
  }
  if (releasesBetween(row.removed, now) < 0) {
    say(`is to be served until ${row.removed}, and this is ${minorOf(now)}`)
  }
  if (releasesBetween(deprecated, now) < releasesOf(betaLifetime)) {
    say(
      `is deprecated since ${deprecated}: it must be served for ${printLifetime(betaLifetime)} after that`,
    )
  }
  const announced = removalOf(before, kind)?.deprecated !== undefined
  if (!announced && releasesBetween(deprecated, before.platform.release) >= 0) {
    say(
      `was not deprecated in ${minorOf(before.platform.release)}, whatever removals.yaml says now`,
    )
  }
}

/** Facts that stay as they are. */
const fixed = ['kind', 'singular', 'scope', 'deleteReturns', 'dependents', 'generation'] as const
/** Facts that are lists: what is in them stays. */
const kept = ['verbs', 'shortNames', 'categories'] as const
/** What callers may do: it may be allowed later, not forbidden. */
const allowed = ['createOnUpdate', 'unconditionalUpdate'] as const
/** Name formats from the loosest to the strictest. */
const strictness: readonly NameFormat[] = [
  'path-segment',
  'dns-subdomain',
  'dns-label',
  'dns-1035-label',
]

/** Rule 1 about what discovery and the verbs of a kind promise. */
function checkFacts(before: KindFacts, after: KindFacts, report: ReportBreakingChange): void {
  const at = { before: before.at, after: after.at }
  const say = (message: string) =>
    report({ rule: 'rule-1', message: `${resourceName(before)} ${message}`, ...at })
  for (const fact of fixed) {
    if (before[fact] === after[fact]) continue
    say(`changes its ${fact} from ${before[fact] ?? 'none'} to ${after[fact] ?? 'none'}`)
  }
  for (const fact of kept) {
    for (const gone of missing(before[fact], after[fact])) say(`loses "${gone}" of its ${fact}`)
  }
  for (const fact of allowed) {
    if (before[fact] && !after[fact]) say(`loses ${fact}`)
  }
  if (strictness.indexOf(after.nameFormat) > strictness.indexOf(before.nameFormat)) {
    say(`allows fewer names: ${after.nameFormat} instead of ${before.nameFormat}`)
  }
  for (const path of missing(
    Object.keys(before.selectableFields),
    Object.keys(after.selectableFields),
  )) {
    say(`cannot be selected by ${path} any more`)
  }
  for (const path of missing(after.immutable ?? [], before.immutable ?? [])) {
    say(`makes ${path} immutable`)
  }
  checkSubresources(before.subresources, after.subresources, say)
  checkColumns(before.columns, after.columns, say)
}

/** A subresource stays, with the type of its body and its verbs. */
function checkSubresources(
  before: readonly Subresource[],
  after: readonly Subresource[],
  say: (message: string) => void,
): void {
  for (const one of before) {
    const now = after.find(({ name }) => name === one.name)
    if (now === undefined) say(`loses its subresource "${one.name}"`)
    else {
      const [was, is] = [one, now].map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)
      if (was !== is) say(`has ${is} instead of ${was} as its subresource "${one.name}"`)
      for (const verb of missing(one.verbs, now.verbs)) {
        say(`loses "${verb}" of its subresource "${one.name}"`)
      }
    }
  }
}

/** Columns are for people; clients that sort rely on their types only. */
function checkColumns(
  before: readonly Column[],
  after: readonly Column[],
  say: (message: string) => void,
): void {
  for (const { name, type } of before) {
    const now = after.find((column) => column.name === name)
    if (now !== undefined && now.type !== type) {
      say(`changes the type of its column "${name}" from ${type} to ${now.type}`)
    }
  }
}
