/**
 * What objects hold of ranges that all of them share, as claims in the store.
 *
 *  1. A value is claimed by an entry of the store whose key is the value, so that of two who want it the store itself lets
 *     one have it, whatever process asks.
 *  2. A claim is there before the object that holds it and goes after it has let go: no two live objects hold one value.
 *  3. A write that fails gives up what it claimed. A process that dies in between leaves a claim without a holder, which
 *     `repairClaims` gives up.
 */
import { encode, parse, readObject } from '../codec/codec.ts'
import { invariant } from '../kernel/invariant.ts'
import type { Json } from '../kernel/json.ts'
import type { AnyKind } from '../kernel/kind.ts'
import type { ApiObject } from '../kernel/object.ts'
import { StatusError } from '../kernel/status.ts'
import type { Random } from '../kernel/time.ts'
import { type Allocation, allocationOf, type Holding, type Pools } from '../kinds/kinds.ts'
import type { Entry } from '../store/store.ts'
import type { WatchCache } from '../watch/watch.ts'
import { invalid, isStoreError } from './errors.ts'
import { keyOf } from './keys.ts'

/** What claims are made with: the store they stand in, the pools, and what chooses among free values. */
export interface ClaimSources {
  readonly store: WatchCache
  readonly pools: Pools
  readonly random: Random
}

/** The claims of one write request. */
export class Claims {
  readonly #sources: ClaimSources
  readonly #kind: AnyKind
  readonly #allocation: Allocation
  readonly #dryRun: boolean
  /** What the attempts of the request claimed, by key. */
  readonly #made = new Map<string, Entry>()
  /** What an object held before its last change. */
  #before = new Map<string, Entry>()

  constructor(sources: ClaimSources, kind: AnyKind, allocation: Allocation, dryRun: boolean) {
    this.#sources = sources
    this.#kind = kind
    this.#allocation = allocation
    this.#dryRun = dryRun
  }

  /** The object with its share of the ranges. Fails with Invalid if it cannot have what it asks for. */
  async fill(object: ApiObject, old: ApiObject | undefined): Promise<ApiObject> {
    await this.settle()
    const { pools } = this.#sources
    const mine = new Set(old && this.#allocation.holds(old, pools).map(claimKey))
    this.leaving(old)
    const filled = await this.#allocation.fill(object, old, {
      pools,
      take: (pool, value) => this.#take(pool, value, object, mine),
      next: (pool) => this.#next(pool, object, mine),
    })
    const { name = '' } = object.metadata
    if ('findings' in filled) throw invalid(this.#kind, name, filled.findings)
    if ('failure' in filled) {
      throw new StatusError('InternalError', `Internal error occurred: ${filled.failure}`)
    }
    if (filled.object === object) return object
    return readObject(this.#kind, filled.object as unknown as Json).object
  }

  /** Notes what an object holds that is about to change or to go. */
  leaving(old: ApiObject | undefined): void {
    const { store, pools } = this.#sources
    const held = old === undefined ? [] : this.#allocation.holds(old, pools)
    const entries = held.flatMap((one) => store.peek(claimKey(one)) ?? [])
    const own = entries.filter((entry) => holderOf(entry).uid === old?.metadata.uid)
    this.#before = new Map(own.map((entry) => [entry.key, entry]))
  }

  /** Notes that a write took place, and what it left; undefined for a deletion. */
  landed(object: ApiObject | undefined): void {
    const { pools } = this.#sources
    const kept = object === undefined ? [] : this.#allocation.holds(object, pools).map(claimKey)
    for (const [key, entry] of this.#before) this.#made.set(key, entry)
    for (const key of kept) this.#made.delete(key)
  }

  /** Gives up what was claimed and is held by nothing that was written. */
  async settle(): Promise<void> {
    const left = [...this.#made.values()]
    this.#made.clear()
    this.#before.clear()
    await Promise.all(left.map((entry) => giveUp(this.#sources.store, entry)))
  }

  async #take(
    pool: string,
    given: string,
    object: ApiObject,
    mine: Set<string>,
  ): Promise<string | undefined> {
    const range = this.#sources.pools.get(pool)
    const key = claimKey({ pool, value: given })
    if (range === undefined || mine.has(key)) return undefined
    const admitted = range.admit(given)
    if ('problem' in admitted) return admitted.problem
    const holding = { pool, value: admitted.value }
    if (mine.has(claimKey(holding))) return undefined
    return (await this.#claim(holding, object, mine)) ? undefined : range.taken
  }

  async #next(pool: string, object: ApiObject, mine: Set<string>): Promise<string | undefined> {
    const { pools, random } = this.#sources
    for (const value of pools.get(pool)?.values(random) ?? []) {
      if (await this.#claim({ pool, value }, object, mine)) return value
    }
    return undefined
  }

  async #claim(holding: Holding, object: ApiObject, mine: Set<string>): Promise<boolean> {
    const { store } = this.#sources
    const key = claimKey(holding)
    if (mine.has(key) || store.peek(key) !== undefined) return false
    if (!this.#dryRun) {
      const entry = await claim(store, this.#kind, holding, object)
      if (entry === undefined) return false
      this.#made.set(key, entry)
    }
    mine.add(key)
    return true
  }
}

/** Runs a write that may claim values, and gives up what it did not come to use. */
export async function claiming<T>(
  sources: ClaimSources,
  kind: AnyKind,
  dryRun: boolean,
  write: (claims: Claims) => Promise<T>,
): Promise<T> {
  const allocation = allocationOf(kind)
  invariant(allocation !== undefined, 'only kinds with an allocation claim values')
  const claims = new Claims(sources, kind, allocation, dryRun)
  try {
    return await write(claims)
  } finally {
    await claims.settle()
  }
}

/** What the keys of claims begin with: no collection has this place, for no group has this name. */
export const claimsPrefix = '/ranges/'

export function claimKey({ pool, value }: Holding): string {
  return `${claimsPrefix}${pool}/${value}`
}

/** Claims a value for an object; undefined if somebody has it. */
export async function claim(
  store: WatchCache,
  kind: AnyKind,
  holding: Holding,
  { metadata: { uid = '', name = '', namespace } }: ApiObject,
): Promise<Entry | undefined> {
  const holder = keyOf({ kind, ...(namespace !== undefined && { namespace }) }, name)
  const value = { metadata: { name: holding.value, uid }, holder }
  try {
    return await store.create(claimKey(holding), encode(value as never))
  } catch (error) {
    if (isStoreError(error, 'AlreadyExists')) return undefined
    throw error
  }
}

/** Who holds a claim: the uid of the object and its key. */
export function holderOf(entry: Entry): { readonly uid: string; readonly key: string } {
  const { metadata, holder } = parse(entry.value) as never as {
    readonly metadata: { readonly uid: string }
    readonly holder: string
  }
  return { uid: metadata.uid, key: holder }
}

/** Takes a claim back, unless it has changed hands. */
export async function giveUp(store: WatchCache, entry: Entry): Promise<void> {
  try {
    await store.delete(entry.key, entry.revision)
  } catch (error) {
    const gone = ['NotFound', 'Conflict', 'Closed'] as const
    if (!gone.some((reason) => isStoreError(error, reason))) throw error
  }
}
