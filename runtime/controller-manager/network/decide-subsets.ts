/** The subsets of endpoints: addresses that have the same ports in common. */
import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
} from '../../../generated/apis/core/v1/endpoints.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Service, ServicePort } from '../../../generated/apis/core/v1/service.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { isReady } from '../pods/pod-state.ts'
import {
  addressesOf,
  type Family,
  hostnameOf,
  isHeadless,
  isReachable,
  targetOf,
} from './service-pods.ts'

/** The most addresses that endpoints have. */
const capacity = 1000

/** An address, and whether it is ready. */
interface Place {
  readonly address: EndpointAddress
  readonly ready: boolean
}

/** A port, and the addresses that have it. */
interface OpenPort {
  /** Undefined for a headless service without ports. */
  readonly port: EndpointPort | undefined
  readonly places: Place[]
}

/** The subsets of a service: pods with the same open ports are in one. */
export function decideSubsets(
  service: Stored<Service>,
  pods: readonly Stored<Pod>[],
): readonly EndpointSubset[] {
  const { ports = [], publishNotReadyAddresses = false } = service.spec ?? {}
  const open = new Map<string, OpenPort>()
  for (const pod of pods) {
    if (!isReachable(pod, publishNotReadyAddresses)) continue
    const address = addressOf(pod, service)
    if (address === undefined) continue
    const place = { address, ready: publishNotReadyAddresses || isReady(pod) }
    for (const port of portsOf(pod, ports, service)) {
      const key = JSON.stringify(port ?? {})
      const known = open.get(key)
      if (known === undefined) open.set(key, { port, places: [place] })
      else known.places.push(place)
    }
  }
  return subsetsOf([...open.values()])
}

/** The open ports of a pod; one without a number for a headless service that has none. */
function portsOf(
  pod: Stored<Pod>,
  ports: readonly ServicePort[],
  service: Stored<Service>,
): readonly (EndpointPort | undefined)[] {
  if (ports.length === 0) return isHeadless(service) ? [undefined] : []
  return ports.flatMap((one) => {
    const { name, protocol = 'TCP', appProtocol } = one
    const port = targetOf(pod, one)
    if (port === undefined) return []
    return [{ ...(name && { name }), port, protocol, ...(appProtocol && { appProtocol }) }]
  })
}

function addressOf(pod: Stored<Pod>, service: Stored<Service>): EndpointAddress | undefined {
  const [family] = service.spec?.ipFamilies ?? []
  const [ip] = addressesOf(pod, (family ?? 'IPv4') as Family)
  if (ip === undefined) return undefined
  const { namespace, name, uid } = pod.metadata
  const nodeName = pod.spec?.nodeName
  const hostname = hostnameOf(pod, service)
  return {
    ip,
    ...(hostname !== undefined && { hostname }),
    ...(nodeName && { nodeName }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  }
}

/** The same endpoints in as few subsets as may be, in a fixed order. What is not ready in one subset is ready in none with that port. */
export function repacked(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  const open = new Map<string, { port: EndpointPort | undefined; places: Place[] }>()
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    const places = [
      ...addresses.map((address) => ({ address, ready: true })),
      ...notReadyAddresses.map((address) => ({ address, ready: false })),
    ]
    for (const port of ports.length === 0 ? [undefined] : ports) {
      const key = JSON.stringify(port ?? null)
      const known = open.get(key) ?? { port, places: [] }
      known.places.push(...places)
      open.set(key, known)
    }
  }
  return subsetsOf(
    [...open.values()].map(({ port, places }) => ({
      port,
      places: places.sort((one, other) => Number(other.ready) - Number(one.ready)),
    })),
  )
}

/** Ports that have the same addresses become one subset. */
function subsetsOf(open: readonly OpenPort[]): readonly EndpointSubset[] {
  const subsets = new Map<
    string,
    { readonly places: readonly Place[]; readonly ports: EndpointPort[] }
  >()
  for (const { port, places } of open) {
    const unique = new Map(places.map((place) => [keyOf(place.address), place]))
    const sorted = [...unique.entries()].sort(([a], [b]) => (a < b ? -1 : 1))
    const key = sorted.map(([name, { ready }]) => `${name} ${ready}`).join('\n')
    const known = subsets.get(key) ?? { places: sorted.map(([, place]) => place), ports: [] }
    if (port !== undefined) known.ports.push(port)
    subsets.set(key, known)
  }
  const shown = [...subsets.values()].map(({ places, ports }) => {
    const of = (state: boolean) =>
      places.filter(({ ready }) => ready === state).map(({ address }) => address)
    return {
      ...listed('addresses', of(true)),
      ...listed('notReadyAddresses', of(false)),
      ...listed('ports', ports.sort(byName)),
    }
  })
  return shown.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

function listed<K extends string, T>(key: K, list: readonly T[]) {
  return (list.length === 0 ? {} : { [key]: list }) as { readonly [P in K]?: readonly T[] }
}

function keyOf({ ip, targetRef }: EndpointAddress): string {
  return `${ip} ${targetRef?.uid ?? ''}`
}

function byName(one: EndpointPort, other: EndpointPort): number {
  const [a, b] = [one, other].map(({ name = '', port, protocol }) => `${name} ${protocol} ${port}`)
  return a! < b! ? -1 : 1
}

/** Subsets with as many addresses as endpoints may have, ready ones first; undefined if none has to go. */
export function truncated(
  subsets: readonly EndpointSubset[],
): readonly EndpointSubset[] | undefined {
  const count = (key: 'addresses' | 'notReadyAddresses') =>
    subsets.reduce((sum, subset) => sum + (subset[key]?.length ?? 0), 0)
  const [ready, notReady] = [count('addresses'), count('notReadyAddresses')]
  if (ready + notReady <= capacity) return undefined
  const cut = ready > capacity ? 'addresses' : 'notReadyAddresses'
  const [most, total] = ready > capacity ? [capacity, ready] : [capacity - ready, notReady]
  let left = most
  return subsets.map(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const list = cut === 'addresses' ? addresses : notReadyAddresses
    const kept = list.slice(0, Math.min(left, Math.ceil((list.length / total) * most)))
    left -= kept.length
    return {
      ...listed('addresses', cut === 'addresses' ? kept : addresses),
      ...listed('notReadyAddresses', cut === 'addresses' ? [] : kept),
      ...listed('ports', ports),
    }
  })
}
