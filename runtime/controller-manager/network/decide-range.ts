/** Whether a range of service addresses may go, and what it says of itself. */
import type { IPAddress } from '../../../generated/apis/networking/v1alpha1/ip-address.ts'
import type { ServiceCIDR } from '../../../generated/apis/networking/v1alpha1/service-cidr.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import {
  isStrictlyInside,
  offsetIn,
  parseRange,
  type Range,
} from '../../kernel/values/ip-ranges.ts'

/** Milliseconds after its deletion before a range goes: servers see until then that no more is taken from it. */
export const graceMs = 10_000

/** What is to be done with a range, the first that there is. */
export type RangePlan =
  | { readonly is: 'nothing' }
  | { readonly is: 'protect' }
  | { readonly is: 'ready' }
  /** It is to go, and addresses are in no other range. */
  | { readonly is: 'terminating' }
  | { readonly is: 'wait'; readonly ms: number }
  | { readonly is: 'release' }

type SeenRange = Pick<Stored<ServiceCIDR>, 'metadata' | 'spec' | 'status'>

/** What is to be done with a range among all ranges. */
export function decideRange(
  range: SeenRange,
  all: readonly SeenRange[],
  addresses: readonly Pick<IPAddress, 'metadata'>[],
  finalizer: string,
  now: number,
): RangePlan {
  const { deletionTimestamp, finalizers = [] } = range.metadata
  const isProtected = finalizers.includes(finalizer)
  const ready = range.status?.conditions?.find(({ type }) => type === 'Ready')?.status
  if (deletionTimestamp === undefined) {
    if (!isProtected) return { is: 'protect' }
    return ready === 'True' ? { is: 'nothing' } : { is: 'ready' }
  }
  if (!isProtected) return { is: 'nothing' }
  if (!mayGo(range, all, addresses))
    return ready === 'False' ? { is: 'nothing' } : { is: 'terminating' }
  const ms = Date.parse(deletionTimestamp) + graceMs - now
  return ms > 0 ? { is: 'wait', ms } : { is: 'release' }
}

/** True if each of its parts is in another range, or no address is in this one alone. */
function mayGo(
  range: SeenRange,
  all: readonly SeenRange[],
  addresses: readonly Pick<IPAddress, 'metadata'>[],
): boolean {
  const others = all
    .filter(({ metadata }) => metadata.name !== range.metadata.name)
    .flatMap(partsOf)
  const own = partsOf(range)
  if (own.every((part) => others.some((other) => isIn(part, other)))) return true
  const isInOne = (parts: readonly Range[], address: string) =>
    parts.some((part) => offsetIn(part, address) !== undefined)
  return !addresses.some(
    ({ metadata: { name = '' } = {} }) => isInOne(own, name) && !isInOne(others, name),
  )
}

function isIn(one: Range, other: Range): boolean {
  const isSame = one.family === other.family && one.first === other.first && one.bits === other.bits
  return isSame || isStrictlyInside(one, other)
}

/** True for ranges that have addresses in common. */
export function overlap(one: SeenRange, other: SeenRange): boolean {
  return partsOf(one).some((a) => partsOf(other).some((b) => isIn(a, b) || isIn(b, a)))
}

/** True for a range with this address. */
export function contains(range: SeenRange, address: string): boolean {
  return partsOf(range).some((part) => offsetIn(part, address) !== undefined)
}

function partsOf({ spec }: SeenRange): readonly Range[] {
  return (spec?.cidrs ?? []).flatMap((cidr) => parseRange(cidr) ?? [])
}
