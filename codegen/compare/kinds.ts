/** Rules 1 and 4a about resources: none goes but by its age, and what a version says of one stays true. */
import type { Column, NameFormat, Subresource } from '../../runtime/kernel/descriptors/kind.ts'
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

/** Between the deprecation of a beta version and its end, and before, between its coming and its deprecation. */
export const betaLifetime = { months: 9, releases: 3 }

/** Resources that are gone, resources that changed, and the types of those that stayed. */
export const compareKinds: Comparison = (pair, tell) => {
  const after = servedKinds(pair.after)
  const walk = typeComparer(pair, tell)
  for (const [key, kind] of servedKinds(pair.before)) {
    if (stageOf(kind.version) === 'Alpha') continue
    const now = after.get(key)
    if (now === undefined) checkRemoval(kind, pair, tell)
    else {
      checkFacts(kind, now, tell)
      walk(kind.type, now.type, resourceName(kind))
    }
  }
  for (const body of pair.before.bodies.filter(({ external }) => !external)) {
    const now = pair.after.bodies.find(({ type }) => type === body.type)
    if (now !== undefined && stageOf(body.version) !== 'Alpha')
      walk(body.type, now.type, resourceName(body))
  }
}

/** Rule 4a for what the tree after does not have. */
export function checkRemoval(
  kind: Resource,
  { before, after }: ApiPair,
  tell: ReportBreakingChange,
): void {
  const at = { before: kind.at, after: positionOf(after, kind) }
  const say = (message: string) =>
    tell({ rule: 'rule-4a', message: `${resourceName(kind)} ${message}`, ...at })
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

/** Facts that are the same or another promise. */
const fixed = ['kind', 'singular', 'scope', 'deleteReturns', 'dependents', 'generation'] as const
/** Facts that are lists of promises. */
const kept = ['verbs', 'shortNames', 'categories'] as const
/** What callers may do; the opposite takes it from them. */
const allowed = ['createOnUpdate', 'unconditionalUpdate'] as const
const strictness: readonly NameFormat[] = [
  'path-segment',
  'dns-subdomain',
  'dns-label',
  'dns-1035-label',
]

function checkFacts(before: KindFacts, after: KindFacts, tell: ReportBreakingChange): void {
  const at = { before: before.at, after: after.at }
  const say = (message: string) =>
    tell({ rule: 'rule-1', message: `${resourceName(before)} ${message}`, ...at })
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

/** Columns are for people; only their types are relied on, by what sorts them. */
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
