/** Which endpoints of a port of a service are used. */

import type { ServicePort } from '../../../generated/apis/core/v1/service.ts'
import type { Endpoint, EndpointSlice } from '../../../generated/apis/discovery/v1.ts'
import { canonicalAddress } from '../../kernel/values/ip-ranges.ts'
import type { Backend } from '../contract/plan.ts'

/** An endpoint of one port. */
export interface PortEndpoint extends Backend {
  readonly isReady: boolean
  /** True for one that ends and still answers. */
  readonly isServing: boolean
  readonly isLocal: boolean
}

/** The endpoints that slices have for a port of their service, at addresses of one family. */
export function endpointsOf(
  slices: readonly EndpointSlice[],
  { name = '', protocol = 'TCP' }: ServicePort,
  family: 4 | 6,
  nodeName: string,
): readonly PortEndpoint[] {
  const found = new Map<string, PortEndpoint>()
  for (const slice of slices) {
    if (slice.addressType !== (family === 4 ? 'IPv4' : 'IPv6')) continue
    const own = (slice.ports ?? []).filter(
      (port) => (port.name ?? '') === name && (port.protocol ?? 'TCP') === protocol,
    )
    for (const { port } of own) {
      if (port === undefined) continue
      for (const endpoint of slice.endpoints ?? []) {
        const one = endpointAt(endpoint, port, nodeName)
        if (one !== undefined) found.set(`${one.address} ${port}`, one)
      }
    }
  }
  return [...found.values()].sort(byPlace)
}

function endpointAt(
  { addresses, conditions = {}, nodeName }: Endpoint,
  port: number,
  own: string,
): PortEndpoint | undefined {
  const address = canonicalAddress(addresses[0] ?? '')
  if (address === undefined) return undefined
  const isReady = conditions.ready !== false
  const isServing = conditions.serving ?? isReady
  return {
    ...{ address, port, isReady, isLocal: nodeName === own },
    isServing: isServing && conditions.terminating === true,
  }
}

function byPlace(a: Backend, b: Backend): number {
  if (a.address !== b.address) return a.address < b.address ? -1 : 1
  return a.port - b.port
}

/** The backends under a policy: those that are ready, or while there is none, those that end and still answer. */
export function backendsOf(
  endpoints: readonly PortEndpoint[],
  policy: 'Cluster' | 'Local',
): { readonly backends: readonly Backend[]; readonly hasOthers: boolean } {
  const allowed = policy === 'Local' ? endpoints.filter(({ isLocal }) => isLocal) : endpoints
  const usable = usableOf(allowed)
  const hasOthers = usable.length === 0 && usableOf(endpoints).length > 0
  return { backends: usable.map(({ address, port }) => ({ address, port })), hasOthers }
}

function usableOf(endpoints: readonly PortEndpoint[]): readonly PortEndpoint[] {
  const ready = endpoints.filter(({ isReady }) => isReady)
  return ready.length > 0 ? ready : endpoints.filter(({ isServing }) => isServing)
}
