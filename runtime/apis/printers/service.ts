/** What a list of services shows. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Service, ServicePort } from '../types/shapes.ts'

const none = '<none>'

export function serviceClusterIP(object: ApiObject): string {
  const { clusterIP, clusterIPs } = (object as Service).spec ?? {}
  return clusterIPs?.[0] || clusterIP || none
}

/** The addresses that lead to a service from outside; a load balancer that has none yet is pending. */
export function serviceExternalIP(object: ApiObject): string {
  const { spec, status } = object as Service
  const external = spec?.externalIPs ?? []
  switch (spec?.type) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || none
    case 'LoadBalancer':
      return [...balancers(status), ...external].join(',') || '<pending>'
    case 'ExternalName':
      return spec.externalName ?? ''
    default:
      return '<unknown>'
  }
}

function balancers(status: Service['status']): readonly string[] {
  const found = (status?.loadBalancer?.ingress ?? []).map(
    ({ ip, hostname }) => ip || hostname || '',
  )
  return [...new Set(found)].filter((address) => address !== '').sort()
}

/** `80/TCP`, `80:30000/TCP`. */
export function servicePorts(object: ApiObject): string {
  return (object as Service).spec?.ports?.map(printPort).join(',') || none
}

function printPort({ port, nodePort, protocol }: ServicePort): string {
  return nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`
}

export function serviceSelector(object: ApiObject): string {
  const labels = Object.entries((object as Service).spec?.selector ?? {})
  return (
    labels
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join(',') || none
  )
}
