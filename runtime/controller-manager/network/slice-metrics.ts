/** What is counted of the slices of services, and of those that mirror Endpoints. */
import type { EndpointSlice } from '../../../generated/apis/discovery/v1.ts'
import type { Key } from '../../client/client.ts'
import { formatKey } from '../../informer/informer.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { Gauge, Metrics } from '../../observe/observe.ts'
import type { SlicePlan } from './decide-slices.ts'
import { endpointKey, portsKey } from './slice-endpoints.ts'

/** What becomes of a slice. */
export type SliceOperation = 'create' | 'update' | 'delete'

/** A look at the slices of one object. */
export interface SlicesLook {
  readonly key: Key
  /** The slices there were. */
  readonly slices: readonly Stored<EndpointSlice>[]
  readonly plan: SlicePlan
}

/** Counts of the slices of one controller. */
export interface SliceMetrics {
  /** What is planned for the slices of an object, which has them so from now on. */
  planned(look: SlicesLook): SlicesChange
  /** An object has no slices any more. */
  forget(key: Key): void
  written(operation: SliceOperation): void
}

/** How many endpoints came, stayed and went, and how the slices are filled then. */
export interface SlicesChange {
  readonly added: number
  readonly updated: number
  readonly removed: number
  readonly filling: Filling
}

/** How the slices of an object are filled. */
export interface Filling {
  readonly endpoints: number
  readonly slices: number
  /** How many there would be if each was full. */
  readonly fewest: number
}

/** Counts under the names that begin with `prefix`. An object has at least `fewest` slices. */
export function sliceMetrics(
  metrics: Metrics,
  prefix: string,
  { most, fewest }: { readonly most: number; readonly fewest: number },
): SliceMetrics {
  const added = metrics.histogram(`${prefix}_endpoints_added_per_sync`)
  const removed = metrics.histogram(`${prefix}_endpoints_removed_per_sync`)
  const changes = metrics.counter(`${prefix}_changes`)
  const gauges = {
    endpoints: metrics.gauge(`${prefix}_endpoints_desired`),
    slices: metrics.gauge(`${prefix}_num_endpoint_slices`),
    fewest: metrics.gauge(`${prefix}_desired_endpoint_slices`),
  }
  const known = new Map<string, Filling>()
  const keep = (key: Key, filling: Filling | undefined): void => {
    const id = formatKey(key)
    const before = known.get(id)
    for (const [name, gauge] of Object.entries(gauges) as [keyof Filling, Gauge][]) {
      gauge.add([], (filling?.[name] ?? 0) - (before?.[name] ?? 0))
    }
    if (filling === undefined) known.delete(id)
    else known.set(id, filling)
  }
  return {
    planned({ key, slices, plan }) {
      const change = changeOf(slices, plan, most)
      added.observe([], change.added)
      removed.observe([], change.removed)
      const { filling } = change
      keep(key, { ...filling, fewest: Math.max(fewest, filling.fewest) })
      return change
    },
    forget: (key) => keep(key, undefined),
    written: (operation) => changes.add([operation]),
  }
}

/** What a plan does to the endpoints in slices, of which none holds more than `most`. */
export function changeOf(
  slices: readonly Stored<EndpointSlice>[],
  { create, update, remove }: SlicePlan,
  most: number,
): SlicesChange {
  const touched = new Set([...update, ...remove].map(({ metadata }) => metadata.uid))
  const staying = slices.filter(({ metadata }) => !touched.has(metadata.uid))
  const after = [...staying, ...update, ...create]
  const before = countedEndpoints(slices.filter(({ metadata }) => touched.has(metadata.uid)))
  const next = countedEndpoints([...update, ...create])
  const kept = [...next.keys()].filter((key) => before.has(key)).length
  const filled = new Map<string, number>()
  for (const { addressType, ports, endpoints } of after) {
    const group = `${addressType} ${portsKey(ports)}`
    filled.set(group, (filled.get(group) ?? 0) + (endpoints?.length ?? 0))
  }
  const counts = [...filled.values()]
  return {
    ...{ added: next.size - kept, updated: kept, removed: before.size - kept },
    filling: {
      endpoints: counts.reduce((sum, count) => sum + count, 0),
      slices: after.length,
      fewest: counts.reduce((sum, count) => sum + Math.ceil(count / most), 0),
    },
  }
}

/** The endpoints of slices, by what identifies them among those with the same ports. */
function countedEndpoints(
  slices: readonly Pick<EndpointSlice, 'addressType' | 'ports' | 'endpoints'>[],
): ReadonlySet<string> {
  const keys = slices.flatMap(({ addressType, ports, endpoints }) => {
    const group = `${addressType} ${portsKey(ports)}`
    return (endpoints ?? []).map((one) => `${group} ${endpointKey(one)}`)
  })
  return new Set(keys)
}
