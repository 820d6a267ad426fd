import type { LoadBalancerStatus, Service } from '../../generated/apis/core/v1/service.ts'
import { addressAt, familyOf, offsetIn, type Range } from '../kernel/values/ip-ranges.ts'

/** Ranges whose addresses lead nowhere: those of measurements between networks, and of documents. */
const ranges: readonly Range[] = [
  { family: 4, first: 0xc6_12_00_00n, bits: 15 },
  { family: 6, first: 0x2001_0db8n << 96n, bits: 32 },
]

/** A balancer, or a service that had one, as far as it says where it answers. */
interface Answering {
  readonly status?: LoadBalancerStatus
}

/**
 * Where the balancer of a service answers: one address of each family of the service. The one that the service asks for counts, then one
 * that it had, which outlasts this process in its status, then the first that no other has.
 *
 * @throws Error if another balancer answers at the address that the service asks for.
 */
export function balancerAddresses(
  { spec = {}, status }: Pick<Service, 'spec' | 'status'>,
  known: Answering | undefined,
  others: readonly Answering[],
): readonly string[] {
  const taken = new Set(others.flatMap(addressesOf))
  const had = [...addressesOf(known), ...addressesOf({ status: status?.loadBalancer })]
  const { loadBalancerIP: asked = '', ipFamilies = ['IPv4'] } = spec
  if (taken.has(asked)) throw new Error(`${asked} is the address of another balancer`)
  return ranges
    .filter(({ family }) => ipFamilies.includes(`IPv${family}`))
    .map((range) => {
      if (familyOf(asked) === range.family) return asked
      const kept = had.find((one) => offsetIn(range, one) !== undefined && !taken.has(one))
      return kept ?? firstFree(range, taken)
    })
}

function addressesOf(one: { readonly status?: LoadBalancerStatus | undefined } = {}): string[] {
  return (one.status?.ingress ?? []).flatMap(({ ip }) => ip ?? [])
}

/** There are more addresses in a range than services in a cluster. */
function firstFree(range: Range, taken: ReadonlySet<string>): string {
  for (let offset = 1; ; offset++) {
    const address = addressAt(range, offset)
    if (!taken.has(address)) return address
  }
}
