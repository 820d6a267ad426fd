/** Concatenation of lists, without copying. */
import { spendSteps } from '../limits/step-limit.ts'
import { lengthOf } from './collections.ts'
import { type CelError, fail, type List, ListJoin, ListView } from './values.ts'

/** The most joins inside each other. */
const deepest = 250

/**
 * One list after the other, as a join; an error for too many joins. A list with a list type (set, map by keys) decides
 * itself what concatenation means.
 */
export function concatenate(a: List, b: List): List | CelError {
  if (a instanceof ListView && a.relation !== undefined) {
    spendSteps(10 * (lengthOf(a) + lengthOf(b)))
    return a.relation.concat(a, b)
  }
  const [left, right] = [lengthOf(a), lengthOf(b)]
  if (left === 0) return b
  if (right === 0) return a
  const depth = Math.max(depthOf(a), depthOf(b)) + 1
  return depth > deepest
    ? fail('list is joined too often')
    : new ListJoin(a, b, left + right, depth)
}

function depthOf(list: List): number {
  return list instanceof ListJoin ? list.depth : 0
}
