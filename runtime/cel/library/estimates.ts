/** Worst-case costs that several libraries share. */

import { one, scaleRange } from '../cost/ranges.ts'
import type { ArgumentEstimate, CallEstimate } from '../functions/functions.ts'
import { dynType, type Type } from '../types/types.ts'

/** The type of a list's items; `dyn` if it is not known. */
export function elementTypeOf(list: ArgumentEstimate): Type {
  return list.type.kind === 'list' ? list.type.element : dynType
}

/** A tenth of the receiver's size. The result is no longer than the receiver. */
export function walk(receiver: ArgumentEstimate): CallEstimate {
  return { cost: scaleRange(receiver.size, 0.1), size: receiver.size }
}

/** One unit, whatever the arguments. */
export function unit(): CallEstimate {
  return { cost: one }
}
