import type {
  EndpointAddress,
  EndpointSubset,
} from '../../../../generated/apis/core/v1/endpoints.ts'
import { dnsSubdomainProblems, qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import { endpointAddressProblems } from '../../../kernel/values/endpoint-addresses.ts'
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
  subset.each('addresses', checkAddress)
  subset.each('notReadyAddresses', checkAddress)
  subset.each('ports', (port) => {
    if (!port.value.name && (ports ?? []).length > 1) port.required('name')
    port.visit('name')
    if (port.value.appProtocol !== undefined) port.judge('appProtocol', qualifiedNameProblems)
  })
}

/** That an address is one is judged before its names, what it means after them. */
const checkAddress: Check<EndpointAddress> = (address) => {
  const { ip = '' } = address.value
  const problems = endpointAddressProblems(ip)
  address.invalidAll('ip', problems.slice(0, -1), ip)
  if (address.value.nodeName === '') address.judge('nodeName', dnsSubdomainProblems)
  address.visit('hostname', 'nodeName')
  address.afterwards(() => address.invalidAll('ip', problems.slice(-1), ip))
}
