/** What objects hold of ranges that all objects share, by the names that `allocates` of schemas uses. */
import { invariant } from '../kernel/invariant.ts'
import type { AnyKind } from '../kernel/kind.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import type { Pools } from './pools.ts'
import { serviceAddresses } from './service-allocation.ts'

/** A value of a pool that an object holds, in its one form. */
export interface Holding {
  readonly pool: string
  readonly value: string
}

/** Takes values for one object. What it had already is its own: to take it again is no problem. */
export interface Lease {
  readonly pools: Pools
  /** Takes one value; gives the problem if nobody may have it or somebody else has. */
  readonly take: (pool: string, value: string) => Promise<string | undefined>
  /** Takes any value; undefined if there is none left. */
  readonly next: (pool: string) => Promise<string | undefined>
}

/** An object with what was allocated to it, or why it gets nothing. */
export type Allocated =
  | { readonly object: ApiObject }
  | { readonly findings: readonly Finding[] }
  /** Nobody's mistake: a range is used up, say. */
  | { readonly failure: string }

export interface Allocation {
  readonly holds: (object: ApiObject, pools: Pools) => readonly Holding[]
  /** Fills in what a valid object needs and its client left open; takes what the client chose. */
  readonly fill: (object: ApiObject, old: ApiObject | undefined, lease: Lease) => Promise<Allocated>
}

export const allocations: ReadonlyMap<string, Allocation> = new Map<string, Allocation>([
  ['serviceAddresses', serviceAddresses],
])

/** How objects of a kind come to their share; undefined for kinds that have none. */
export function allocationOf({ kind, allocates }: AnyKind): Allocation | undefined {
  if (allocates === undefined) return undefined
  const found = allocations.get(allocates)
  invariant(found !== undefined, `${kind} names the unknown allocation ${allocates}`)
  return found
}
