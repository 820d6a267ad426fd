import type { Service, ServicePort } from '../../../generated/apis/core/v1/service.ts'
import type { EndpointSlice } from '../../../generated/apis/discovery/v1.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { canonicalAddress, familyOf, parseRange } from '../../kernel/values/ip-ranges.ts'
import type { Frontend, HealthPort, ServicePlan } from '../contract/plan.ts'
import { frontendKey } from '../contract/plan.ts'
import { backendsOf, endpointsOf, type PortEndpoint } from './backends.ts'

/** What there is. */
export interface Observed {
  readonly services: readonly Stored<Service>[]
  slicesOf(service: Stored<Service>): readonly EndpointSlice[]
  readonly nodeName: string
  /** Suffix of label keys. */
  readonly domain: string
}

const usualAffinitySeconds = 10_800

/** What is to be led where. Of two services that want the same place the older one has it. */
export function planServices(observed: Observed): ServicePlan {
  const services = observed.services.filter((one) => isLed(one, observed.domain)).sort(byAge)
  const frontends = new Map<string, Frontend>()
  for (const service of services) {
    for (const frontend of frontendsOf(service, observed)) {
      const key = frontendKey(frontend)
      if (!frontends.has(key)) frontends.set(key, frontend)
    }
  }
  const healthPorts = services.flatMap((service) => healthPortsOf(service, observed))
  return { frontends: [...frontends.values()], healthPorts }
}

/** False for services without an address, and for those that another proxy leads. */
function isLed({ metadata, spec }: Stored<Service>, domain: string): boolean {
  const { clusterIP = '', type } = spec ?? {}
  const isOthers = metadata.labels?.[`service.${domain}/service-proxy-name`] !== undefined
  return !isOthers && type !== 'ExternalName' && clusterIP !== '' && clusterIP !== 'None'
}

function byAge(a: Stored<Service>, b: Stored<Service>): number {
  const [one, other] = [a.metadata, b.metadata]
  if (one.creationTimestamp !== other.creationTimestamp) {
    return one.creationTimestamp < other.creationTimestamp ? -1 : 1
  }
  return one.uid < other.uid ? -1 : 1
}

function frontendsOf(service: Stored<Service>, observed: Observed): readonly Frontend[] {
  return (service.spec?.ports ?? []).flatMap((port) => [
    ...clusterFrontends(service, port, observed),
    ...externalFrontends(service, port, observed),
    ...nodeFrontends(service, port, observed),
  ])
}

function clusterFrontends(
  service: Stored<Service>,
  port: ServicePort,
  observed: Observed,
): readonly Frontend[] {
  const { clusterIPs, clusterIP = '', internalTrafficPolicy = 'Cluster' } = service.spec ?? {}
  return addressesOf(clusterIPs ?? [clusterIP]).map((address) => ({
    ...common(service, port),
    ...leading(endpointsAt(service, port, address, observed), internalTrafficPolicy),
    ...{ address, port: port.port, sources: [], keepsSource: true, isExternal: false },
  }))
}

/** External addresses, and those of a load balancer; a balancer has ranges of those who may come. */
function externalFrontends(
  service: Stored<Service>,
  port: ServicePort,
  observed: Observed,
): readonly Frontend[] {
  const { externalIPs = [], externalTrafficPolicy = 'Cluster', type } = service.spec ?? {}
  const ingress = type === 'LoadBalancer' ? (service.status?.loadBalancer?.ingress ?? []) : []
  const balanced = addressesOf(ingress.map(({ ip = '' }) => ip))
  const others = addressesOf(externalIPs)
  const ranges = (service.spec?.loadBalancerSourceRanges ?? []).map((one) => one.trim())
  return [...others, ...balanced].map((address, index) => ({
    ...common(service, port),
    ...leading(endpointsAt(service, port, address, observed), externalTrafficPolicy),
    ...{ address, port: port.port, isExternal: true },
    sources: index < others.length ? [] : ranges.filter((one) => isOfFamily(one, address)),
    keepsSource: externalTrafficPolicy === 'Local',
  }))
}

function nodeFrontends(
  service: Stored<Service>,
  port: ServicePort,
  observed: Observed,
): readonly Frontend[] {
  const { nodePort = 0 } = port
  const { externalTrafficPolicy = 'Cluster', type, clusterIP = '' } = service.spec ?? {}
  if (nodePort === 0 || (type !== 'NodePort' && type !== 'LoadBalancer')) return []
  return [
    {
      ...common(service, port),
      ...leading(endpointsAt(service, port, clusterIP, observed), externalTrafficPolicy),
      ...{ address: '', port: nodePort, sources: [], isExternal: true },
      keepsSource: externalTrafficPolicy === 'Local',
    },
  ]
}

function addressesOf(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => canonicalAddress(text) ?? [])
}

function isOfFamily(range: string, address: string): boolean {
  return parseRange(range)?.family === familyOf(address)
}

function common({ metadata, spec }: Stored<Service>, { name = '', protocol = 'TCP' }: ServicePort) {
  const seconds = spec?.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? usualAffinitySeconds
  return {
    name: `${metadata.namespace}/${metadata.name}${name === '' ? '' : `:${name}`}`,
    protocol,
    affinitySeconds: spec?.sessionAffinity === 'ClientIP' ? seconds : 0,
  }
}

function leading(endpoints: readonly PortEndpoint[], policy: 'Cluster' | 'Local') {
  const { backends, hasOthers } = backendsOf(endpoints, policy)
  return { backends, whenEmpty: hasOthers ? ('drop' as const) : ('refuse' as const) }
}

function endpointsAt(
  service: Stored<Service>,
  port: ServicePort,
  address: string,
  { slicesOf, nodeName }: Observed,
): readonly PortEndpoint[] {
  return endpointsOf(slicesOf(service), port, familyOf(address) ?? 4, nodeName)
}

/** Balancers ask the nodes of services that keep the addresses of clients. */
function healthPortsOf(service: Stored<Service>, observed: Observed): readonly HealthPort[] {
  const { namespace, name } = service.metadata
  const { healthCheckNodePort: port = 0, externalTrafficPolicy, ports = [] } = service.spec ?? {}
  if (port === 0 || externalTrafficPolicy !== 'Local') return []
  const { clusterIP = '' } = service.spec ?? {}
  const addresses = ports.flatMap((one) =>
    backendsOf(
      endpointsAt(service, one, clusterIP, observed).filter(({ isReady }) => isReady),
      'Local',
    ).backends.map(({ address }) => address),
  )
  return [{ namespace, name, port, localBackends: new Set(addresses).size }]
}
