import { allocationStrategyOf, type Pools } from '../apis/apis.ts'
import { type Clock, pause } from '../kernel/async/clock.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import { type Log, silentLog } from '../observe/observe.ts'
import type { Entry } from '../store/store.ts'
import type { WatchCache } from '../watch/watch.ts'
import {
  allocateValue,
  allocationHolder,
  allocationKey,
  allocationsPrefix,
  releaseAllocation,
} from './storage/allocations.ts'
import { itemOf } from './storage/item.ts'
import { collectionPrefix } from './storage/keys.ts'

export interface RepairOptions {
  readonly store: WatchCache
  readonly kinds: readonly AnyKind[]
  readonly pools: Pools
  readonly clock: Clock
  readonly log?: Log
}

/** Longer than any request may take: what was claimed for one that is under way is no claim without a holder. */
const roundMs = 180_000

/**
 * Brings claims and holders together: claims what objects hold without a claim, and gives up claims that were seen
 * without their holder in this round and the one before. Gives those that the next round should look at.
 */
export async function repairClaims(
  { store, kinds, pools, log = silentLog }: RepairOptions,
  suspects: ReadonlySet<Entry> = new Set(),
): Promise<ReadonlySet<Entry>> {
  const held = new Set<string>()
  for (const kind of kinds) {
    const allocation = allocationStrategyOf(kind)
    if (allocation === undefined) continue
    for (const entry of (await store.list(collectionPrefix({ kind }))).entries) {
      const object = itemOf(entry).object()
      for (const holding of allocation.allocatedValues(object, pools)) {
        const key = allocationKey(holding)
        const { uid } = object.metadata
        const there = store.getCached(key) ?? (await allocateValue(store, kind, holding, object))
        if (there === undefined || allocationHolder(there).uid === uid) held.add(key)
        else log.warn('two objects hold one value', { ...holding, object: entry.key })
      }
    }
  }
  const { entries } = await store.list(allocationsPrefix)
  const loose = entries.filter((entry) => !held.has(entry.key) || !isLive(store, entry))
  await Promise.all(
    loose.filter((one) => suspects.has(one)).map((one) => releaseAllocation(store, one)),
  )
  return new Set(loose.filter((one) => !suspects.has(one)))
}

function isLive(store: WatchCache, entry: Entry): boolean {
  const { key, uid } = allocationHolder(entry)
  const holder = store.getCached(key)
  return holder !== undefined && itemOf(holder).object().metadata.uid === uid
}

/** Repairs again and again until `signal` aborts. */
export async function keepClaims(options: RepairOptions, signal: AbortSignal): Promise<void> {
  const { clock, log = silentLog } = options
  let suspects: ReadonlySet<Entry> = new Set()
  while (!signal.aborted) {
    await pause(clock, roundMs, signal)
    if (signal.aborted) return
    try {
      suspects = await repairClaims(options, suspects)
    } catch (error) {
      log.warn('claims not repaired', { reason: String(error) })
    }
  }
}
