import { isIP } from 'node:net'
import type { Endpoint, EndpointSlice } from '../../../generated/apis/discovery/v1.ts'
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  qualifiedNameProblems,
} from '../../kernel/meta/names.ts'
import { change, changeAll } from '../../kernel/values/change.ts'
import { endpointAddressProblems } from '../../kernel/values/endpoint-addresses.ts'
import { plainAddress } from '../../kernel/values/ip-ranges.ts'
import type { Check, Field } from '../../kernel/walker/field.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'
import type { Strategy } from '../strategy/strategy.ts'

/**
 * Addresses are of the slice's type, port names differ; the topology of an older version cannot be
 * written.
 * Errors come endpoint by endpoint, addresses before the rest, and then those of the ports. That
 * addressType never changes the schema says.
 */
export const endpointSlice: Strategy<EndpointSlice> = {
  prepareCreate: withoutTopologies,
  prepareUpdate: withoutTopologies,
  warn: ({ addressType }, old) =>
    addressType === 'FQDN' && old === undefined
      ? ['spec.addressType: FQDN endpoints are deprecated']
      : [],
  check(object) {
    const { addressType } = object.value
    object.each('endpoints', (endpoint) => {
      if (!endpoint.value.addresses?.length) {
        endpoint.required('addresses', 'must contain at least 1 address')
      }
      endpoint.each('addresses', (address) =>
        address.invalidAll('', addressProblems(address.value, addressType)),
      )
      if (endpoint.value.hostname === '') endpoint.judge('hostname', dnsLabelProblems)
      if (endpoint.value.nodeName === '') endpoint.judge('nodeName', dnsSubdomainProblems)
      endpoint.visit('hostname', 'nodeName', 'hints')
    })
    checkPorts(object)
  },
}

/** The field is dropped without an error. */
function withoutTopologies(object: LooseObject<EndpointSlice>): LooseObject<EndpointSlice> {
  const endpoints = changeAll(object.endpoints, (endpoint) =>
    change(endpoint, { deprecatedTopology: undefined }),
  )
  return change(object, { endpoints })
}

/**
 * A domain has at least two labels and may end with a dot. Of an unknown type the schema has
 * reported the type, and its addresses are not judged. Addresses that make no sense for an
 * endpoint, such as loopback, are refused.
 */
function addressProblems(address: string, type: string | undefined): readonly string[] {
  switch (type) {
    case 'IPv4':
    case 'IPv6':
      return familyOf(address) === type
        ? endpointAddressProblems(address)
        : [`must be a valid ${type} address`, ...endpointAddressProblems(address).slice(1)]
    case 'FQDN':
      return domainProblems(address.replace(/\.$/, ''))
    default:
      return []
  }
}

/** The family of an address; one of IPv4 that is written as IPv6 is of IPv4. */
function familyOf(address: string): string | undefined {
  const plain = plainAddress(address)
  return plain && `IPv${isIP(plain)}`
}

function domainProblems(domain: string): readonly string[] {
  const problems = dnsSubdomainProblems(domain)
  if (problems.length > 0 || domain.includes('.')) return problems
  return ['should be a domain with at least two segments separated by dots']
}

/** The zones that an endpoint is meant for, each named once. */
export const endpointHints: Check<NonNullable<Endpoint['hints']>> = (hints) => {
  const names = new Set<string>()
  hints.each('forZones', (zone) => {
    zone.distinct('name', names)
    zone.visit('name')
  })
}

function checkPorts(object: Field<EndpointSlice>): void {
  const names = new Set<string>()
  object.each('ports', (port) => {
    checkName(port, names)
    if (port.value.appProtocol === '') port.judge('appProtocol', qualifiedNameProblems)
    port.visit('appProtocol')
  })
}

/** One nameless item is no duplicate, two are. */
function checkName(field: Field<{ readonly name?: string }>, names: Set<string>): void {
  field.visit('name')
  field.distinct('name', names)
}
