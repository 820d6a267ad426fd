/** The endpoints that the slices of a service are to hold, by the ports that they have in common. */
import { isIPv6 } from 'node:net'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Service } from '../../../generated/apis/core/v1/service.ts'
import type { Endpoint, EndpointPort, EndpointSlice } from '../../../generated/apis/discovery/v1.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { isReady } from '../pods/pod-state.ts'
import { addressesOf, type Family, hostnameOf, isReachable, targetOf } from './service-pods.ts'

/** Endpoints with the same ports. */
export interface PortGroup {
  readonly ports: readonly EndpointPort[]
  /** By what identifies an endpoint. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
}

/** What pods are seen with. */
export interface SeenPods {
  readonly service: Stored<Service>
  /** Those that the service selects. */
  readonly pods: readonly Stored<Pod>[]
  /** The zones of nodes; empty for one without, undefined for a node that there is not. */
  readonly zoneOf: (node: string) => string | undefined
}

/** The address families of a service. */
export function familiesOf({ spec }: Service): readonly Family[] {
  const { ipFamilies = [], clusterIP = '' } = spec ?? {}
  if (ipFamilies.length > 0) return ipFamilies as readonly Family[]
  if (clusterIP === '' || clusterIP === 'None') return ['IPv4', 'IPv6']
  return [isIPv6(clusterIP) ? 'IPv6' : 'IPv4']
}

/** The endpoints of a service in one family, by their ports. A pod whose node is not there is left out, unless all pods are to be found. */
export function portGroups(seen: SeenPods, family: Family): ReadonlyMap<string, PortGroup> {
  const { service, pods, zoneOf } = seen
  const groups = new Map<
    string,
    { readonly ports: readonly EndpointPort[]; readonly endpoints: Map<string, Endpoint> }
  >()
  for (const pod of pods) {
    if (!isReachable(pod, true)) continue
    const ports = portsOf(service, pod)
    const key = portsKey(ports)
    const group = groups.get(key) ?? { ports, endpoints: new Map() }
    groups.set(key, group)
    const zone = zoneOf(pod.spec?.nodeName ?? '')
    if (zone === undefined && service.spec?.publishNotReadyAddresses !== true) continue
    const endpoint = endpointOf(pod, service, { family, zone })
    if (endpoint.addresses.length > 0) group.endpoints.set(endpointKey(endpoint), endpoint)
  }
  return groups
}

/** Identifies the ports of a slice, in any order. */
export function portsKey(ports: EndpointSlice['ports'] = []): string {
  const texts = (ports ?? []).map(({ name = '', protocol = 'TCP', port, appProtocol = '' }) =>
    JSON.stringify([name, protocol, port ?? 0, appProtocol]),
  )
  return texts.sort().join()
}

/** Identifies an endpoint: what else it says may change. */
export function endpointKey({ addresses, hostname = '', targetRef }: Endpoint): string {
  const { namespace = '', name = '' } = targetRef ?? {}
  return JSON.stringify([[...addresses].sort(), hostname, namespace, name])
}

function portsOf({ spec }: Service, pod: Pod): readonly EndpointPort[] {
  return (spec?.ports ?? []).flatMap((one) => {
    const { name = '', protocol = 'TCP', appProtocol } = one
    const port = targetOf(pod, one)
    if (port === undefined) return []
    return [{ name, protocol, port, ...(appProtocol && { appProtocol }) }]
  })
}

function endpointOf(
  pod: Stored<Pod>,
  service: Stored<Service>,
  { family, zone }: { readonly family: Family; readonly zone: string | undefined },
): Endpoint {
  const { namespace, name, uid } = pod.metadata
  const serving = isReady(pod)
  const terminating = pod.metadata.deletionTimestamp !== undefined
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating)
  const hostname = hostnameOf(pod, service)
  const nodeName = pod.spec?.nodeName
  return {
    addresses: addressesOf(pod, family),
    conditions: { ready, serving, terminating },
    ...(hostname !== undefined && { hostname }),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(nodeName && { nodeName }),
    ...(zone && { zone }),
  }
}
