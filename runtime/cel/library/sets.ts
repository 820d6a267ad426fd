/**
 * Lists as sets: `sets.contains`, `sets.equivalent`, `sets.intersects`. Every item is compared with every other, which
 * is what the functions cost.
 */

import { addRange, exactly, multiplyRange } from '../cost/ranges.ts'
import type { ArgumentEstimate, CallEstimate, Library } from '../functions/functions.ts'
import { overload } from '../functions/functions.ts'
import { boolType, listType, typeParameter } from '../types/types.ts'
import { itemsOf, lengthOf } from '../values/collections.ts'
import { equals } from '../values/equality.ts'
import { CelError, type List, type Result, type Value } from '../values/values.ts'

const list = listType(typeParameter('T'))

/** By the equality of the language: 1 and 1.0 are one item. */
function holds(items: readonly Value[], item: Value): boolean {
  return items.some((one) => equals(one, item))
}

/** Whether every item of `some` is in `all`. */
function contains(all: readonly Value[], some: readonly Value[]): boolean {
  return some.every((item) => holds(all, item))
}

/** A function on two lists that compares all pairs `times` times. */
function set(
  name: string,
  times: number,
  test: (a: readonly Value[], b: readonly Value[]) => boolean,
) {
  const call = (left: List, right: List): Result => {
    const [a, b] = [itemsOf(left), itemsOf(right)]
    if (a instanceof CelError) return a
    return b instanceof CelError ? b : test(a, b)
  }
  const cost = (a: List, b: List) => 1 + times * lengthOf(a) * lengthOf(b)
  const estimate = (a: ArgumentEstimate, b: ArgumentEstimate): CallEstimate => ({
    cost: addRange(exactly(1), multiplyRange(exactly(times), multiplyRange(a.size, b.size))),
  })
  return {
    name: `sets.${name}`,
    later: true,
    overloads: [
      overload(`list_sets_${name}_list`, [list, list], boolType, call, { cost, estimate }),
    ],
  }
}

/** The library of sets. */
export const setsLibrary: Library = {
  name: 'sets',
  functions: [
    set('contains', 1, contains),
    set('equivalent', 2, (a, b) => contains(a, b) && contains(b, a)),
    set('intersects', 1, (a, b) => a.some((item) => holds(b, item))),
  ],
}
