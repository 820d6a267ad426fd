/** Arithmetic of worst cases: ranges that saturate at what 64 bits hold. */

import type { ArgumentEstimate, CallEstimate, Range } from '../library.ts'
import { dynType, type Type } from '../types.ts'

/** Where estimates stop growing: 2^64 - 1. */
export const saturated = 2 ** 64 - 1

/** The request size that bounds what no schema bounds. */
export const requestSize = 3 * 1024 * 1024

/** The same cost in every case. */
export function fixed(cost: number): Range {
  return { min: cost, max: cost }
}

/** A tenth of the size, or another share of it, rounded up. */
export function share({ min, max }: Range, factor = 0.1): Range {
  return { min: clip(Math.ceil(min * factor)), max: clip(Math.ceil(max * factor)) }
}

export function sum(a: Range, b: Range): Range {
  return { min: clip(a.min + b.min), max: clip(a.max + b.max) }
}

export function product(a: Range, b: Range): Range {
  return { min: clip(a.min * b.min), max: clip(a.max * b.max) }
}

function clip(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(value, saturated)
}

/** The size of what a list holds: from its bounds, or as much as a request holds. */
export function elementSize(list: ArgumentEstimate): Range {
  return { min: 0, max: list.bounds?.element?.size ?? requestSize - 2 }
}

/** The type of what a list holds; dyn if that is not known. */
export function elementTypeOf(list: ArgumentEstimate): Type {
  return list.type.kind === 'list' ? list.type.element : dynType
}

/** A tenth of the receiver's size; the result is no longer than it. */
export function walk(receiver: ArgumentEstimate): CallEstimate {
  return { cost: share(receiver.size), size: receiver.size }
}

/** One unit, whatever the arguments. */
export function unit(): CallEstimate {
  return { cost: fixed(1) }
}
