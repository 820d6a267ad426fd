import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import { serviceAddresses } from '../core/service/service-allocation.ts'
import type { AllocationStrategy } from '../strategy/allocator.ts'

/** The strategies of allocation, by the names that schema files use. */
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
