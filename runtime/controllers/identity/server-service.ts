import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Client, Draft, MergePatch } from '../../client/client.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { endpointAddressProblems } from '../../kernel/values/endpoint-addresses.ts'
import type { Json, JsonObject } from '../../kernel/values/json.ts'
import type { Log } from '../../observe/observe.ts'
import { again, done, type KeyController, watching } from '../../reconcile/reconcile.ts'
import type { ServerEndpoint } from '../../registry/registry.ts'
import { ignoreLostRace } from '../contract/lost-race.ts'
import { renewMs, type ServerPresence } from './server-presence.ts'

/** What the service is to say. */
export interface ServerServiceOptions {
  readonly scheme: Scheme
  /** The address of the service: the first one of the range. */
  readonly clusterIP: string
  /** Its port. Default 443. */
  readonly servicePort?: number
  /** Absent for a server that is not reached over a network. */
  readonly advertised?: ServerEndpoint
  /** The servers that share the store; absent where this one has it alone. */
  readonly presence?: ServerPresence
}

const namespace = 'default'

/** How long to wait after a failure: the address of a service that was just deleted is free a moment later only. */
const retryMs = 1000

/**
 * The service under which programs inside the cluster find the API (O-02). Its endpoints are the addresses of the servers that share the
 * store.
 *
 *   reads    Service, Endpoints, EndpointSlice: the three objects named like the platform in the namespace `default`
 *   writes   the same: create, patch
 *   wakes    when one of them changes, and while servers share a store every ten seconds
 *   settles  when they lead to the servers
 */
export function serverServiceController(options: ServerServiceOptions): KeyController {
  const { brand } = options.scheme.platform
  const scope = { namespace, fieldSelector: `metadata.name=${brand}` }
  const kinds = wantedObjects(options, []).map(({ kind }) => kind)
  return {
    name: 'server-service',
    watches: kinds.map((kind) => watching(kind, () => [{ name: kind.plural }], scope)),
    seeds: kinds.map(({ plural }) => ({ name: plural })),
    async reconcile({ name: plural }, { client, log }) {
      const wanted = wantedObjects(options, await endpointsOf(options))
      const one = wanted.find(({ kind }) => kind.plural === plural)
      if (one === undefined) return done
      if (!(await tryToEnsure(client, one, brand, log))) return again(retryMs)
      return options.presence === undefined ? done : again(renewMs)
    },
  }
}

/** Brings the three objects into the store. A service that cannot have its address is a warning, no failure. */
export async function syncServerService(
  options: ServerServiceOptions,
  client: Client,
  log: Log,
): Promise<void> {
  const { brand } = options.scheme.platform
  const wanted = wantedObjects(options, await endpointsOf(options))
  await Promise.all(wanted.map((one) => tryToEnsure(client, one, brand, log)))
}

/** Takes a server that stops out of the endpoints, unless it is the last one. What fails of it the others do a little later. */
export async function leaveServerService(
  options: ServerServiceOptions,
  client: Client,
  log: Log,
): Promise<void> {
  try {
    await options.presence?.leave()
    const others = await endpointsOf(options)
    if (others.length > 0) await syncServerService(options, client, log)
  } catch (error) {
    log.warn('this server stays among the endpoints for now', { reason: String(error) })
  }
}

async function endpointsOf({
  advertised,
  presence,
}: ServerServiceOptions): Promise<readonly ServerEndpoint[]> {
  if (presence !== undefined) return presence.endpoints()
  return advertised === undefined ? [] : [advertised]
}

/** Resolves to false after a failure, of which the log then tells. */
async function tryToEnsure(
  client: Client,
  wanted: WantedObject,
  name: string,
  log: Log,
): Promise<boolean> {
  try {
    await ensure(client, wanted, name)
    return true
  } catch (error) {
    const { kind } = wanted.kind
    log.warn('service of the API not written', { kind, reason: String(error) })
    return false
  }
}

/** Creates the object if it is missing, and patches it if it says something else. */
async function ensure(
  client: Client,
  { kind, metadata, fields, checked = fields }: WantedObject,
  name: string,
): Promise<void> {
  const resource = client.resource<ApiObject>(kind).in(namespace)
  const stored = await resource.find(name)
  if (stored === undefined) {
    const object = { metadata: { ...metadata, name }, ...fields } as Draft<ApiObject>
    await ignoreLostRace(resource.create(object))
  } else if (!containsFields(stored, checked)) {
    await ignoreLostRace(resource.mergePatch(name, fields as MergePatch<ApiObject>))
  }
}

