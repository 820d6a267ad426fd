import { type Random, systemRandom } from '../../kernel/async/clock.ts'
import type { Registry } from '../../registry/registry.ts'
import type { ServiceEndpoint, ServiceResolver } from '../../webhook/webhook.ts'
import { NamespacedObjects, type Service } from '../service-resolver.ts'

/** How requests to the services of other servers get there. */
export type ServiceRouting = 'cluster' | 'endpoints'

const addressed = ['ClusterIP', 'LoadBalancer', 'NodePort']

/**
 * Finds the services of other servers: at their cluster address or external name, which something in the network leads on; or at one of their
 * ready addresses, any of them, where nothing in the network does.
 *
 * @throws an Error whose message says what is missing.
 */
export function serviceRoutes(
  registry: Registry,
  routing: ServiceRouting,
  random: Random = systemRandom,
): ServiceResolver {
  return async (namespace, name, port) => {
    const objects = new NamespacedObjects(registry, namespace)
    const service = (await objects.find('api/v1/services', name)) as Service | undefined
    if (service === undefined) throw new Error(`service "${name}" not found`)
    const { type = 'ClusterIP', clusterIP = '', externalName = '' } = service.spec ?? {}
    if (routing === 'endpoints') return anyEndpoint(objects, service, { port, random })
    if (type === 'ExternalName') return { host: externalName, port }
    if (type === 'ClusterIP' && clusterIP === 'None')
      throw new Error('cannot route to service with ClusterIP "None"')
    if (!addressed.includes(type)) throw new Error(`unsupported service type "${type}"`)
    portOf(service, port)
    return { host: clusterIP, port }
  }
}

async function anyEndpoint(
  objects: NamespacedObjects,
  service: Service,
  { port, random }: { readonly port: number; readonly random: Random },
): Promise<ServiceEndpoint> {
  const { name = '' } = service.metadata
  const { type = 'ClusterIP' } = service.spec ?? {}
  if (!addressed.includes(type)) throw new Error(`unsupported service type "${type}"`)
  const places = await objects.endpoints(name, portOf(service, port).name ?? '')
  const place = places[Math.floor(random() * places.length)]
  if (place === undefined) throw new Error(`no endpoints available for service "${name}"`)
  return place
}

function portOf({ metadata: { name }, spec }: Service, port: number) {
  const found = spec?.ports?.find((one) => one.port === port)
  if (found === undefined) throw new Error(`no service port ${port} found for service "${name}"`)
  return found
}
