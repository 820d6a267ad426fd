/** The contract of allocation: values of ranges that all objects of the cluster share, such as addresses and ports. */
import type { Random } from '../../kernel/async/clock.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'

/** A range of values, without who holds which of them. */
export interface Pool {
  /** The one form that equal values have; a problem of a value that nobody can hold. */
  readonly canonicalize: (
    value: string,
  ) => { readonly value: string } | { readonly problem: string }
  /**
   * Every value once, from a random one on. The beginning of the range comes last: it is left to those who ask for a
   * value by itself.
   */
  readonly candidates: (random: Random) => Iterable<string>
  /** What is said of a value that somebody holds. */
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
  /** Takes one value; gives the problem if nobody may have it or somebody else has. */
  readonly allocate: (pool: string, value: string) => Promise<string | undefined>
  /** Takes any value; undefined if there is none left. */
  readonly allocateNext: (pool: string) => Promise<string | undefined>
}

/** An object with what was allocated to it, or why it gets nothing. */
export type AllocationResult =
  | { readonly object: ApiObject }
  | { readonly errors: readonly FieldError[] }
  /** Nobody's mistake: a range is used up, say. */
  | { readonly failure: string }

export interface AllocationStrategy {
  readonly allocatedValues: (object: ApiObject, pools: Pools) => readonly AllocatedValue[]
  /** Fills in what a valid object needs and its client left open; takes what the client chose. */
  readonly allocate: (
    object: ApiObject,
    old: ApiObject | undefined,
    lease: Allocator,
  ) => Promise<AllocationResult>
}
