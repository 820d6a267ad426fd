/**
 * What objects hold of ranges that all of them share, as claims in the store.
 *
 *  1. A value is claimed by an entry of the store whose key is the value, so that of two who want it the store itself lets
 *     one have it, whatever process asks.
 *  2. A claim is there before the object that holds it and goes after it has let go: no two live objects hold one value.
 *  3. A write that fails gives up what it claimed. A process that dies in between leaves a claim without a holder, which
 *     `repairClaims` gives up.
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
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Json } from '../../kernel/values/json.ts'
import { encodeJson, parseTrustedJson, readObject } from '../../serializer/serializer.ts'
import type { Entry } from '../../store/store.ts'
import type { WatchCache } from '../../watch/watch.ts'
import type { WriteAllocations } from '../contract/context.ts'
import { invalid, isStoreError } from '../contract/errors.ts'
import { objectKey } from './keys.ts'

/** What claims are made with: the store they stand in, the pools, and what chooses among free values. */
export interface AllocationSources {
  readonly store: WatchCache
  readonly pools: Pools
  readonly random: Random
}

/** The claims of one write request. */
export class AllocationTransaction implements WriteAllocations {
  readonly #sources: AllocationSources
  readonly #kind: AnyKind
  readonly #allocation: AllocationStrategy
  readonly #dryRun: boolean
  /** What the attempts of the request claimed, by key. */
  readonly #made = new Map<string, Entry>()
  /** What an object held before its last change. */
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

  /** The object with its share of the ranges. Fails with Invalid if it cannot have what it asks for. */
  async allocate(object: ApiObject, old: ApiObject | undefined): Promise<ApiObject> {
    await this.rollback()
    const { pools } = this.#sources
    const mine = new Set(old && this.#allocation.allocatedValues(old, pools).map(allocationKey))
    this.expectRelease(old)
    const filled = await this.#allocation.allocate(object, old, {
      pools,
      allocate: (pool, value) => this.#take(pool, value, object, mine),
      allocateNext: (pool) => this.#next(pool, object, mine),
    })
    const { name = '' } = object.metadata
    if ('errors' in filled) throw invalid(this.#kind, name, filled.errors)
    if ('failure' in filled) {
      throw new StatusError('InternalError', `Internal error occurred: ${filled.failure}`)
    }
    if (filled.object === object) return object
    return readObject(this.#kind, filled.object as unknown as Json).object
  }

  /** Notes what an object holds that is about to change or to go. */
  expectRelease(old: ApiObject | undefined): void {
    const { store, pools } = this.#sources
    const held = old === undefined ? [] : this.#allocation.allocatedValues(old, pools)
    const entries = held.flatMap((one) => store.getCached(allocationKey(one)) ?? [])
    const own = entries.filter((entry) => allocationHolder(entry).uid === old?.metadata.uid)
    this.#before = new Map(own.map((entry) => [entry.key, entry]))
  }

  /** Notes that a write took place, and what it left; undefined for a deletion. */
  commit(object: ApiObject | undefined): void {
    const { pools } = this.#sources
    const kept =
      object === undefined ? [] : this.#allocation.allocatedValues(object, pools).map(allocationKey)
    for (const [key, entry] of this.#before) this.#made.set(key, entry)
    for (const key of kept) this.#made.delete(key)
  }

  /** Gives up what was claimed and is held by nothing that was written. */
  async rollback(): Promise<void> {
    const left = [...this.#made.values()]
    this.#made.clear()
    this.#before.clear()
    await Promise.all(left.map((entry) => releaseAllocation(this.#sources.store, entry)))
  }

  async #take(
    pool: string,
    given: string,
    object: ApiObject,
    mine: Set<string>,
  ): Promise<string | undefined> {
    const range = this.#sources.pools.get(pool)
    const key = allocationKey({ pool, value: given })
    if (range === undefined || mine.has(key)) return undefined
    const admitted = range.canonicalize(given)
    if ('problem' in admitted) return admitted.problem
    const holding = { pool, value: admitted.value }
    if (mine.has(allocationKey(holding))) return undefined
    return (await this.#claim(holding, object, mine)) ? undefined : range.takenMessage
  }

  async #next(pool: string, object: ApiObject, mine: Set<string>): Promise<string | undefined> {
    const { pools, random } = this.#sources
    for (const value of pools.get(pool)?.candidates(random) ?? []) {
      if (await this.#claim({ pool, value }, object, mine)) return value
    }
    return undefined
  }

  async #claim(holding: AllocatedValue, object: ApiObject, mine: Set<string>): Promise<boolean> {
    const { store } = this.#sources
    const key = allocationKey(holding)
    if (mine.has(key) || store.getCached(key) !== undefined) return false
    if (!this.#dryRun) {
      const entry = await allocateValue(store, this.#kind, holding, object)
      if (entry === undefined) return false
      this.#made.set(key, entry)
    }
    mine.add(key)
    return true
  }
}

/** Runs a write that may claim values, and gives up what it did not come to use. */
export async function withAllocations<T>(
  sources: AllocationSources,
  kind: AnyKind,
  dryRun: boolean,
  write: (claims: AllocationTransaction) => Promise<T>,
): Promise<T> {
  const allocation = allocationStrategyOf(kind)
  invariant(allocation !== undefined, 'only kinds with an allocation claim values')
  const claims = new AllocationTransaction(sources, kind, allocation, dryRun)
  try {
    return await write(claims)
  } finally {
    await claims.rollback()
  }
}

/** What the keys of claims begin with: no collection has this place, for no group has this name. */
export const allocationsPrefix = '/ranges/'

export function allocationKey({ pool, value }: AllocatedValue): string {
  return `${allocationsPrefix}${pool}/${value}`
}

/** Claims a value for an object; undefined if somebody has it. */
export async function allocateValue(
  store: WatchCache,
  kind: AnyKind,
  holding: AllocatedValue,
  { metadata: { uid = '', name = '', namespace } }: ApiObject,
): Promise<Entry | undefined> {
  const holder = objectKey({ kind, ...(namespace !== undefined && { namespace }) }, name)
  const value = { metadata: { name: holding.value, uid }, holder }
  try {
    return await store.create(allocationKey(holding), encodeJson(value as never))
  } catch (error) {
    if (isStoreError(error, 'AlreadyExists')) return undefined
    throw error
  }
}

/** Who holds a claim: the uid of the object and its key. */
export function allocationHolder(entry: Entry): { readonly uid: string; readonly key: string } {
  const { metadata, holder } = parseTrustedJson(entry.value) as never as {
    readonly metadata: { readonly uid: string }
    readonly holder: string
  }
  return { uid: metadata.uid, key: holder }
}

/** Takes a claim back, unless it has changed hands. */
export async function releaseAllocation(store: WatchCache, entry: Entry): Promise<void> {
  try {
    await store.delete(entry.key, entry.revision)
  } catch (error) {
    const gone = ['NotFound', 'Conflict', 'Closed'] as const
    if (!gone.some((reason) => isStoreError(error, reason))) throw error
  }
}
