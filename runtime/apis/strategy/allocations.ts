/** What objects hold of ranges that all objects share, by the names that `allocates` of schemas uses. */

import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Pools } from '../core/service/pools.ts'
import { serviceAddresses } from '../core/service/service-allocation.ts'

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

export const allocationStrategies: ReadonlyMap<string, AllocationStrategy> = new Map<
  string,
  AllocationStrategy
>([['serviceAddresses', serviceAddresses]])

/** How objects of a kind come to their share; undefined for kinds that have none. */
export function allocationStrategyOf({
  kind,
  allocator: allocates,
}: AnyKind): AllocationStrategy | undefined {
  if (allocates === undefined) return undefined
  const found = allocationStrategies.get(allocates)
  invariant(found !== undefined, `${kind} names the unknown allocation ${allocates}`)
  return found
}
