/** The rules of Endpoints. */
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  qualifiedNameProblems,
} from '../../../kernel/meta/names.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { endpointAddressProblems } from '../../types/endpoint-addresses.ts'
import { invalidAll, required } from '../../types/field-errors.ts'
import type { List } from '../../types/shapes.ts'

interface Address {
  readonly ip?: string
  readonly hostname?: string
  readonly nodeName?: string
}

interface Port {
  readonly name?: string
  readonly port?: number
  readonly appProtocol?: string
}

interface Subset {
  readonly addresses?: List<Address>
  readonly notReadyAddresses?: List<Address>
  readonly ports?: List<Port>
}

/** What the rules and cells of Endpoints look at. */
export interface Endpoints extends ApiObject {
  readonly subsets?: List<Subset>
}

/** Each subset has addresses that others can reach, and names that tell its ports apart. */
export const endpoints: Strategy = {
  validate: (object) =>
    ((object as Endpoints).subsets ?? []).flatMap((subset, index) =>
      checkSubset(`subsets[${index}]`, subset),
    ),
}

function checkSubset(path: string, subset: Subset): readonly FieldError[] {
  const { addresses, notReadyAddresses, ports } = subset
  const empty = !addresses?.length && !notReadyAddresses?.length
  return [
    ...(empty ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...checkAddresses(`${path}.addresses`, addresses),
    ...checkAddresses(`${path}.notReadyAddresses`, notReadyAddresses),
    ...checkPorts(`${path}.ports`, ports ?? []),
  ]
}

function checkAddresses(path: string, addresses: Subset['addresses']): readonly FieldError[] {
  return (addresses ?? []).flatMap(({ ip = '', hostname, nodeName }, index) => {
    const at = `${path}[${index}]`
    return [
      ...invalidAll(`${at}.ip`, ip, endpointAddressProblems(ip)),
      ...invalidAll(`${at}.hostname`, hostname, hostname ? dnsLabelProblems(hostname) : []),
      ...invalidAll(`${at}.nodeName`, nodeName, nodeName ? dnsSubdomainProblems(nodeName) : []),
    ]
  })
}

function checkPorts(path: string, ports: readonly Port[]): readonly FieldError[] {
  return ports.flatMap(({ name, appProtocol: protocol }, index) => {
    const at = `${path}[${index}]`
    const nameless = !name && ports.length > 1
    return [
      ...(nameless ? [required(`${at}.name`)] : []),
      ...invalidAll(`${at}.name`, name, name ? dnsLabelProblems(name) : []),
      ...invalidAll(`${at}.appProtocol`, protocol, protocol ? qualifiedNameProblems(protocol) : []),
    ]
  })
}
