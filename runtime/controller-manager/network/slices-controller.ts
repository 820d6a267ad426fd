import { type Node, nodes } from '../../../generated/apis/core/v1/node.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import { type Service, services } from '../../../generated/apis/core/v1/service.ts'
import { type EndpointSlice, endpointSlices } from '../../../generated/apis/discovery/v1.ts'
import type { Key } from '../../client/client.ts'
import { objectKey } from '../../informer/informer.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { parseDuration } from '../../kernel/values/duration.ts'
import type { Histogram } from '../../observe/observe.ts'
import {
  again,
  done,
  type KeyContext,
  type KeyController,
  type Lookup,
  watching,
} from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'
import { isNamespaceTerminating } from '../contract/namespace-refusals.ts'
import { ChangeTimes } from './change-times.ts'
import { decideSlices, type SlicePlan, type SliceRules } from './decide-slices.ts'
import { HintedServices } from './hinted-services.ts'
import { hasSelector, selects, servicesOf } from './service-pods.ts'
import { type SliceMetrics, sliceMetrics } from './slice-metrics.ts'
import { isReadyNode, zoneOfNode } from './zone-shares.ts'

/**
 * Keeps the endpoint slices of services: the addresses of the pods that they select, in pieces (T-13), with hints for zones where the
 * service asks for them.
 *
 *   reads    Service, Pod, Node, EndpointSlice
 *   writes   EndpointSlice: create, update, delete; Event
 *   wakes    when a service, one of its pods or slices, or the labels of their nodes change; where it asks for hints, when nodes come,
 *            go, get ready or move so that its hints no longer fit
 *   settles  when the slices of each service have its pods
 */
export async function slicesController({
  name,
  platform,
  configuration,
  gates,
  concurrency = 5,
  metrics,
}: BuildContext): Promise<readonly KeyController[]> {
  const hinted = gates.has('TopologyAwareHints') ? new HintedServices(platform) : undefined
  const { MaxEndpointsPerSlice, EndpointUpdatesBatchPeriod } = configuration.EndpointSliceController
  const rules = sliceRules(platform, MaxEndpointsPerSlice)
  const times = new ChangeTimes()
  const prefix = 'endpoint_slice_controller'
  const counts = sliceMetrics(metrics, prefix, { most: MaxEndpointsPerSlice, fewest: 1 })
  const syncs = metrics.counter(`${prefix}_syncs`)
  const changed = metrics.histogram(`${prefix}_endpointslices_changed_per_sync`)
  const periodMs = parseDuration(EndpointUpdatesBatchPeriod)
  const namesService = (slice: Stored<EndpointSlice>): readonly string[] => {
    const { namespace, labels = {} } = slice.metadata
    const isOwn = labels[rules.managerLabel] === rules.manager
    return isOwn ? [`${namespace}/${labels[rules.serviceLabel]}`] : []
  }
  return [
    {
      ...{ name, component: 'endpoint-slice-controller', concurrency },
      ...(periodMs && { queue: { minIntervalMs: periodMs } }),
      watches: [
        watching(services, (service) => [objectKey(service)]),
        watching(pods, (pod, { cached }) => servicesOf(pod, cached(services))),
        watching(
          nodes,
          (node, lookup) => [...servicesOnNode(node, lookup), ...(hinted?.tooFew(lookup) ?? [])],
          {
            fields: ['metadata.labels', 'status.allocatable', 'status.conditions'],
            when: ({ object, before }) => before === undefined || differs(object, before),
          },
        ),
        watching(
          endpointSlices,
          ({ metadata: { namespace, labels = {} } }) => {
            const service = labels[rules.serviceLabel]
            const isOwn = labels[rules.managerLabel] === rules.manager
            return isOwn && service ? [{ namespace, name: service }] : []
          },
          { indexes: { service: namesService } },
        ),
      ],
      async reconcile(key, context) {
        const service = context.cached(services).get(key)
        if (service === undefined) {
          times.forget(key)
          hinted?.forget(key)
          counts.forget(key)
        }
        if (service === undefined || !hasSelector(service)) return done
        try {
          await settle(service, { context, rules, times, hinted, platform, counts, changed })
          syncs.add(['success'])
        } catch (error) {
          syncs.add([isStatus(error, 'Conflict') ? 'stale' : 'error'])
          if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
          const message = `Error updating Endpoint Slices for Service ${key.namespace}/${key.name}: ${errorText(error)}`
          const reason = 'FailedToUpdateEndpointSlices'
          context.event(service, { type: 'Warning', reason, message })
          throw error
        }
        return done
      },
    },
  ]
}

