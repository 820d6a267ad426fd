/** How the processes of a pod resolve names. */
import { dnsSubdomainProblems } from '../../../kernel/meta/names.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { addressProblems } from '../../types/addresses.ts'
import { invalid, invalidAll, required } from '../../types/field-errors.ts'
import type { List, PodSpec } from '../../types/shapes.ts'

const mostServers = 3
const mostSearches = 32
const mostSearchText = 2048

export interface DnsConfig {
  readonly nameservers?: List<string>
  readonly searches?: List<string>
  readonly options?: List<{ readonly name?: string }>
}

export interface HostAlias {
  readonly ip?: string
  readonly hostnames?: List<string>
}

/** A pod that takes nothing from the cluster says itself whom to ask; lists have a length that resolvers can take. */
export function checkDns(path: string, spec: PodSpec): readonly FieldError[] {
  const at = `${path}.dnsConfig`
  const { dnsPolicy, dnsConfig, hostAliases } = spec
  return [
    ...(dnsPolicy === 'None' ? checkDnsPolicy(at, dnsConfig) : []),
    ...(dnsConfig ? checkConfig(at, dnsConfig) : []),
    ...(hostAliases ?? []).flatMap((alias, index) =>
      checkAlias(`${path}.hostAliases[${index}]`, alias),
    ),
  ]
}

function checkDnsPolicy(path: string, config: DnsConfig | undefined): readonly FieldError[] {
  const when = 'when `dnsPolicy` is None'
  if (config === undefined) return [required(path, `must provide \`dnsConfig\` ${when}`)]
  if ((config.nameservers?.length ?? 0) > 0) return []
  return [required(`${path}.nameservers`, `must provide at least one DNS nameserver ${when}`)]
}

function checkConfig(path: string, config: DnsConfig): readonly FieldError[] {
  const { nameservers, searches, options } = config
  const most = (what: string, count: number) => `must not have more than ${count} ${what}`
  const at = { servers: `${path}.nameservers`, searches: `${path}.searches` }
  return [
    ...((nameservers?.length ?? 0) > mostServers
      ? [invalid(at.servers, nameservers, most('nameservers', mostServers))]
      : []),
    ...(nameservers ?? []).flatMap((address, index) =>
      invalidAll(`${at.servers}[${index}]`, address, addressProblems(address)),
    ),
    ...((searches?.length ?? 0) > mostSearches
      ? [invalid(at.searches, searches, most('search paths', mostSearches))]
      : []),
    ...((searches ?? []).join(' ').length > mostSearchText
      ? [invalid(at.searches, searches, most(searchText, mostSearchText))]
      : []),
    ...(searches ?? []).flatMap((domain, index) =>
      invalidAll(
        `${at.searches}[${index}]`,
        domain,
        dnsSubdomainProblems(domain.replace(/\.$/, '')),
      ),
    ),
    ...(options ?? []).flatMap(({ name }, index) =>
      name ? [] : [required(`${path}.options[${index}]`, 'must not be empty')],
    ),
  ]
}

const searchText = 'characters (including spaces) in the search list'

function checkAlias(path: string, { ip = '', hostnames }: HostAlias): readonly FieldError[] {
  return [
    ...invalidAll(`${path}.ip`, ip, addressProblems(ip)),
    ...(hostnames ?? []).flatMap((name, index) =>
      invalidAll(`${path}.hostnames[${index}]`, name, dnsSubdomainProblems(name)),
    ),
  ]
}
