/** Takes out of a merged object what its applier gave up. */
import { addWork, type Steps, takeWork } from '../../kernel/async/slices.ts'
import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import { type FieldSet, isEmpty, isMember, leaf, noFields } from '../field-set/field-set.ts'
import { propertyOf, selfElement } from '../field-set/path-element.ts'
import type { VersionView } from '../managers/versioned-views.ts'
import { withoutFields } from '../typed/merge.ts'
import { fieldShape, isEntry, itemShape } from '../typed/merge-shape.ts'

/** What decides which fields go. */
export interface Pruning {
  /** What the applier managed until now. */
  readonly last: FieldSet
  /** What other managers have, and what the applier states now. A set in another version counts as it stands. */
  readonly kept: FieldSet
  readonly view: VersionView
}

/** The object without the fields that the applier managed and no manager has any more; the object itself if none goes. */
export function* prune(object: JsonObject, { last, kept, view }: Pruning): Steps<JsonObject> {
  const dropped = yield* droppedFields(last, kept, view.merge)
  return isEmpty(dropped) ? object : (withoutFields(object, dropped, view.merge) as JsonObject)
}

/** True if a node has nothing below its parts, and another one has all of them, too: nothing is dropped of it, without a step. */
function holdsLeaves(other: FieldSet | undefined, node: FieldSet): boolean {
  for (const element in node) {
    if (element === selfElement) continue
    const part = other?.[element]
    if (!isEmpty(node[element]!) || part === undefined || !isMember(part)) return false
  }
  return true
}

/**
 * The fields of `last` that are not in `kept`. A property above a kept field is itself kept; an item of a list and an entry of
 * a map of objects are not, so that they go when the last applier that stated them leaves them out (A4.59).
 */
function* droppedFields(
  last: FieldSet,
  kept: FieldSet,
  merge: MergeStrategy | undefined,
): Steps<FieldSet> {
  const dropped: Record<string, FieldSet> = {}
  for (const element in last) {
    if (element === selfElement) continue
    if (addWork(1)) yield takeWork()
    const [before, other] = [last[element]!, kept[element]]
    const name = propertyOf(element)
    const isProperty = name !== undefined && !isEntry(merge, name)
    const managed = isMember(before) || isProperty
    const held = other !== undefined && (isMember(other) || isProperty)
    if (managed && !held) dropped[element] = leaf
    else if (!isEmpty(before) && !holdsLeaves(other, before)) {
      const shape = name === undefined ? itemShape(merge) : fieldShape(merge, name)
      const below = yield* droppedFields(before, other ?? noFields, shape)
      if (!isEmpty(below)) dropped[element] = below
    }
  }
  return dropped
}
