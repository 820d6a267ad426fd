import { canonicalAddress } from '../../kernel/values/ip-ranges.ts'
import type { ClusterNames } from '../contract/cluster-names.ts'
import { namedEndpoints } from './endpoint-names.ts'

/** The address that a reverse name stands for; undefined for other names. */
export function reverseAddress(name: string): string | undefined {
  const four = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.in-addr\.arpa$/.exec(name)
  if (four !== null) return canonicalAddress(four.slice(1).reverse().join('.'))
  const six = /^((?:[0-9a-f]\.){32})ip6\.arpa$/.exec(name)?.[1]
  if (six === undefined) return undefined
  const digits = six.split('.').reverse().join('')
  return canonicalAddress(digits.match(/.{4}/g)?.join(':') ?? '')
}

/** The names below the domain that an address has: of services, and of endpoints with a host name. */
export function namesAt(address: string, names: ClusterNames): readonly string[] {
  const own = names
    .servicesAt(address)
    .map(({ metadata }) => `${metadata.name}.${metadata.namespace}.svc`)
  const endpoints = names.slicesAt(address).flatMap((slice) => {
    const service = names.serviceOf(slice)
    if (service === undefined) return []
    return namedEndpoints([slice])
      .filter((one) => one.hasHostname && one.address === address)
      .map(({ label }) => `${label}.${service}.${slice.metadata.namespace}.svc`)
  })
  return [...new Set([...own, ...endpoints])]
}
