/**
 * What one write allocates of the ranges that all objects of a kind divide among them.
 *
 *  1. A value is allocated before the object that uses it is stored, and released after the object has let go of it: no two
 *     live objects have one value, whatever process wrote them.
 *  2. A write that fails releases what it allocated. A process that dies in between leaves an allocation without an object,
 *     which the controller `runtime/controllers/allocations.ts` releases.
 */
import {
  type AllocatedValue,
  type AllocationStrategy,
  allocationStrategyOf,
  type Pools,
} from '../../apis/apis.ts'
import type { Random } from '../../kernel/async/clock.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { Json } from '../../kernel/values/json.ts'
import { readObject } from '../../serializer/serializer.ts'
import type { Entry } from '../../store/store.ts'
import type { WatchCache } from '../../watch/watch.ts'
import type { WriteAllocations } from '../contract/context.ts'
import { invalid } from '../contract/errors.ts'
import {
  allocateValue,
  allocationHolder,
  allocationKey,
  releaseAllocation,
} from './stored-allocations.ts'

/** What values are allocated from: the store that holds the allocations, the pools, and what chooses among free values. */
export interface AllocationSources {
  readonly store: WatchCache
  readonly pools: Pools
  readonly random: Random
}

/** The allocations of one write request, over all its attempts. */
export class AllocationTransaction implements WriteAllocations {
  readonly #sources: AllocationSources
  readonly #kind: AnyKind
  readonly #allocation: AllocationStrategy
  readonly #dryRun: boolean
  /** What the attempts have allocated and no stored object uses yet, by key. */
  readonly #made = new Map<string, Entry>()
  /** What the object had before the change that is under way. */
  #before = new Map<string, Entry>()

  constructor(
    sources: AllocationSources,
    kind: AnyKind,
    allocation: AllocationStrategy,
    dryRun: boolean,
  ) {
    this.#sources = sources
    this.#kind = kind
    this.#allocation = allocation
    this.#dryRun = dryRun
  }

  /** Attempts of one request follow each other: what an earlier one allocated is released first. */
  async allocate(object: ApiObject, old: ApiObject | undefined): Promise<ApiObject> {
    await this.rollback()
    const { pools } = this.#sources
    const own = new Set(old && this.#allocation.allocatedValues(old, pools).map(allocationKey))
    this.expectRelease(old)
    const result = await this.#allocation.allocate(object, old, {
      pools,
      allocate: (pool, value) => this.#allocateGiven(pool, value, object, own),
      allocateNext: (pool) => this.#allocateNext(pool, object, own),
    })
    const { name = '' } = object.metadata
    if ('errors' in result) throw invalid(this.#kind, name, result.errors)
    if ('failure' in result) {
      throw new StatusError('InternalError', `Internal error occurred: ${result.failure}`)
    }
    if (result.object === object) return object
    return readObject(this.#kind, result.object as unknown as Json).object
  }

  async judge(object: ApiObject, old: ApiObject | undefined): Promise<void> {
    const dryRun = new AllocationTransaction(this.#sources, this.#kind, this.#allocation, true)
    await dryRun.allocate(object, old)
  }

  expectRelease(old: ApiObject | undefined): void {
    const { store, pools } = this.#sources
    const held = old === undefined ? [] : this.#allocation.allocatedValues(old, pools)
    const entries = held.flatMap((one) => store.getCached(allocationKey(one)) ?? [])
    const ofObject = entries.filter((entry) => allocationHolder(entry).uid === old?.metadata.uid)
    this.#before = new Map(ofObject.map((entry) => [entry.key, entry]))
  }

  commit(object: ApiObject | undefined): void {
    const { pools } = this.#sources
    const kept =
      object === undefined ? [] : this.#allocation.allocatedValues(object, pools).map(allocationKey)
    for (const [key, entry] of this.#before) this.#made.set(key, entry)
    for (const key of kept) this.#made.delete(key)
  }

  /** Releases what was allocated and is used by nothing that was stored. */
  async rollback(): Promise<void> {
    const left = [...this.#made.values()]
    this.#made.clear()
    this.#before.clear()
    await Promise.all(left.map((entry) => releaseAllocation(this.#sources.store, entry)))
  }

  /** Allocates a value that the object names; the result is the message of a field error, or undefined. */
  async #allocateGiven(
    pool: string,
    given: string,
    object: ApiObject,
    own: Set<string>,
  ): Promise<string | undefined> {
    const range = this.#sources.pools.get(pool)
    const key = allocationKey({ pool, value: given })
    if (range === undefined || own.has(key)) return undefined
    const canonical = range.canonicalize(given)
    if ('problem' in canonical) return canonical.problem
    const allocated = { pool, value: canonical.value }
    if (own.has(allocationKey(allocated))) return undefined
    return (await this.#allocateIfFree(allocated, object, own)) ? undefined : range.takenMessage
  }

  /** Allocates any free value; undefined if the pool is exhausted. */
  async #allocateNext(
    pool: string,
    object: ApiObject,
    own: Set<string>,
  ): Promise<string | undefined> {
    const { pools, random } = this.#sources
    for (const value of pools.get(pool)?.candidates(random) ?? []) {
      if (await this.#allocateIfFree({ pool, value }, object, own)) return value
    }
    return undefined
  }

  /** A dry run allocates nothing, and sees only what is taken already. `own`: keys that the object has, now or before. */
  async #allocateIfFree(
    allocated: AllocatedValue,
    object: ApiObject,
    own: Set<string>,
  ): Promise<boolean> {
    const { store } = this.#sources
    const key = allocationKey(allocated)
    if (own.has(key) || store.getCached(key) !== undefined) return false
    if (!this.#dryRun) {
      const entry = await allocateValue(store, this.#kind, allocated, object as Stored<ApiObject>)
      if (entry === undefined) return false
      this.#made.set(key, entry)
    }
    own.add(key)
    return true
  }
}

/** Runs a write that may allocate values, and releases those that it did not come to use. */
export async function withAllocations<T>(
  sources: AllocationSources,
  kind: AnyKind,
  dryRun: boolean,
  write: (allocations: WriteAllocations) => Promise<T>,
): Promise<T> {
  const allocation = allocationStrategyOf(kind)
  invariant(allocation !== undefined, `${kind.kind} allocates nothing`)
  const transaction = new AllocationTransaction(sources, kind, allocation, dryRun)
  try {
    return await write(transaction)
  } finally {
    await transaction.rollback()
  }
}
