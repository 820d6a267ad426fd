import { type Endpoints, endpoints } from '../../../generated/apis/core/v1/endpoints.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import { type Service, services } from '../../../generated/apis/core/v1/service.ts'
import type { Key } from '../../client/client.ts'
import { objectKey } from '../../informer/informer.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { parseDuration } from '../../kernel/values/duration.ts'
import {
  again,
  done,
  type EventSource,
  type KeyContext,
  type KeyController,
  type Outcome,
  watching,
} from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'
import { isNamespaceTerminating } from '../contract/namespace-refusals.ts'
import { ChangeTimes } from './change-times.ts'
import { decideSubsets, truncated } from './decide-subsets.ts'
import { hasSelector, isHeadless, selects, servicesOf } from './service-pods.ts'

/**
 * Keeps the endpoints of services: the addresses of the pods that they select (T-13).
 *
 *   reads    Service, Pod, Endpoints
 *   writes   Endpoints: create, update, delete
 *   wakes    when a service, one of its pods or its endpoints change
 *   settles  when the endpoints of each service have its pods
 */
export async function endpointsController({
  name,
  platform,
  configuration,
  concurrency = 5,
}: BuildContext): Promise<readonly KeyController[]> {
  const times = new ChangeTimes()
  const leader = `control-plane.alpha.${platform.domain}/leader`
  const periodMs = parseDuration(configuration.EndpointController.EndpointUpdatesBatchPeriod)
  return [
    {
      ...{ name, component: 'endpoint-controller', concurrency },
      ...(periodMs && { queue: { minIntervalMs: periodMs } }),
      watches: [
        watching(services, (service) => [objectKey(service)]),
        watching(pods, (pod, { cached }) => servicesOf(pod, cached(services))),
        watching(endpoints, (one, { cached }) => {
          const key = objectKey(one)
          return cached(services).get(key) === undefined ? [] : [key]
        }),
      ],
      sources: [withoutService(leader)],
      async reconcile(key, context) {
        const service = context.cached(services).get(key)
        try {
          if (service !== undefined) return await settle(service, times, platform, context)
          times.forget(key)
          await context.client.resource(endpoints).delete(key, {}, context.signal)
        } catch (error) {
          if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
          if (!isStatus(error, 'NotFound')) throw error
        }
        return done
      },
    },
  ]
}

/** At the start: endpoints whose service has gone meanwhile. Those that hold a lease never had one. */
function withoutService(leader: string): EventSource {
  return async function* ({ cached }) {
    const left = cached(endpoints)
      .list()
      .filter((one) => one.metadata.annotations?.[leader] === undefined)
      .map(objectKey)
    yield left.filter((key: Key) => cached(services).get(key) === undefined)
  }
}

async function settle(
  service: Stored<Service>,
  times: ChangeTimes,
  platform: Platform,
  { cached, client, event, signal }: KeyContext,
): Promise<Outcome> {
  if (!hasSelector(service)) return done
  const { namespace, name } = service.metadata
  const selected = cached(pods)
    .list(namespace)
    .filter((pod) => selects(service, pod))
  const changed = times.look(service, selected)
  const current = cached(endpoints).get({ namespace, name })
  const wanted = decideEndpoints(service, decideSubsets(service, selected), current, platform)
  if (wanted === undefined) return done
  const written = withChangeTime(wanted, changed, platform)
  const all = client.resource(endpoints).in(namespace)
  try {
    if (current === undefined) await all.create(written, {}, signal)
    else await all.update(written, {}, signal)
  } catch (error) {
    if (isNamespaceTerminating(error)) return done
    const verb = current === undefined ? 'Create' : 'Update'
    const to = current === undefined ? 'endpoint for service' : 'endpoint'
    const message = `Failed to ${verb.toLowerCase()} ${to} ${namespace}/${name}: ${errorText(error)}`
    event(current ?? service, { type: 'Warning', reason: `FailedTo${verb}Endpoint`, message })
    throw error
  }
  return done
}

type WantedEndpoints = Pick<Endpoints, 'metadata' | 'subsets'> & {
  readonly metadata: { readonly name: string }
}

/** The endpoints that a service is to have; undefined if it has them. */
export function decideEndpoints(
  service: Stored<Service>,
  subsets: NonNullable<Endpoints['subsets']>,
  current: Stored<Endpoints> | undefined,
  { domain }: Pick<Platform, 'domain'>,
): WantedEndpoints | undefined {
  const headless = `service.${domain}/headless`
  const overCapacity = `endpoints.${domain}/over-capacity`
  const { [headless]: _, ...labels } = current?.metadata.labels ?? {}
  const { [headless]: __, ...wanted } = service.metadata.labels ?? {}
  const { [overCapacity]: isOver, ...annotations } = current?.metadata.annotations ?? {}
  const kept = truncated(subsets)
  const isKept =
    current !== undefined &&
    deepEqual(current.subsets ?? [], kept ?? subsets) &&
    deepEqual(labels, wanted) &&
    (isOver === undefined) === (kept === undefined)
  if (isKept) return undefined
  return {
    metadata: {
      ...(current?.metadata ?? { name: service.metadata.name }),
      labels: { ...wanted, ...(isHeadless(service) && { [headless]: '' }) },
      annotations: { ...annotations, ...(kept && { [overCapacity]: 'truncated' }) },
    },
    subsets: kept ?? subsets,
  }
}

/** Says for which change endpoints are written, if it has a time. */
function withChangeTime(
  { metadata, subsets = [] }: WantedEndpoints,
  changed: number | undefined,
  { domain }: Platform,
): WantedEndpoints {
  const key = `endpoints.${domain}/last-change-trigger-time`
  const { [key]: _, ...others } = metadata.annotations ?? {}
  const annotations = { ...others, ...(changed !== undefined && { [key]: timestamp(changed) }) }
  return { metadata: { ...metadata, annotations }, subsets }
}
