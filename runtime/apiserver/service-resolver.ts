import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import type { Registry } from '../registry/registry.ts'
import type { ServiceEndpoint, ServiceResolver } from '../webhook/webhook.ts'

/** A service, as far as it says where it is. */
export interface Service extends ApiObject {
  readonly spec?: {
    readonly type?: string
    readonly externalName?: string
    readonly clusterIP?: string
    readonly ports?: readonly ServicePort[] | null
  }
}

/** One of its ports. */
interface ServicePort {
  readonly name?: string
  readonly port: number
}

interface NumberedPort {
  readonly name?: string
  readonly port?: number
}

interface Endpoints extends ApiObject {
  readonly subsets?:
    | readonly {
        readonly addresses?: readonly { readonly ip: string }[] | null
        readonly ports?: readonly NumberedPort[] | null
      }[]
    | null
}

interface EndpointSlice extends ApiObject {
  readonly addressType: string
  readonly endpoints?:
    | readonly {
        readonly addresses: readonly string[]
        readonly conditions?: { readonly ready?: boolean }
      }[]
    | null
  readonly ports?: readonly NumberedPort[] | null
}

/**
 * Finds services by the objects of this server (supplement Q-09): one with an external name is
 * reached there; others at their ready addresses, in turns; one without addresses at its cluster
 * address.
 *
 * @throws an Error whose message says what is missing.
 */
export function serviceResolver(registryOf: () => Registry): ServiceResolver {
  const turns = new Map<string, number>()
  const turnOf = (service: string): number => {
    const turn = turns.get(service) ?? 0
    if (turns.size >= mostTurns) turns.clear()
    turns.set(service, turn + 1)
    return turn
  }
  return async (namespace, name, port) => {
    const objects = new NamespacedObjects(registryOf(), namespace)
    const service = (await objects.find('api/v1/services', name)) as Service | undefined
    if (service === undefined) throw new Error(`service "${name}" not found`)
    const { type, externalName = '', clusterIP = '', ports } = service.spec ?? {}
    if (type === 'ExternalName') return { host: externalName, port }
    const wanted = ports?.find((one) => one.port === port)
    if (wanted === undefined) throw new Error(`no service port ${port} found for service "${name}"`)
    const places = await objects.endpoints(name, wanted.name ?? '')
    const endpoint = places[turnOf(`${namespace}/${name}:${port}`) % places.length]
    if (endpoint !== undefined) return endpoint
    if (clusterIP !== '' && clusterIP !== 'None') return { host: clusterIP, port }
    throw new Error(`no endpoints available for service "${name}"`)
  }
}

/** Services whose turns are remembered; beyond, all begin anew. */
const mostTurns = 1000

/** The objects of one namespace that say where a service is. */
export class NamespacedObjects {
  readonly #registry: Registry
  readonly #namespace: string

  constructor(registry: Registry, namespace: string) {
    this.#registry = registry
    this.#namespace = namespace
  }

  async find(path: string, name: string): Promise<ApiObject | undefined> {
    const kind = this.#kind(path)
    if (kind === undefined) return undefined
    try {
      const target = { kind, namespace: this.#namespace, name }
      return (await this.#registry.get(target, {})).object()
    } catch (error) {
      if (isStatus(error, 'NotFound')) return undefined
      throw error
    }
  }

  /** Where the port of a service is ready: its endpoints say so, or the slices that bear its name. */
  async endpoints(service: string, port: string): Promise<readonly ServiceEndpoint[]> {
    const endpoints = (await this.find('api/v1/endpoints', service)) as Endpoints | undefined
    const places = endpoints === undefined ? [] : addressesOfEndpoints(endpoints, port)
    return places.length > 0 ? places : this.#placesOfSlices(service, port)
  }

  async #placesOfSlices(service: string, port: string): Promise<readonly ServiceEndpoint[]> {
    const { platform } = this.#registry.scheme
    const kind = this.#kind(`apis/discovery.${platform.api}/v1/endpointslices`)
    if (kind === undefined) return []
    const labelSelector = `${platform.domain}/service-name=${service}`
    const target = { kind, namespace: this.#namespace }
    const { items } = await this.#registry.list(target, { labelSelector })
    return items.flatMap((item) => addressesOfSlice(item.object() as EndpointSlice, port))
  }

  #kind(path: string): AnyKind | undefined {
    const { routes }: Scheme = this.#registry.scheme
    return Object.hasOwn(routes, path) ? routes[path] : undefined
  }
}

/** The ready addresses, each with the number that the port of this name has there. */
function addressesOfEndpoints({ subsets }: Endpoints, name: string): readonly ServiceEndpoint[] {
  return (subsets ?? []).flatMap(({ addresses, ports }) =>
    numbersOf(ports, name).flatMap((port) =>
      (addresses ?? []).map(({ ip }) => ({ host: ip, port })),
    ),
  )
}

/** Readiness that is not known counts as ready, as the API of slices says. */
function addressesOfSlice(slice: EndpointSlice, name: string): readonly ServiceEndpoint[] {
  const ready = (slice.endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false)
  return numbersOf(slice.ports, name).flatMap((port) =>
    ready.flatMap(({ addresses }) => addresses.map((host) => ({ host, port }))),
  )
}

/**
 * Ports correspond by name; the single port of a service may have none, which is the empty name.
 */
function numbersOf(
  ports: readonly NumberedPort[] | null | undefined,
  wanted: string,
): readonly number[] {
  return (ports ?? []).flatMap(({ name = '', port }) =>
    name === wanted && port !== undefined ? [port] : [],
  )
}
