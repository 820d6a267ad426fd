/** The versions of a kind in which managers name fields, and what a change is in each of them. */

import { runToCompletion, type Steps } from '../../kernel/async/slices.ts'
import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { FieldSet } from '../field-set/field-set.ts'
import { type Comparison, compareSteps, restrictComparison } from '../typed/compare.ts'

/** A served version of a kind. */
export interface VersionView {
  /** How objects of the version merge. */
  readonly merge: MergeStrategy
  /** Those fields of a set that the path of the request writes; its writers do not manage others (supplement A-16). */
  readonly restrict: (fields: FieldSet) => FieldSet
  /** The object in this version. */
  readonly convert: (object: JsonObject) => JsonObject
}

/** The view of an apiVersion; undefined if it is not served: managers of such a version are dropped. */
export type VersionViews = (apiVersion: string) => VersionView | undefined

/** One change in the version of an apiVersion; undefined for one that is not served. */
export type ComparisonIn = (apiVersion: string) => Comparison | undefined

/** What one change is in each version; each version is compared at most once, that of the writer in steps. */
export function* comparisonsOf(
  before: JsonObject,
  after: JsonObject,
  views: VersionViews,
  writersVersion: string,
): Steps<ComparisonIn> {
  const known = new Map<string, Comparison | undefined>()
  const own = views(writersVersion)
  known.set(writersVersion, own && (yield* compareIn(own, before, after)))
  return (apiVersion) => {
    if (!known.has(apiVersion)) {
      const view = views(apiVersion)
      known.set(apiVersion, view && runToCompletion(compareIn(view, before, after)))
    }
    return known.get(apiVersion)
  }
}

/** The difference of two objects in one version, restricted to the fields that the request may write. */
function* compareIn(
  { merge, restrict, convert }: VersionView,
  before: JsonObject,
  after: JsonObject,
): Steps<Comparison> {
  return restrictComparison(yield* compareSteps(convert(before), convert(after), merge), restrict)
}
