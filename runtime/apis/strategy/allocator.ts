/** The contract of allocation: values of ranges that all objects of the cluster share, such as addresses and ports. */
import type { Random } from '../../kernel/async/clock.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'

/** A range of values, without who holds which of them. */
export interface Pool {
  /** The one form that equal values have; a problem of a value out of range. */
  readonly canonicalize: (
    value: string,
  ) => { readonly value: string } | { readonly problem: string }
  /**
   * Every value once, from a random one on. The beginning of the range comes last: it is left to clients that choose a
   * value.
   */
  readonly candidates: (random: Random) => Iterable<string>
  /** The problem of a value that another object holds. */
  readonly takenMessage: string
}

/** Pools by name. */
export type Pools = ReadonlyMap<string, Pool>

/** A value of a pool that an object holds, in its one form. */
export interface AllocatedValue {
  readonly pool: string
  readonly value: string
}

/** Takes values for one object. What it had already is its own: to take it again is no problem. */
export interface Allocator {
  readonly pools: Pools
  /** Takes one value; gives the problem if it is out of range or another object has it. */
  readonly allocate: (pool: string, value: string) => Promise<string | undefined>
  /** Takes any value; undefined if there is none left. */
  readonly allocateNext: (pool: string) => Promise<string | undefined>
}

/** An object with what was allocated to it, or why it gets nothing. */
export type AllocationResult =
  | { readonly object: ApiObject }
  | { readonly errors: readonly FieldError[] }
  /** The server cannot allocate, for example because a range is used up. */
  | { readonly failure: string }

/** How objects of a kind get their values. */
export interface AllocationStrategy {
  /** The values that an object holds. */
  readonly allocatedValues: (object: ApiObject, pools: Pools) => readonly AllocatedValue[]
  /** Fills in what a valid object needs and its client left open; takes what the client chose. */
  readonly allocate: (
    object: ApiObject,
    old: ApiObject | undefined,
    allocator: Allocator,
  ) => Promise<AllocationResult>
}
