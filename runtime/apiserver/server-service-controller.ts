import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { endpointAddressProblems } from '../apis/apis.ts'
import { type Clock, pause } from '../kernel/async/clock.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import { deepEqual } from '../kernel/values/deep-equal.ts'
import type { Json, JsonObject } from '../kernel/values/json.ts'
import type { Log } from '../observe/observe.ts'
import type { Registry, Target } from '../registry/registry.ts'

/** Where other machines find the server. */
export interface Advertised {
  readonly address: string
  readonly port: number
}

export interface ServerServiceControllerOptions {
  readonly registry: Registry
  /** The address of the service: the first one of the range. */
  readonly clusterIP: string
  /** Absent for a server that nobody reaches over a network. */
  readonly advertised?: Advertised
  readonly clock: Clock
  readonly log: Log
}

/**
 * The service under which programs inside the cluster find the API (O-02), with the server's address as its only
 * endpoint. What somebody deletes is made again; what somebody changes in where it leads is put right.
 */
export class ServerServiceController {
  readonly #options: ServerServiceControllerOptions

  constructor(options: ServerServiceControllerOptions) {
    this.#options = options
  }

  /** Brings the three objects into the store. A service that cannot have its address is a warning, no failure. */
  async sync(): Promise<void> {
    const { log } = this.#options
    await Promise.all(
      this.#objects().map((one) =>
        this.#ensure(one).catch((error: unknown) => {
          log.warn('service of the API not written', { kind: one.kind.kind, reason: String(error) })
        }),
      ),
    )
  }

  /** Keeps the objects until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#objects().map((one) => this.#follow(one, signal)))
  }

  /** The address of a service that was just deleted is free a moment later only: a failure is tried again. */
  async #follow(wanted: WantedObject, signal: AbortSignal): Promise<void> {
    const { registry, clock, log } = this.#options
    const { kind } = wanted
    const { brand } = registry.scheme.platform
    const target = { kind, namespace: 'default' }
    const options = { bookmarks: false, fieldSelector: `metadata.name=${brand}` }
    while (!signal.aborted) {
      try {
        await this.#ensure(wanted)
        for await (const _ of registry.watch(target, options, signal)) await this.#ensure(wanted)
      } catch (error) {
        if (signal.aborted) return
        log.warn('service of the API not followed', { kind: kind.kind, reason: String(error) })
      }
      await pause(clock, 1000, signal)
    }
  }

  async #ensure({ kind, metadata, ...facts }: WantedObject): Promise<void> {
    const { registry } = this.#options
    const { brand, prefix } = registry.scheme.platform
    const options = {
      dryRun: false,
      fieldValidation: 'Ignore',
      manager: `${prefix}-apiserver`,
    } as const
    const target: Target = { kind, namespace: 'default', name: brand }
    const whole = { metadata: { ...metadata, name: brand }, ...facts.fields }
    try {
      const stored = await find(registry, target)
      if (stored === undefined) {
        await registry.create({ kind, namespace: 'default' }, bodyOf(whole), options)
      } else if (!containsFields(stored, facts.fields)) {
        await registry.patch(target, 'merge', bodyOf(facts.fields), options)
      }
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists') && !isStatus(error, 'Conflict')) throw error
    }
  }

  #objects(): readonly WantedObject[] {
    const { registry, clusterIP, advertised } = this.#options
    const { routes, platform } = registry.scheme
    const { brand, api, domain } = platform
    const kindAt = (path: string) => (Object.hasOwn(routes, path) ? routes[path] : undefined)
    const service = kindAt('api/v1/services')
    const endpoints = kindAt('api/v1/endpoints')
    const slices = kindAt(`apis/discovery.${api}/v1/endpointslices`)
    const labels = { component: 'apiserver', provider: brand }
    const skipped = { [`endpointslice.${domain}/skip-mirror`]: 'true' }
    const targetPort = advertised?.port ?? 6443
    return [
      ...wantedObject(service, { labels }, serviceFields(clusterIP, targetPort)),
      ...wantedObject(endpoints, { labels: skipped }, endpointFields(advertised)),
      ...wantedObject(
        slices,
        { labels: { [`${domain}/service-name`]: brand } },
        sliceFields(advertised),
      ),
    ]
  }
}

interface WantedObject {
  readonly kind: AnyKind
  readonly metadata: JsonObject
  readonly fields: JsonObject
}

function wantedObject(
  kind: AnyKind | undefined,
  metadata: JsonObject,
  fields: JsonObject,
): readonly WantedObject[] {
  return kind === undefined ? [] : [{ kind, metadata, fields }]
}

const https = { name: 'https', protocol: 'TCP' }

function serviceFields(clusterIP: string, targetPort: number): JsonObject {
  return {
    spec: { type: 'ClusterIP', clusterIP, ports: [{ ...https, port: 443, targetPort }] },
  }
}

function endpointFields(advertised: Advertised | undefined): JsonObject {
  if (advertised === undefined) return {}
  const { address, port } = advertised
  return { subsets: [{ addresses: [{ ip: address }], ports: [{ ...https, port }] }] }
}

function sliceFields(advertised: Advertised | undefined): JsonObject {
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

async function find(registry: Registry, target: Target): Promise<unknown> {
  try {
    return (await registry.get(target, {})).object()
  } catch (error) {
    if (isStatus(error, 'NotFound')) return undefined
    throw error
  }
}

function bodyOf(value: JsonObject) {
  return { value, duplicates: [] }
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
