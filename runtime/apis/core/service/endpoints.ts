import type { EndpointSubset } from '../../../../generated/apis/core/v1/endpoints.ts'
import { qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import type { Check } from '../../../kernel/walker/field.ts'

/**
 * Addresses, ready or not, and ports of which each has a name where there are several.
 * A subset with ports alone would lead nowhere. A single port may go without a name.
 */
export const endpointSubset: Check<EndpointSubset> = (subset) => {
  const { addresses, notReadyAddresses, ports } = subset.value
  if (!addresses?.length && !notReadyAddresses?.length) {
    subset.required('', 'must specify `addresses` or `notReadyAddresses`')
  }
  subset.visit('addresses', 'notReadyAddresses')
  subset.each('ports', (port) => {
    if (!port.value.name && (ports ?? []).length > 1) port.required('name')
    port.visit('name')
    if (port.value.appProtocol !== undefined) port.judge('appProtocol', qualifiedNameProblems)
  })
}
