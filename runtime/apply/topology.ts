import type { Merge } from '../kernel/kind.ts'
import { fieldOf, itself } from './elements.ts'
import { type FieldSet, isEmpty, leaf } from './field-set.ts'
import { fieldShape, isAtomicObject, itemShape, listType } from './shape.ts'

/**
 * The set as the schema has it now: whoever had a field below a list, map or struct that is atomic today has the whole of
 * it. The other way nothing is to be done: from a whole nobody can tell who meant which part (A2.42).
 */
export function withTopology(set: FieldSet, merge: Merge | undefined): FieldSet {
  let result: Record<string, FieldSet> | undefined
  for (const element in set) {
    const node = set[element]!
    if (element === itself || isEmpty(node)) continue
    const shape = shapeBelow(element, merge)
    const now = isWhole(node, shape) ? leaf : withTopology(node, shape)
    if (now === node) continue
    result ??= { ...set }
    result[element] = now
  }
  return result ?? set
}

function shapeBelow(element: string, merge: Merge | undefined): Merge | undefined {
  const name = fieldOf(element)
  return name === undefined ? itemShape(merge) : fieldShape(merge, name)
}

function isWhole(node: FieldSet, shape: Merge | undefined): boolean {
  for (const element in node) {
    if (element === itself) continue
    return fieldOf(element) === undefined
      ? listType(shape) === 'atomic'
      : isAtomicObject(shape) || shape?.list !== undefined
  }
  return false
}
