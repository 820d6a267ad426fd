import { type AllocatedValue, allocationStrategyOf, type Pools } from '../apis/apis.ts'
import type { Client } from '../client/client.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import { type Log, silentLog } from '../observe/observe.ts'
import { again, type KeyController } from '../reconcile/reconcile.ts'
import type { AllocationTable, StoredAllocation } from '../registry/registry.ts'

/** What allocations are repaired with. */
export interface AllocationRepairOptions {
  readonly client: Client
  readonly allocations: AllocationTable
  /** Those of them whose objects hold values of common ranges are looked at. */
  readonly kinds: readonly AnyKind[]
  readonly pools: Pools
  readonly log?: Log
}

/** Longer than any request may take: what is allocated for one that is under way is not yet held by an object. */
const intervalMs = 180_000

/**
 * Brings allocations and the objects that hold them together, every three minutes.
 *
 *   reads    kinds whose objects hold values of common ranges (Service); allocations
 *   writes   allocations
 *   settles  when what objects hold is allocated to them, and nothing else
 */
export function allocationController(
  options: AllocationRepairOptions,
  /** What the repair before the start suspected. */
  initial: Suspects = new Set(),
): KeyController {
  let suspects = initial
  let isFirst = true
  return {
    name: 'allocation-repair',
    seeds: [{ name: 'all' }],
    async reconcile() {
      if (!isFirst) suspects = await repairAllocations(options, suspects)
      isFirst = false
      return again(intervalMs)
    },
  }
}

/** Allocations that no object held when they were last looked at. */
export type Suspects = ReadonlySet<string>

/** Repairs the allocations once; gives those that the next repair is to release if still no object holds them. */
export async function repairAllocations(
  { client, allocations, kinds, pools, log = silentLog }: AllocationRepairOptions,
  suspects: Suspects = new Set(),
): Promise<Suspects> {
  const allocated = await allocations.list()
  const held = await heldValues(client, allocations, kinds, pools)
  const plan = decideAllocations({ held, allocated }, suspects)
  for (const { value, object } of plan.conflicts) {
    log.warn('two objects hold one value', { ...value, object: object.metadata.name })
  }
  for (const { kind, value, object } of plan.allocate) {
    await allocations.allocate(kind, value, object)
  }
  await Promise.all(plan.release.map((one) => allocations.release(one)))
  return plan.suspects
}

/** A value that an object holds. */
export interface HeldValue {
  /** Names the value as its allocation does. */
  readonly key: string
  readonly kind: AnyKind
  readonly value: AllocatedValue
  readonly object: Stored<ApiObject>
}

/** What is to be done so that allocations say what objects hold. */
export interface AllocationPlan {
  readonly allocate: readonly HeldValue[]
  readonly release: readonly StoredAllocation[]
  /** Values that are allocated to another object than this holder. */
  readonly conflicts: readonly HeldValue[]
  readonly suspects: Suspects
}

/**
 * What is to be done so that allocations say what objects hold. A value that no object holds may be about to be held by
 * one that is being written: it is released when it was suspected before.
 */
export function decideAllocations(
  {
    held,
    allocated,
  }: { readonly held: readonly HeldValue[]; readonly allocated: readonly StoredAllocation[] },
  suspects: Suspects,
): AllocationPlan {
  const byKey = new Map(allocated.map((one) => [one.key, one]))
  const isConflict = ({ key, object }: HeldValue): boolean => {
    const allocation = byKey.get(key)
    return allocation !== undefined && allocation.uid !== object.metadata.uid
  }
  const right = new Set(held.filter((one) => !isConflict(one)).map(({ key }) => key))
  const loose = allocated.filter(({ key }) => !right.has(key))
  return {
    allocate: held.filter(({ key }) => !byKey.has(key)),
    release: loose.filter((one) => suspects.has(identityOf(one))),
    conflicts: held.filter(isConflict),
    suspects: new Set(loose.map(identityOf).filter((one) => !suspects.has(one))),
  }
}

/** Names an allocation: a value that is released and allocated again is another one. */
function identityOf({ key, revision }: StoredAllocation): string {
  return `${key}@${revision}`
}

/** What the objects of some kinds hold of common ranges. */
async function heldValues(
  client: Client,
  allocations: AllocationTable,
  kinds: readonly AnyKind[],
  pools: Pools,
): Promise<readonly HeldValue[]> {
  const held: HeldValue[] = []
  for (const kind of kinds) {
    const strategy = allocationStrategyOf(kind)
    if (strategy === undefined) continue
    const { items } = await client.resource<ApiObject>(kind).listAll()
    for (const object of items) {
      for (const value of strategy.allocatedValues(object, pools)) {
        held.push({ key: allocations.keyOf(value), kind, value, object })
      }
    }
  }
  return held
}
