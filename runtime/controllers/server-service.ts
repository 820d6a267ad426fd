import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Client, Draft, MergePatch } from '../client/client.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import { deepEqual } from '../kernel/values/deep-equal.ts'
import { endpointAddressProblems } from '../kernel/values/endpoint-addresses.ts'
import type { Json, JsonObject } from '../kernel/values/json.ts'
import type { Log } from '../observe/observe.ts'
import { again, done, type KeyController, watching } from '../reconcile/reconcile.ts'
import { ignoreLostRace } from './lost-race.ts'

/** Where other machines find the server. */
export interface AdvertisedEndpoint {
  readonly address: string
  readonly port: number
}

/** What the service is to say. */
export interface ServerServiceOptions {
  readonly scheme: Scheme
  /** The address of the service: the first one of the range. */
  readonly clusterIP: string
  /** Absent for a server that is not reached over a network. */
  readonly advertised?: AdvertisedEndpoint
}

const namespace = 'default'

/** How long to wait after a failure: the address of a service that was just deleted is free a moment later only. */
const retryMs = 1000

/**
 * The service under which programs inside the cluster find the API (O-02), with the server's address as its only
 * endpoint.
 *
 *   reads    Service, Endpoints, EndpointSlice: the three objects named like the platform in the namespace `default`
 *   writes   the same: create, patch
 *   wakes    when one of them changes
 *   settles  when they lead to the server
 */
export function serverServiceController(options: ServerServiceOptions): KeyController {
  const { brand } = options.scheme.platform
  const wanted = new Map(wantedObjects(options).map((one) => [one.kind.plural, one]))
  const scope = { namespace, fieldSelector: `metadata.name=${brand}` }
  const keys = [...wanted.keys()].map((plural) => ({ name: plural }))
  return {
    name: 'server-service',
    watches: [...wanted].map(([plural, { kind }]) =>
      watching(kind, () => [{ name: plural }], scope),
    ),
    seeds: keys,
    async reconcile({ name: plural }, { client, log }) {
      const one = wanted.get(plural)
      if (one === undefined) return done
      return (await tryToEnsure(client, one, brand, log)) ? done : again(retryMs)
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
  await Promise.all(wantedObjects(options).map((one) => tryToEnsure(client, one, brand, log)))
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
  { kind, metadata, fields }: WantedObject,
  name: string,
): Promise<void> {
  const resource = client.resource<ApiObject>(kind).in(namespace)
  const stored = await resource.find(name)
  if (stored === undefined) {
    const object = { metadata: { ...metadata, name }, ...fields } as Draft<ApiObject>
    await ignoreLostRace(resource.create(object))
  } else if (!containsFields(stored, fields)) {
    await ignoreLostRace(resource.mergePatch(name, fields as MergePatch<ApiObject>))
  }
}

/** An object that must exist, and the fields that it must have. */
interface WantedObject {
  readonly kind: AnyKind
  readonly metadata: JsonObject
  readonly fields: JsonObject
}

/** What the three objects are to say, of the kinds that the scheme has. */
export function wantedObjects({
  scheme,
  clusterIP,
  advertised,
}: ServerServiceOptions): readonly WantedObject[] {
  const { routes, platform } = scheme
  const { brand, api, domain } = platform
  const wanted = (path: string, metadata: JsonObject, fields: JsonObject) => {
    const kind = Object.hasOwn(routes, path) ? routes[path] : undefined
    return kind === undefined ? [] : [{ kind, metadata, fields }]
  }
  const labels = { component: 'apiserver', provider: brand }
  const skipMirror = { [`endpointslice.${domain}/skip-mirror`]: 'true' }
  const ofService = { [`${domain}/service-name`]: brand }
  const targetPort = advertised?.port ?? 6443
  return [
    ...wanted('api/v1/services', { labels }, serviceFields(clusterIP, targetPort)),
    ...wanted('api/v1/endpoints', { labels: skipMirror }, endpointFields(advertised)),
    ...wanted(
      `apis/discovery.${api}/v1/endpointslices`,
      { labels: ofService },
      sliceFields(advertised),
    ),
  ]
}

const https = { name: 'https', protocol: 'TCP' }

function serviceFields(clusterIP: string, targetPort: number): JsonObject {
  return {
    spec: { type: 'ClusterIP', clusterIP, ports: [{ ...https, port: 443, targetPort }] },
  }
}

function endpointFields(advertised: AdvertisedEndpoint | undefined): JsonObject {
  if (advertised === undefined) return {}
  const { address, port } = advertised
  return { subsets: [{ addresses: [{ ip: address }], ports: [{ ...https, port }] }] }
}

function sliceFields(advertised: AdvertisedEndpoint | undefined): JsonObject {
  const { address, port } = advertised ?? {}
  return {
    addressType: address !== undefined && isIP(address) === 6 ? 'IPv6' : 'IPv4',
    endpoints: address === undefined ? [] : [{ addresses: [address], conditions: { ready: true } }],
    ports: port === undefined ? [] : [{ ...https, port }],
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
