import type {
  Service as GeneratedService,
  ServicePort,
} from '../../../generated/apis/core/v1/service.ts'
import type { Loose, LooseObject } from '../../kernel/walker/loose.ts'

type Service = LooseObject<GeneratedService>

const none = '<none>'

/** The first address inside the cluster. */
export function serviceClusterIP({ spec }: Service): string {
  const { clusterIP, clusterIPs } = spec ?? {}
  return clusterIPs?.[0] || clusterIP || none
}

/** The addresses that lead to a service from outside; a load balancer that has none yet is pending. */
export function serviceExternalIP({ spec, status }: Service): string {
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
export function servicePorts({ spec }: Service): string {
  return spec?.ports?.map(printPort).join(',') || none
}

function printPort({ port, nodePort, protocol }: Loose<ServicePort>): string {
  return nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`
}

/** The labels of the pods, sorted as text. */
export function serviceSelector({ spec }: Service): string {
  const labels = Object.entries(spec?.selector ?? {})
  return (
    labels
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join(',') || none
  )
}
