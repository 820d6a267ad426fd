import type { EndpointSubset } from '../../../../generated/apis/core/v1/endpoints.ts'
import type { Check } from '../../../kernel/walker/field.ts'

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
