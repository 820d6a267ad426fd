/** The rules of EndpointSlice. */
import { isIP } from 'node:net'
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from '../../kernel/meta/names.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { change, changeAll } from '../strategy/change.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { endpointAddressProblems } from '../types/endpoint-addresses.ts'
import { duplicate, invalidAll } from '../types/field-errors.ts'
import type { List, Strings } from '../types/shapes.ts'

interface Endpoint {
  readonly addresses?: List<string>
  readonly hostname?: string
  readonly nodeName?: string
  readonly zone?: string
  readonly deprecatedTopology?: Strings
  readonly hints?: { readonly forZones?: List<{ readonly name?: string }> }
}

interface Port {
  readonly name?: string
  readonly port?: number
  readonly appProtocol?: string
}

/** What the rules and cells of EndpointSlice look at. */
export interface EndpointSlice extends ApiObject {
  readonly addressType?: string
  readonly endpoints?: List<Endpoint>
  readonly ports?: List<Port>
}

/** Addresses are of the slice's type, port names differ; the topology of an older version cannot be written. */
export const endpointSlice: Strategy = {
  prepareCreate: withoutTopologies,
  prepareUpdate: withoutTopologies,
  validate(object) {
    const { addressType, endpoints, ports } = object as EndpointSlice
    return [
      ...(endpoints ?? []).flatMap((endpoint, index) =>
        checkEndpoint(`endpoints[${index}]`, endpoint, addressType),
      ),
      ...checkPorts(ports ?? []),
    ]
  },
}

function withoutTopologies(object: ApiObject): ApiObject {
  const given = object as EndpointSlice
  return change(given, { endpoints: changeAll(given.endpoints, withoutTopology) })
}

function withoutTopology(endpoint: Endpoint): Endpoint {
  return change(endpoint, { deprecatedTopology: undefined })
}

function checkEndpoint(
  path: string,
  { addresses, hostname, nodeName, zone, hints }: Endpoint,
  type: string | undefined,
): readonly FieldError[] {
  return [
    ...(addresses ?? []).flatMap((address, index) =>
      invalidAll(`${path}.addresses[${index}]`, address, addressProblems(address, type)),
    ),
    ...invalidAll(`${path}.hostname`, hostname, hostname ? dnsLabelProblems(hostname) : []),
    ...invalidAll(`${path}.nodeName`, nodeName, nodeName ? dnsSubdomainProblems(nodeName) : []),
    ...invalidAll(`${path}.zone`, zone, zone ? labelValueProblems(zone) : []),
    ...checkZones(`${path}.hints.forZones`, hints?.forZones ?? []),
  ]
}

function addressProblems(address: string, type: string | undefined): readonly string[] {
  switch (type) {
    case 'IPv4':
      return isIP(address) === 4
        ? endpointAddressProblems(address)
        : ['must be a valid IPv4 address']
    case 'IPv6':
      return isIP(address) === 6
        ? endpointAddressProblems(address)
        : ['must be a valid IPv6 address']
    case 'FQDN':
      return address.includes('.')
        ? dnsSubdomainProblems(address.replace(/\.$/, ''))
        : ['should be a domain with at least two segments separated by dots']
    default:
      return []
  }
}

function checkZones(
  path: string,
  zones: readonly { readonly name?: string }[],
): readonly FieldError[] {
  const seen = new Set<string>()
  return zones.flatMap(({ name = '' }, index) => {
    const at = `${path}[${index}].name`
    const twice = seen.has(name)
    seen.add(name)
    return [
      ...(twice ? [duplicate(at, name)] : []),
      ...invalidAll(at, name, name ? labelValueProblems(name) : []),
    ]
  })
}

function checkPorts(ports: readonly Port[]): readonly FieldError[] {
  const names = new Set<string>()
  return ports.flatMap(({ name = '', appProtocol }, index) => {
    const path = `ports[${index}]`
    const twice = names.has(name)
    names.add(name)
    return [
      ...(twice ? [duplicate(`${path}.name`, name)] : []),
      ...invalidAll(`${path}.name`, name, name ? dnsLabelProblems(name) : []),
      ...invalidAll(
        `${path}.appProtocol`,
        appProtocol,
        appProtocol ? qualifiedNameProblems(appProtocol) : [],
      ),
    ]
  })
}
