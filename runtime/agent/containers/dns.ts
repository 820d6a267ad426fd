/** Where the containers of a pod look names up. */
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { DnsSettings } from '../../container-runtime/container-runtime.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { specOf } from '../../pods/pods.ts'

/** What a node knows of names. */
export interface NodeDns {
  /** Servers that know the names of services. */
  readonly clusterServers: readonly string[]
  readonly clusterDomain: string
  /** The settings of the node itself. */
  own(): DnsSettings
}

const mostServers = 3
const mostSearches = 32
const nothing: DnsSettings = { servers: [], searches: [], options: [] }

/** What a pod finds in its file of DNS settings. */
export function dnsOf(pod: Stored<Pod>, node: NodeDns): DnsSettings {
  const { dnsPolicy = 'ClusterFirst', dnsConfig = {}, hostNetwork } = specOf(pod)
  const first = baseOf()
  const asked = (dnsConfig.options ?? []).map(({ name = '', value }) =>
    value === undefined ? name : `${name}:${value}`,
  )
  const names = new Set(asked.map(nameOf))
  return {
    servers: unique([...first.servers, ...(dnsConfig.nameservers ?? [])]).slice(0, mostServers),
    searches: unique([...first.searches, ...(dnsConfig.searches ?? [])]).slice(0, mostSearches),
    options: [...first.options.filter((option) => !names.has(nameOf(option))), ...asked],
  }

  function baseOf(): DnsSettings {
    if (dnsPolicy === 'None') return nothing
    const isCluster = dnsPolicy === 'ClusterFirst' && !hostNetwork
    const own = node.own()
    const usesCluster = isCluster || dnsPolicy === 'ClusterFirstWithHostNet'
    if (!usesCluster || node.clusterServers.length === 0) return own
    const { namespace } = pod.metadata
    const { clusterDomain: domain } = node
    const searches = domain === '' ? [] : [`${namespace}.svc.${domain}`, `svc.${domain}`, domain]
    return {
      servers: node.clusterServers,
      searches: unique([...searches, ...own.searches]),
      options: ['ndots:5'],
    }
  }
}

/** True for a pod that asks for the servers of names of services where there are none: it has the settings of the node. */
export function missesClusterDns(pod: Stored<Pod>, node: NodeDns): boolean {
  const { dnsPolicy = 'ClusterFirst', hostNetwork } = specOf(pod)
  const isCluster = dnsPolicy === 'ClusterFirst' && !hostNetwork
  return node.clusterServers.length === 0 && (isCluster || dnsPolicy === 'ClusterFirstWithHostNet')
}

/** Reads the settings of a file such as /etc/resolv.conf. */
export function readResolvConf(text: string): DnsSettings {
  const servers: string[] = []
  let searches: readonly string[] = []
  let options: readonly string[] = []
  for (const line of text.split('\n')) {
    const [word, ...rest] = line.trim().split(/\s+/)
    if (word === 'nameserver' && rest[0] !== undefined) servers.push(rest[0])
    else if (word === 'search') searches = rest.filter((one) => one !== '.')
    else if (word === 'options') options = rest
  }
  return { servers, searches, options }
}

function nameOf(option: string): string {
  return option.replace(/:.*/s, '')
}

function unique(words: readonly string[]): readonly string[] {
  return [...new Set(words.filter((word) => word !== ''))]
}
