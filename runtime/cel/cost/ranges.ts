/** Arithmetic of ranges of costs and sizes, which saturate. */
import type { Range } from '../functions/functions.ts'

/** Costs and sizes stop growing here. */
export const saturated = 2 ** 64

/** Exactly 1. */
export const one: Range = { min: 1, max: 1 }
/** Exactly 0. */
export const zero: Range = { min: 0, max: 0 }
/** Anything. */
export const unknown: Range = { min: 0, max: saturated }

/** The range of one value. */
export function exactly(value: number): Range {
  return { min: value, max: value }
}

/** The sum of two ranges. */
export function addRange(a: Range, b: Range): Range {
  return { min: stopped(a.min + b.min), max: stopped(a.max + b.max) }
}

/** The product of two ranges. */
export function multiplyRange(a: Range, b: Range): Range {
  return { min: stopped(a.min * b.min), max: stopped(a.max * b.max) }
}

/** A range times a factor, rounded up. */
export function scaleRange({ min, max }: Range, factor: number): Range {
  return { min: stopped(Math.ceil(min * factor)), max: stopped(Math.ceil(max * factor)) }
}

/** The least range that holds both. */
export function uniteRange(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) }
}

function stopped(value: number): number {
  return Math.min(value, saturated)
}