/** An object that must exist, and the fields that it must have. */
interface WantedObject {
  readonly kind: AnyKind
  readonly metadata: JsonObject
  readonly fields: JsonObject
  /** Those of them that are put right. Default: all. */
  readonly checked?: JsonObject
}

/** What the three objects are to say, of the kinds that the scheme has. */
export function wantedObjects(
  { scheme, clusterIP, servicePort = 443, advertised, presence }: ServerServiceOptions,
  endpoints: readonly ServerEndpoint[],
): readonly WantedObject[] {
  const { routes, platform } = scheme
  const { brand, api, domain } = platform
  const wanted = (path: string, ...rest: Omit<WantedObject, 'kind'>[]) => {
    const kind = Object.hasOwn(routes, path) ? routes[path] : undefined
    return kind === undefined ? [] : rest.map((one) => ({ kind, ...one }))
  }
  const ports = portGroups(endpoints)
  const service = {
    metadata: { labels: { component: 'apiserver', provider: brand } },
    fields: serviceFields(clusterIP, { port: servicePort, targetPort: advertised?.port ?? 6443 }),
    // Servers on several ports would take turns at it.
    ...(presence && { checked: serviceFields(clusterIP, { port: servicePort }) }),
  }
  return [
    ...wanted('api/v1/services', service),
    ...wanted('api/v1/endpoints', {
      metadata: { labels: { [`endpointslice.${domain}/skip-mirror`]: 'true' } },
      fields: endpointFields(ports),
    }),
    ...wanted(`apis/discovery.${api}/v1/endpointslices`, {
      metadata: { labels: { [`${domain}/service-name`]: brand } },
      fields: sliceFields(ports[0]),
    }),
  ]
}

/** Addresses that serve on one port. */
interface PortGroup {
  readonly port: number
  readonly addresses: readonly string[]
}

/** The endpoints by their ports, in an order that all servers find. */
function portGroups(endpoints: readonly ServerEndpoint[]): readonly PortGroup[] {
  const ports = [...new Set(endpoints.map(({ port }) => port))].sort((a, b) => a - b)
  return ports.map((port) => {
    const addresses = endpoints.filter((one) => one.port === port).map(({ address }) => address)
    return { port, addresses: addresses.sort() }
  })
}

const https = { name: 'https', protocol: 'TCP' }

function serviceFields(
  clusterIP: string,
  ports: { readonly port: number; readonly targetPort?: number },
): JsonObject {
  return { spec: { type: 'ClusterIP', clusterIP, ports: [{ ...https, ...ports }] } }
}

function endpointFields(groups: readonly PortGroup[]): JsonObject {
  if (groups.length === 0) return {}
  const subsets = groups.map(({ port, addresses }) => ({
    addresses: addresses.map((ip) => ({ ip })),
    ports: [{ ...https, port }],
  }))
  return { subsets }
}

/** A slice has one family of addresses and one port: those of the first group. */
function sliceFields(group: PortGroup | undefined): JsonObject {
  const isV6 = isIP(group?.addresses[0] ?? '') === 6
  const addresses = (group?.addresses ?? []).filter((one) => (isIP(one) === 6) === isV6)
  return {
    addressType: isV6 ? 'IPv6' : 'IPv4',
    endpoints: addresses.map((one) => ({ addresses: [one], conditions: { ready: true } })),
    ports: group === undefined ? [] : [{ ...https, port: group.port }],
  }
}

/** True if the stored object says all that the fields say. */
function containsFields(stored: unknown, fields: Json): boolean {
  if (Array.isArray(fields)) {
    // An empty list is stored as null, where its kind says so.
    if (fields.length === 0 && stored === null) return true
    return (
      Array.isArray(stored) &&
      stored.length === fields.length &&
      fields.every((field, at) => containsFields(stored[at], field))
    )
  }
  if (typeof fields !== 'object' || fields === null) return deepEqual(stored, fields)
  if (typeof stored !== 'object' || stored === null) return Object.keys(fields).length === 0
  return Object.entries(fields).every(([name, field]) =>
    Object.hasOwn(stored, name)
      ? containsFields((stored as Record<string, unknown>)[name], field as Json)
      : Array.isArray(field) && field.length === 0,
  )
}

/**
 * The address to be found at: the one that the server listens on, or where that is no address for other machines, the
 * first of this machine that is one. Undefined if it has none.
 */
export function advertisedAddress(host: string): string | undefined {
  const usable = (address: string): boolean => endpointAddressProblems(address).length === 0
  if (usable(host)) return host
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.find(
    ({ internal, family, address }) => !internal && family === 'IPv4' && usable(address),
  )?.address
}
