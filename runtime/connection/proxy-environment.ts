/** The proxy that the environment names for a server. */
import { BlockList, isIP } from 'node:net'
import type { Environment } from './environment.ts'

/** The address of the proxy for `url` by HTTPS_PROXY or HTTP_PROXY, unless NO_PROXY names the host; lower case counts, too. */
export function proxyFromEnvironment(url: URL, environment: Environment): string | undefined {
  const scheme = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const proxy = variableOf(environment, scheme)
  if (proxy === '') return undefined
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  if (isLocal(host)) return undefined
  const excluded = variableOf(environment, 'NO_PROXY').split(',')
  if (excluded.some((entry) => matches(entry.trim().toLowerCase(), host, port))) return undefined
  return proxy.includes('://') ? proxy : `http://${proxy}`
}

function variableOf(environment: Environment, name: string): string {
  return environment[name] || environment[name.toLowerCase()] || ''
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** An entry is `*`, an address, a range of addresses, a name with all names below it, or only those by a dot before it. */
function matches(entry: string, host: string, port: string): boolean {
  if (entry === '') return false
  if (entry === '*') return true
  if (entry.includes('/')) return isInRange(host, entry)
  const [, name = entry, wanted] =
    /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? []
  if (wanted !== undefined && wanted !== port) return false
  const bare = name.replace(/^\[|\]$/g, '').replace(/^\*(?=\.)/, '')
  if (bare.startsWith('.')) return host.endsWith(bare)
  return host === bare || host.endsWith(`.${bare}`)
}

function isInRange(host: string, range: string): boolean {
  const [address = '', bits = ''] = range.split('/')
  const family = isIP(address)
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(bits)) return false
  if (Number(bits) > (family === 4 ? 32 : 128)) return false
  const type = family === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(address, Number(bits), type)
  return list.check(host, type)
}