function sliceRules({ domain, api }: Platform, most: number): SliceRules {
  return {
    serviceLabel: `${domain}/service-name`,
    managerLabel: `endpointslice.${domain}/managed-by`,
    headlessLabel: `service.${domain}/headless`,
    manager: `endpointslice-controller.${api}`,
    most,
  }
}

/** What a node sends to its agents and says of itself every few seconds is of no interest. */
function differs(object: Stored<Node>, before: Stored<Node>): boolean {
  const isOther = isReadyNode(object) !== isReadyNode(before)
  return isOther || !deepEqual(object.metadata.labels, before.metadata.labels)
}

/** The services of the pods of a node. */
function servicesOnNode({ metadata }: Stored<Node>, { cached }: Lookup): readonly Key[] {
  const there = cached(pods)
    .list()
    .filter(({ spec }) => spec?.nodeName === metadata.name)
  return there.flatMap((pod) => servicesOf(pod, cached(services)))
}

interface Run {
  readonly context: KeyContext
  readonly rules: SliceRules
  readonly times: ChangeTimes
  /** Undefined where no hints are given. */
  readonly hinted: HintedServices | undefined
  readonly platform: Platform
  readonly counts: SliceMetrics
  /** How many slices change at a look. */
  readonly changed: Histogram
}

async function settle(
  service: Stored<Service>,
  { context, rules, times, hinted, platform, counts, changed: changes }: Run,
): Promise<void> {
  const { cached } = context
  const { namespace, name } = service.metadata
  const selected = cached(pods)
    .list(namespace)
    .filter((pod) => selects(service, pod))
  const changed = times.look(service, selected)
  const slices = cached(endpointSlices).index('service', `${namespace}/${name}`)
  const zoneOf = (node: string) => {
    const found = cached(nodes).get({ name: node })
    return found && zoneOfNode(found, platform)
  }
  const topology = hinted?.topologyOf(service, cached(nodes))
  const plan = decideSlices({ service, pods: selected, zoneOf }, slices, rules, topology)
  const key = `endpoints.${platform.domain}/last-change-trigger-time`
  const timed = <S extends Pick<EndpointSlice, 'metadata'>>(slice: S): S => {
    const { [key]: _, ...others } = slice.metadata.annotations ?? {}
    const annotations = { ...others, ...(changed !== undefined && { [key]: timestamp(changed) }) }
    return { ...slice, metadata: { ...slice.metadata, annotations } }
  }
  counts.planned({ key: objectKey(service), slices, plan })
  const { create, update, remove } = plan
  const changing = create.length + update.length + remove.length
  changes.observe([topology === undefined ? 'Disabled' : 'Auto'], changing)
  await write(plan, service, timed, { ...context, counts })
  for (const event of hinted?.look(service, plan.hints) ?? []) context.event(service, event)
}

/** Writes what is planned. */
async function write(
  plan: SlicePlan,
  { metadata: { namespace, deletionTimestamp } }: Stored<Service>,
  timed: <S extends Pick<EndpointSlice, 'metadata'>>(slice: S) => S,
  { client, signal, counts }: KeyContext & Pick<Run, 'counts'>,
): Promise<void> {
  const all = client.resource(endpointSlices).in(namespace)
  for (const slice of deletionTimestamp === undefined ? plan.create : []) {
    try {
      await all.create(timed(slice), {}, signal)
      counts.written('create')
    } catch (error) {
      if (isNamespaceTerminating(error)) return
      throw error
    }
  }
  for (const slice of plan.update) {
    await all.update(timed(slice), {}, signal)
    counts.written('update')
  }
  for (const slice of plan.remove) {
    try {
      await all.delete(slice, {}, signal)
      counts.written('delete')
    } catch (error) {
      if (!isStatus(error, 'NotFound')) throw error
    }
  }
}
