import type { IPAddress } from '../../../generated/apis/networking/v1alpha1/ip-address.ts'
import type { ServiceCIDR } from '../../../generated/apis/networking/v1alpha1/service-cidr.ts'
import { canonicalAddress, parseRange, rangeProblems } from '../../kernel/values/ip-ranges.ts'
import type { Strategy } from '../strategy/strategy.ts'

/**
 * An address record is named by the address, and says what the address belongs to.
 * The name is the lock: two records of one address would differ in name if the address could be
 * written in two ways, so only the canonical form is accepted (IPv6 in lower case and shortened).
 */
export const ipAddress: Strategy<IPAddress> = {
  check(object) {
    const { name = '' } = object.value.metadata ?? {}
    if (canonicalAddress(name) !== name) {
      object.invalid('metadata.name', 'must be a canonical format IP address', name)
    }
    const spec = object.child('spec')
    if (spec.value.parentRef === undefined) spec.required('parentRef')
    spec.visit('parentRef')
  },
}

/**
 * A service range has one range for each address family at most.
 * Errors of number come alone. Whether two ranges are of one family is asked only if both can be
 * read.
 */
export const serviceCIDR: Strategy<ServiceCIDR> = {
  check(object) {
    const spec = object.child('spec')
    const cidrs = spec.value.cidrs ?? []
    if (cidrs.length === 0) return spec.required('cidrs', 'at least one CIDR required')
    if (cidrs.length > 2) return spec.invalid('cidrs', 'may only hold up to 2 values')
    spec.each('cidrs', (cidr) => cidr.invalidAll('', rangeProblems(cidr.value)))
    const families = new Set(cidrs.map((cidr) => parseRange(cidr)?.family))
    if (families.size === cidrs.length || families.has(undefined)) return
    const why =
      'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'
    spec.invalid('cidrs', why)
  },
}
