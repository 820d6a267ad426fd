import type { EndpointSubset, Endpoints } from '../../../../generated/apis/core/v1/endpoints.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import type { Check } from '../../validation/field.ts'

/** Each subset has addresses that others can reach, and names that tell its ports apart. */
export const endpoints: Strategy<Endpoints> = {
  check: (object) => object.visit('subsets'),
}

/** Addresses, ready or not, and ports of which each has a name where there are several. */
export const endpointSubset: Check<EndpointSubset> = (subset) => {
  const { addresses, notReadyAddresses, ports } = subset.value
  if (!addresses?.length && !notReadyAddresses?.length) {
    subset.required('', 'must specify `addresses` or `notReadyAddresses`')
  }
  subset.visit('addresses', 'notReadyAddresses')
  subset.each('ports', (port) => {
    if (!port.value.name && (ports ?? []).length > 1) port.required('name')
    port.visit('name', 'appProtocol')
  })
}
