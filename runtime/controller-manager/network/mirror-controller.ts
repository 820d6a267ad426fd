import { type Endpoints, endpoints } from '../../../generated/apis/core/v1/endpoints.ts'
import { services } from '../../../generated/apis/core/v1/service.ts'
import { type EndpointSlice, endpointSlices } from '../../../generated/apis/discovery/v1.ts'
import type { Key } from '../../client/client.ts'
import { objectKey } from '../../informer/informer.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { parseDuration } from '../../kernel/values/duration.ts'
import type { Metrics } from '../../observe/observe.ts'
import {
  again,
  done,
  type KeyContext,
  type KeyController,
  watching,
} from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'
import { isNamespaceTerminating } from '../contract/namespace-refusals.ts'
import { decideMirror, type MirrorPlan, type MirrorRules } from './decide-mirror.ts'
import type { SlicePlan } from './decide-slices.ts'
import { type SliceMetrics, sliceMetrics } from './slice-metrics.ts'

/**
 * Mirrors endpoints that people write, of services without a selector, to slices (T-13).
 *
 *   reads    Endpoints, Service, EndpointSlice
 *   writes   EndpointSlice: create, update, delete; Event
 *   wakes    when endpoints, their service, or a slice that mirrors them change
 *   settles  when each such endpoints have their slices, and no others have any
 */
export async function mirrorController({
  name,
  platform,
  configuration,
  concurrency = 5,
  metrics,
}: BuildContext): Promise<readonly KeyController[]> {
  const { MirroringMaxEndpointsPerSubset, MirroringEndpointUpdatesBatchPeriod } =
    configuration.EndpointSliceMirroringController
  const rules = mirrorRules(platform, MirroringMaxEndpointsPerSubset)
  const counts = mirrorMetrics(metrics, MirroringMaxEndpointsPerSubset)
  const periodMs = parseDuration(MirroringEndpointUpdatesBatchPeriod)
  const mirroredBy = ({ metadata }: Stored<EndpointSlice>): readonly Key[] => {
    const { namespace, labels = {} } = metadata
    const service = labels[rules.serviceLabel]
    return labels[rules.managerLabel] === rules.manager && service
      ? [{ namespace, name: service }]
      : []
  }
  const byName = (slice: Stored<EndpointSlice>) =>
    mirroredBy(slice).map((key) => `${key.namespace}/${key.name}`)
  return [
    {
      ...{ name, component: 'endpoint-slice-mirroring-controller', concurrency },
      ...(periodMs && { queue: { minIntervalMs: periodMs } }),
      watches: [
        watching(endpoints, (one) => [objectKey(one)]),
        watching(services, (service) => [objectKey(service)]),
        watching(endpointSlices, mirroredBy, { indexes: { mirrored: byName } }),
      ],
      async reconcile(key, context) {
        const { cached, clock } = context
        const begun = clock.monotonic()
        const found = cached(endpoints).get(key)
        const service = cached(services).get(key)
        const slices = cached(endpointSlices).index('mirrored', `${key.namespace}/${key.name}`)
        const isMirrored =
          found !== undefined &&
          mayMirror(found, platform) &&
          service !== undefined &&
          service.spec?.selector === undefined
        try {
          if (isMirrored) await mirror(found, slices, rules, { ...context, counts })
          else {
            await carryOut({ create: [], update: [], remove: slices }, key, { ...context, counts })
            counts.forget(key)
          }
        } catch (error) {
          if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
          if (!isNamespaceTerminating(error)) throw error
        } finally {
          counts.duration((clock.monotonic() - begun) / 1000)
        }
        return done
      },
    },
  ]
}

/** Counts of slices that mirror, and of what cannot be mirrored. */
interface MirrorMetrics extends SliceMetrics {
  skipped(addresses: number): void
  updated(endpoints: number): void
  duration(seconds: number): void
}

/** What a run works with. */
type MirrorContext = KeyContext & { readonly counts: MirrorMetrics }

function mirrorMetrics(metrics: Metrics, most: number): MirrorMetrics {
  const prefix = 'endpoint_slice_mirroring_controller'
  const skipped = metrics.histogram(`${prefix}_addresses_skipped_per_sync`)
  const updated = metrics.histogram(`${prefix}_endpoints_updated_per_sync`)
  const duration = metrics.histogram(`${prefix}_endpoints_sync_duration`)
  return {
    ...sliceMetrics(metrics, prefix, { most, fewest: 0 }),
    skipped: (addresses) => skipped.observe([], addresses),
    updated: (endpoints) => updated.observe([], endpoints),
    duration: (seconds) => duration.observe([], seconds),
  }
}

function mirrorRules({ client, domain, api }: Platform, most: number): MirrorRules {
  return {
    serviceLabel: `${domain}/service-name`,
    managerLabel: `endpointslice.${domain}/managed-by`,
    manager: `endpointslicemirroring-controller.${api}`,
    ownAnnotations: [
      `endpoints.${domain}/last-change-trigger-time`,
      `${client}.${domain}/last-applied-configuration`,
    ],
    most,
  }
}

/** Endpoints may ask not to be mirrored; those that hold a lease are none. */
function mayMirror({ metadata }: Stored<Endpoints>, { domain }: Platform): boolean {
  const { labels = {}, annotations = {} } = metadata
  return (
    labels[`endpointslice.${domain}/skip-mirror`] !== 'true' &&
    annotations[`control-plane.alpha.${domain}/leader`] === undefined
  )
}

async function mirror(
  found: Stored<Endpoints>,
  slices: readonly Stored<EndpointSlice>[],
  rules: MirrorRules,
  context: MirrorContext,
): Promise<void> {
  const decided = decideMirror(found, slices, rules)
  tellSkipped(found, decided, rules, context)
  const isGoing = found.metadata.deletionTimestamp !== undefined
  const plan = isGoing ? { ...decided, create: [] } : decided
  const { counts } = context
  counts.skipped(decided.skipped)
  counts.updated(counts.planned({ key: objectKey(found), slices, plan }).updated)
  await carryOut(plan, objectKey(found), context)
}

function tellSkipped(
  found: Stored<Endpoints>,
  { invalid, skipped }: MirrorPlan,
  { most }: MirrorRules,
  { event }: KeyContext,
): void {
  if (invalid > 0) {
    const message = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`
    event(found, { type: 'Warning', reason: 'InvalidIPAddress', message })
  }
  if (skipped > invalid) {
    const message =
      `A max of ${most} addresses can be mirrored to EndpointSlices per Endpoints subset. ` +
      `${skipped} addresses were skipped`
    event(found, { type: 'Warning', reason: 'TooManyAddressesToMirror', message })
  }
}

async function carryOut(
  { create, update, remove }: SlicePlan,
  { namespace = '' }: Key,
  { client, signal, counts }: MirrorContext,
): Promise<void> {
  const all = client.resource(endpointSlices).in(namespace)
  for (const slice of create) {
    await all.create(slice, {}, signal)
    counts.written('create')
  }
  for (const slice of update) {
    await all.update(slice, {}, signal)
    counts.written('update')
  }
  for (const slice of remove) {
    try {
      await all.delete(slice, {}, signal)
      counts.written('delete')
    } catch (error) {
      if (!isStatus(error, 'NotFound')) throw error
    }
  }
}
