/** What lists of Ingress, IngressClass, NetworkPolicy, IPAddress and ServiceCIDR show. */
import { labelRequirementsOf, printLabelSelector } from '../../kernel/meta/label-selector.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Ingress, IngressClass } from '../networking/ingress.ts'
import type { NetworkPolicy } from '../networking/network-policy.ts'
import type { IPAddress, ServiceCIDR } from '../networking/service-cidr.ts'

const none = '<none>'
const mostHosts = 3

export function ingressClassName(object: ApiObject): string {
  return (object as Ingress).spec?.ingressClassName ?? none
}

/** The first hosts and how many more there are; `*` for an ingress that takes every host. */
export function ingressHosts(object: ApiObject): string {
  const rules = (object as Ingress).spec?.rules ?? []
  const hosts = rules.map(({ host }) => host || '*')
  if (hosts.length === 0) return '*'
  const more = hosts.length - mostHosts
  return hosts.slice(0, mostHosts).join(',') + (more > 0 ? ` + ${more} more...` : '')
}

export function ingressAddress(object: ApiObject): string {
  const points = (object as Ingress).status?.loadBalancer?.ingress ?? []
  return points
    .map(({ ip, hostname }) => ip || hostname || '')
    .filter(Boolean)
    .join(',')
}

export function ingressPorts(object: ApiObject): string {
  return ((object as Ingress).spec?.tls ?? []).length > 0 ? '80, 443' : '80'
}

/** `kind.group/name` of the object with the settings. */
export function ingressClassParameters(object: ApiObject): string {
  const { parameters } = (object as IngressClass).spec ?? {}
  if (parameters === undefined) return none
  const { apiGroup, kind, name } = parameters
  return `${apiGroup ? `${kind}.${apiGroup}` : kind}/${name}`
}

export function policyPodSelector(object: ApiObject): string {
  const requirements = labelRequirementsOf((object as NetworkPolicy).spec?.podSelector ?? {})
  return requirements === undefined ? '<error>' : printLabelSelector(requirements) || none
}

/** `resource.group/namespace/name` of the object that has the address. */
export function addressParent(object: ApiObject): string {
  const { parentRef } = (object as IPAddress).spec ?? {}
  if (parentRef === undefined) return none
  const { group, resource = '', namespace, name = '' } = parentRef
  const type = (group ? `${resource}.${group}` : resource).toLowerCase()
  return [type, ...(namespace ? [namespace] : []), name].join('/')
}

export function serviceCIDRs(object: ApiObject): string {
  return ((object as ServiceCIDR).spec?.cidrs ?? []).join(',')
}
