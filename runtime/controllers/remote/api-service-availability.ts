import type { APIService } from '../../../generated/apis/apiregistration/v1.ts'
import type { RemoteServers } from '../../aggregator/aggregator.ts'
import type { Client } from '../../client/client.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { AnyKind, Kind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { withCondition } from '../../kernel/meta/status-conditions.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import {
  again,
  done,
  type KeyController,
  type Lookup,
  watching,
} from '../../reconcile/reconcile.ts'
import { ignoreLostRace } from '../contract/lost-race.ts'

/** What says where other servers are. */
export interface RemoteKinds {
  readonly apiServices: AnyKind
  readonly services: AnyKind
  readonly endpoints: AnyKind
}

/** The kinds, if a scheme has them, for objects of group versions. */
export function remoteKinds({ routes }: Scheme, apiServices: AnyKind): RemoteKinds | undefined {
  const kindAt = (path: string) => (Object.hasOwn(routes, path) ? routes[path] : undefined)
  const [services, endpoints] = [kindAt('api/v1/services'), kindAt('api/v1/endpoints')]
  return services && endpoints && { apiServices, services, endpoints }
}

/** Which servers are kept, and who is told which of them are away. */
export interface RemoteControllersOptions {
  readonly kinds: RemoteKinds
  readonly servers: RemoteServers
  readonly availability: AvailabilityMetrics
}

/** Counts what is away. */
export interface AvailabilityMetrics {
  /** Whether the server of an object is there; undefined for an object that is gone. */
  told(name: string, isAvailable: boolean | undefined): void
  /** A server that was there is away. */
  lost(name: string, reason: string): void
}

type StoredService = Stored<ApiObject & APIService>

/**
 * Has other servers answer for their group versions as the objects say.
 *
 *   reads    APIService
 *   writes   nothing
 *   wakes    when one of them changes
 *   settles  when requests go where the object says
 */
export function remoteServerController({
  kinds,
  servers,
}: RemoteControllersOptions): KeyController {
  const kind = kinds.apiServices as Kind<ApiObject & APIService>
  return {
    name: 'api-service-registration',
    watches: [watching(kind, ({ metadata: { name } }) => [{ name }])],
    async reconcile({ name }, { cached }) {
      const object = cached(kind).get({ name })
      if (object === undefined) servers.delete(name)
      else servers.set(object)
      return done
    },
  }
}

/** Milliseconds after which a server is looked at again: no object says that a network or a program has failed. */
const lookAgainMs = 30_000

/**
 * Says in the status of objects whether the servers that answer for their group versions are there.
 *
 *   reads    APIService, Service, Endpoints
 *   writes   APIService: status
 *   wakes    when one of them changes, and every half minute; after a failed check soon, later each time
 *   settles  when the condition Available says what was found
 */
export function availabilityController({
  kinds,
  servers,
  availability,
}: RemoteControllersOptions): KeyController {
  const kind = kinds.apiServices as Kind<ApiObject & APIService>
  const placed = ({ metadata: { namespace, name } }: Stored<ApiObject>, { cached }: Lookup) =>
    cached(kind)
      .index('service', `${namespace}/${name}`)
      .map(({ metadata }) => ({ name: metadata.name }))
  const indexes = {
    service: ({ spec }: StoredService) =>
      spec?.service ? [`${spec.service.namespace}/${spec.service.name}`] : [],
  }
  return {
    name: 'api-service-availability',
    watches: [
      watching(kind, ({ metadata: { name } }) => [{ name }], { indexes }),
      watching(kinds.services, placed),
      watching(kinds.endpoints, placed),
    ],
    concurrency: 8,
    resyncMs: lookAgainMs,
    queue: { backoff: { baseMs: 5, maxMs: lookAgainMs } },
    async reconcile({ name }, { client, cached, clock }) {
      const object = cached(kind).get({ name })
      if (object === undefined) {
        availability.told(name, undefined)
        return done
      }
      const place = placeOf(object)
      const decided = decideAvailability(object, {
        service: place && cached<ServiceObject>(kinds.services as never).get(place),
        endpoints: place && cached<EndpointsObject>(kinds.endpoints as never).get(place),
      })
      if (decided !== 'check') return settle({ client, kind, object, availability }, decided, clock)
      const failure = await servers.find(name)?.check()
      const found = failure === undefined ? passed : failedCheck(failure)
      await settle({ client, kind, object, availability }, found, clock)
      return failure === undefined ? done : again(0, failure)
    },
  }
}

