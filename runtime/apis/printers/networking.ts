/** Cells of Ingress, IngressClass, IPAddress and ServiceCIDR. */
import type { Ingress } from '../../../generated/apis/networking/v1/ingress.ts'
import type { IngressClass } from '../../../generated/apis/networking/v1/ingress-class.ts'
import type { IPAddress } from '../../../generated/apis/networking/v1alpha1/ip-address.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'
import { formatFirst } from './format.ts'

const mostHosts = 3

/** The first hosts and how many more there are; `*` for an ingress that takes every host. */
export function ingressHosts({ spec }: LooseObject<Ingress>): string {
  const hosts = (spec?.rules ?? []).map(({ host }) => host || '*')
  return formatFirst(hosts, mostHosts, ',') || '*'
}

/** The addresses or names of the load balancers, joined by commas. */
export function ingressAddress({ status }: LooseObject<Ingress>): string {
  const points = status?.loadBalancer?.ingress ?? []
  return points
    .map(({ ip, hostname }) => ip || hostname || '')
    .filter(Boolean)
    .join(',')
}

/** `80`, and `443` where there are certificates. */
export function ingressPorts({ spec }: LooseObject<Ingress>): string {
  return spec?.tls?.length ? '80, 443' : '80'
}

/** `kind.group/name` of the object with the settings. */
export function ingressClassParameters({ spec }: LooseObject<IngressClass>): string {
  if (spec?.parameters === undefined) return '<none>'
  const { apiGroup, kind, name } = spec.parameters
  return `${apiGroup ? `${kind}.${apiGroup}` : kind}/${name}`
}

/** `resource.group/namespace/name` of the object that has the address. */
export function addressParent({ spec }: LooseObject<IPAddress>): string {
  if (spec?.parentRef === undefined) return '<none>'
  const { group, resource = '', namespace, name = '' } = spec.parentRef
  const type = (group ? `${resource}.${group}` : resource).toLowerCase()
  return [type, ...(namespace ? [namespace] : []), name].join('/')
}
