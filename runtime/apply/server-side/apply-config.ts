/** Server-side apply: one applier's whole intent, merged onto the live object (A4.58 to A4.65). */
import type { JsonObject } from '../../kernel/values/json.ts'
import {
  difference,
  type FieldSet,
  isEmpty,
  isMember,
  leaf,
  noFields,
  sameFields,
  union,
} from '../field-set/field-set.ts'
import { propertyOf } from '../field-set/path-element.ts'
import { type Conflicts, conflictsOf } from '../managers/conflicts.ts'
import { isSameManager, type Manager, type Managers } from '../managers/managers.ts'
import {
  type FieldWriter,
  trackWrite,
  unmanagedFields,
  withoutChanged,
} from '../managers/track-write.ts'
import { comparisonsOf, type VersionView, type VersionViews } from '../managers/versioned-views.ts'
import { statedFields } from '../typed/collect-fields.ts'
import { changedFields, isSame } from '../typed/compare.ts'
import { mergeConfig, withoutFields } from '../typed/merge.ts'

/** The manager to whom everything is booked that was there before the first apply (supplement A-10). */
export const beforeFirstApply = 'before-first-apply'

/** An apply: what is there, what is wanted, and by whom. */
export interface ApplyRequest {
  readonly live: JsonObject
  readonly managers: Managers
  readonly config: JsonObject
  readonly writer: FieldWriter
  /** Take fields from managers who disagree. */
  readonly force: boolean
  /** Fields whose conflicts are forced all the same. */
  readonly forcedFields?: FieldSet
  /** The object as it is before anything is said about it. */
  readonly empty: JsonObject
  readonly views: VersionViews
  readonly now: string
}

/** What came of it. `problems` are messages about a configuration that cannot be merged at all. */
export type ApplyResult =
  | { readonly object: JsonObject; readonly managers: Managers }
  | { readonly conflicts: Conflicts }
  | { readonly problems: readonly string[] }

/**
 * Merges the configuration onto the live object. The applier manages exactly what it states; what it managed before and
 * states no longer is removed unless somebody else manages it; a field that another manager holds with another value is a
 * conflict, unless forced. An apply that changes neither the object nor who manages what gives back the live object and
 * the managers themselves.
 */
export function applyConfig(request: ApplyRequest): ApplyResult {
  const { live, config, writer, views, force, forcedFields: tolerated = noFields } = request
  const view = views(writer.apiVersion) as VersionView
  const problems: string[] = []
  const stated = statedFields(config, view.merge, problems)
  if (problems.length > 0) return { problems }
  const managers = isEmptyList(request.managers) ? firstManagers(request) : request.managers
  const entry = { ...writer, operation: 'Apply' as const }
  const last = managers.find((one) => isSameManager(one, entry))
  const others = managers.filter((one) => one !== last)
  const fields = difference(view.restrict(stated), unmanagedFields)
  const object = prune(mergeConfig(live, config, view.merge) as JsonObject, {
    last: last && views(last.apiVersion) ? last.fields : noFields,
    kept: others.reduce((all, one) => union(all, one.fields), stated),
    view,
  })
  const comparisons = comparisonsOf(live, object, views)
  const changed = (one: Manager): FieldSet => {
    const comparison = comparisons(one.apiVersion)
    return comparison === undefined ? noFields : changedFields(comparison)
  }
  const conflicts = conflictsOf(others, changed)
    .map(({ manager, fields: all }) => ({ manager, fields: difference(all, tolerated) }))
    .filter((one) => !isEmpty(one.fields))
  if (!force && conflicts.length > 0) return { conflicts }
  const own = comparisons(writer.apiVersion)
  const same = own === undefined || isSame(own)
  const rest = withoutChanged(others, (one) => comparisons(one.apiVersion))
  if (
    same &&
    managers === request.managers &&
    sameManagers(rest, others) &&
    isUnchanged(last, entry, fields)
  ) {
    return { object: live, managers }
  }
  if (isEmpty(fields)) return { object, managers: rest }
  const time = same && isUnchanged(last, entry, fields) ? last?.time : request.now
  return { object, managers: [...rest, { ...entry, ...(time && { time }), fields }] }
}

function isEmptyList(managers: Managers): boolean {
  return managers.length === 0
}

function sameManagers(a: Managers, b: Managers): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index])
}

function isUnchanged(
  last: Manager | undefined,
  { apiVersion }: Pick<Manager, 'apiVersion'>,
  fields: FieldSet,
): boolean {
  if (last === undefined) return isEmpty(fields)
  return last.apiVersion === apiVersion && sameFields(last.fields, fields)
}

function firstManagers({ live, empty: blank, writer, views, now }: ApplyRequest): Managers {
  return trackWrite([], blank, live, { ...writer, manager: beforeFirstApply }, views, now)
}

interface Pruning {
  /** What the applier managed until now. */
  readonly last: FieldSet
  /** What others manage, and what the applier states now. A set of another version counts as it stands. */
  readonly kept: FieldSet
  readonly view: VersionView
}

function prune(object: JsonObject, { last, kept, view }: Pruning): JsonObject {
  const dropped = droppedFields(last, kept)
  return isEmpty(dropped) ? object : (withoutFields(object, dropped, view.merge) as JsonObject)
}

/**
 * The fields of `last` that nobody has any more. A property on the way to a field counts as had by whoever has the field;
 * an item of a list does not, so that an item goes when the last one who stated it lets go (A4.59).
 */
export function droppedFields(last: FieldSet, kept: FieldSet): FieldSet {
  const dropped: Record<string, FieldSet> = {}
  for (const element in last) {
    if (element === '.') continue
    const [mine, theirs] = [last[element]!, kept[element]]
    const property = propertyOf(element) !== undefined
    const had = isMember(mine) || property
    const held = theirs !== undefined && (isMember(theirs) || property)
    if (had && !held) dropped[element] = leaf
    else {
      const below = droppedFields(mine, theirs ?? noFields)
      if (!isEmpty(below)) dropped[element] = below
    }
  }
  return dropped
}