function placeOf({ spec }: APIService): { namespace: string; name: string } | undefined {
  const { service } = spec ?? {}
  return service && { namespace: service.namespace ?? '', name: service.name ?? '' }
}

/** What the condition Available is to say. */
export interface Availability {
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

const local: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
}

const passed: Availability = { status: 'True', reason: 'Passed', message: 'all checks passed' }

function failedCheck(message: string): Availability {
  return { status: 'False', reason: 'FailedDiscoveryCheck', message }
}

interface ServiceObject extends ApiObject {
  readonly spec?: {
    readonly type?: string
    readonly ports?: readonly { readonly name?: string; readonly port: number }[] | null
  }
}

interface EndpointsObject extends ApiObject {
  readonly subsets?:
    | readonly {
        readonly addresses?: readonly object[] | null
        readonly ports?: readonly { readonly name?: string }[] | null
      }[]
    | null
}

/** What is stored about the service of an object. */
export interface StoredPlaces {
  readonly service: ServiceObject | undefined
  readonly endpoints: EndpointsObject | undefined
}

/** What stored objects say of a group version's server; `check` where it has to be asked itself (B-02). */
export function decideAvailability(
  object: APIService,
  { service, endpoints }: StoredPlaces,
): Availability | 'check' {
  const place = placeOf(object)
  if (place === undefined) return local
  const away = (reason: string, message: string): Availability => ({
    status: 'False',
    reason,
    message,
  })
  const named = `service/${place.name} in "${place.namespace}"`
  if (service === undefined) return away('ServiceNotFound', `${named} is not present`)
  const { type = 'ClusterIP', ports } = service.spec ?? {}
  if (type !== 'ClusterIP') return 'check'
  const { port = 443 } = object.spec?.service ?? {}
  const found = ports?.find((one) => one.port === port)
  if (found === undefined) {
    return away('ServicePortError', `${named} is not listening on port ${port}`)
  }
  if (endpoints === undefined) {
    return away('EndpointsNotFound', `cannot find endpoints for ${named}`)
  }
  const { name = '' } = found
  const hasAddress = (endpoints.subsets ?? []).some(
    (subset) =>
      (subset.addresses ?? []).length > 0 &&
      (subset.ports ?? []).some((one) => (one.name ?? '') === name),
  )
  if (hasAddress) return 'check'
  const message = `endpoints for ${named} have no addresses with port name ${JSON.stringify(name)}`
  return away('MissingEndpoints', message)
}

interface Settling {
  readonly client: Client
  readonly kind: Kind<ApiObject & APIService>
  readonly object: StoredService
  readonly availability: AvailabilityMetrics
}

/** Writes the condition, unless the object says so already. */
async function settle(
  { client, kind, object, availability }: Settling,
  found: Availability,
  clock: { now(): number },
) {
  const { name } = object.metadata
  availability.told(name, found.status === 'True')
  const { status: before = {} } = object
  const condition = { type: 'Available', ...found }
  const status = withCondition(before, condition, timestamp(clock.now())) as typeof before
  if (deepEqual(before, status)) return done
  const wasAvailable = (before.conditions ?? []).some(
    (one) => one.type === 'Available' && one.status === 'True',
  )
  const written = client.resource(kind).updateStatus({ ...object, status } as never)
  const isLost = wasAvailable && found.status !== 'True'
  await ignoreLostRace(written.then(() => isLost && availability.lost(name, found.reason)))
  return done
}
