/** The rules of Endpoints. */
import { dnsLabelProblems, dnsSubdomainProblems, qualifiedNameProblems } from '../kernel/names.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { endpointAddressProblems } from './endpoint-addresses.ts'
import { problems, required } from './findings.ts'
import type { Rule } from './kinds.ts'
import type { List } from './shapes.ts'

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
export const endpoints: Rule = {
  validate: (object) =>
    ((object as Endpoints).subsets ?? []).flatMap((subset, index) =>
      checkSubset(`subsets[${index}]`, subset),
    ),
}

function checkSubset(path: string, subset: Subset): readonly Finding[] {
  const { addresses, notReadyAddresses, ports } = subset
  const empty = !addresses?.length && !notReadyAddresses?.length
  return [
    ...(empty ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...checkAddresses(`${path}.addresses`, addresses),
    ...checkAddresses(`${path}.notReadyAddresses`, notReadyAddresses),
    ...checkPorts(`${path}.ports`, ports ?? []),
  ]
}

function checkAddresses(path: string, addresses: Subset['addresses']): readonly Finding[] {
  return (addresses ?? []).flatMap(({ ip = '', hostname, nodeName }, index) => {
    const at = `${path}[${index}]`
    return [
      ...problems(`${at}.ip`, ip, endpointAddressProblems(ip)),
      ...problems(`${at}.hostname`, hostname, hostname ? dnsLabelProblems(hostname) : []),
      ...problems(`${at}.nodeName`, nodeName, nodeName ? dnsSubdomainProblems(nodeName) : []),
    ]
  })
}

function checkPorts(path: string, ports: readonly Port[]): readonly Finding[] {
  return ports.flatMap(({ name, appProtocol: protocol }, index) => {
    const at = `${path}[${index}]`
    const nameless = !name && ports.length > 1
    return [
      ...(nameless ? [required(`${at}.name`)] : []),
      ...problems(`${at}.name`, name, name ? dnsLabelProblems(name) : []),
      ...problems(`${at}.appProtocol`, protocol, protocol ? qualifiedNameProblems(protocol) : []),
    ]
  })
}
