/** Field sets after a change of the schema. */
import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import { type FieldSet, isEmpty, leaf } from '../field-set/field-set.ts'
import { propertyOf, selfElement } from '../field-set/path-element.ts'
import { fieldShape, isAtomicObject, itemShape, listType } from './merge-shape.ts'

/**
 * The set as the schema has it now: a manager of a field below a list, map or struct that is atomic today has all of
 * it. A set that names something whole that has parts today stays: which part was meant cannot be known (A2.42).
 */
export function reconcileWithSchema(set: FieldSet, merge: MergeStrategy | undefined): FieldSet {
  let result: Record<string, FieldSet> | undefined
  for (const element in set) {
    const node = set[element]!
    if (element === selfElement || isEmpty(node)) continue
    const shape = shapeBelow(element, merge)
    const now = isWhole(node, shape) ? leaf : reconcileWithSchema(node, shape)
    if (now === node) continue
    result ??= { ...set }
    result[element] = now
  }
  return result ?? set
}

/** The merge strategy of the part that an element leads to. */
function shapeBelow(element: string, merge: MergeStrategy | undefined): MergeStrategy | undefined {
  const name = propertyOf(element)
  return name === undefined ? itemShape(merge) : fieldShape(merge, name)
}

/**
 * True if the schema replaces the node as a whole although the set has parts of it. The first part decides: parts of
 * one node are of one sort.
 */
function isWhole(node: FieldSet, shape: MergeStrategy | undefined): boolean {
  for (const element in node) {
    if (element === selfElement) continue
    return propertyOf(element) === undefined
      ? listType(shape) === 'atomic'
      : isAtomicObject(shape) || shape?.list !== undefined
  }
  return false
}
