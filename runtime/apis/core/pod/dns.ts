import type { HostAlias, PodDNSConfig, PodSpec } from '../../../../generated/apis/core/v1/pod.ts'
import { dnsSubdomainProblems } from '../../../kernel/meta/names.ts'
import { addressProblems } from '../../../kernel/values/ip-ranges.ts'
import type { Check, Field } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'

const mostServers = 3
const mostSearches = 32
const mostSearchText = 2048

/** A pod that takes nothing from the cluster names its own servers; lists have a length that resolvers can take. */
export function checkDns(spec: Field<PodSpec>): void {
  const { dnsPolicy, dnsConfig } = spec.value
  if (dnsPolicy === 'None') {
    const when = 'when `dnsPolicy` is None'
    if (dnsConfig === undefined) spec.required('dnsConfig', `must provide \`dnsConfig\` ${when}`)
    else if (!dnsConfig.nameservers?.length) {
      const why = `must provide at least one DNS nameserver ${when}`
      spec.required('dnsConfig.nameservers', why)
    } else spec.when('dnsConfig', checkConfig)
  } else spec.when('dnsConfig', checkConfig)
  for (const alias of spec.value.hostAliases ?? []) checkAlias(spec, alias)
}

/**
 * Each list is judged for its length before its entries. The limits are those of resolvers; a
 * search path may end with a dot.
 */
const checkConfig: Check<PodDNSConfig> = (config) => {
  const { nameservers, searches } = config.value
  const atMost = (key: keyof PodDNSConfig, size: number, most: number, what: string) => {
    if (size > most) config.invalid(key, `must not have more than ${most} ${what}`)
  }
  atMost('nameservers', nameservers?.length ?? 0, mostServers, 'nameservers')
  config.each('nameservers', (one) => {
    if (addressProblems(one.value).length > 0) one.invalid('', notAnAddress)
  })
  atMost('searches', searches?.length ?? 0, mostSearches, 'search paths')
  const length = (searches ?? []).join(' ').length
  atMost('searches', length, mostSearchText, 'characters (including spaces) in the search list')
  config.each('searches', (one) =>
    one.invalidAll('', dnsSubdomainProblems(one.value.replace(/\.$/, ''))),
  )
  config.each('options', (option) => {
    if (!option.value.name) option.required('', 'must not be empty')
  })
}

/** Errors stand at the list, not at the alias. */
function checkAlias(spec: Field<PodSpec>, { ip = '', hostnames }: Loose<HostAlias>): void {
  if (addressProblems(ip).length > 0) spec.invalid('hostAliases.ip', notAnAddress, ip)
  for (const name of hostnames ?? []) {
    spec.invalidAll('hostAliases.hostnames', dnsSubdomainProblems(name), name)
  }
}

const notAnAddress = 'must be valid IP address'
