/** Which endpoints stand in which slice. Slices that are as they should be stay as they are, so that few are written. */

import type { Service } from '../../../generated/apis/core/v1/service.ts'
import type { Endpoint, EndpointSlice } from '../../../generated/apis/discovery/v1.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { ownedBy } from '../../reconcile/reconcile.ts'
import type { Family } from './service-pods.ts'
import { isHeadless } from './service-pods.ts'
import {
  endpointKey,
  familiesOf,
  type PortGroup,
  portGroups,
  portsKey,
  type SeenPods,
} from './slice-endpoints.ts'
import { withHints, withoutHints, type ZoneCounts } from './zone-hints.ts'
import type { ZoneShares } from './zone-shares.ts'

/** Names that slices have, and how large they are. */
export interface SliceRules {
  readonly serviceLabel: string
  readonly managerLabel: string
  readonly headlessLabel: string
  /** What slices of this controller are managed by. */
  readonly manager: string
  /** The most endpoints of a slice. */
  readonly most: number
}

/** A slice that is to be made. */
export type NewSlice = Pick<EndpointSlice, 'metadata' | 'addressType' | 'endpoints' | 'ports'>

/** What is to be written. */
export interface SlicePlan {
  readonly create: readonly NewSlice[]
  readonly update: readonly Stored<EndpointSlice>[]
  readonly remove: readonly Stored<EndpointSlice>[]
}

/** What is to be written, and what became of the hints of each family of a service that asks for them. */
export interface HintedPlan extends SlicePlan {
  readonly hints: readonly FamilyHints[]
}

/** How many endpoints of a family are for each zone, or why none is. */
export interface FamilyHints {
  readonly family: Family
  readonly counts?: ZoneCounts
  readonly problem?: string
}

/** What hints are given by: the shares of zones, where they are known. */
export interface Topology {
  readonly shares: ZoneShares | undefined
}

/** Brings the slices of a service to what its pods are, with hints if there is a topology to give them by. */
export function decideSlices(
  seen: SeenPods,
  slices: readonly Stored<EndpointSlice>[],
  rules: SliceRules,
  topology?: Topology,
): HintedPlan {
  const { service } = seen
  const families = familiesOf(service)
  const isOwned = ({ metadata, addressType }: Stored<EndpointSlice>) =>
    families.includes(addressType as Family) &&
    metadata.ownerReferences?.some(({ uid }) => uid === service.metadata.uid) === true
  const plans = families.map((family) => {
    const own = slices.filter((slice) => isOwned(slice) && slice.addressType === family)
    return familyPlan(seen, family, { slices: own, rules, topology })
  })
  return {
    create: plans.flatMap(({ create }) => create),
    update: plans.flatMap(({ update }) => update),
    remove: [
      ...slices.filter((slice) => !isOwned(slice)),
      ...plans.flatMap(({ remove }) => remove),
    ],
    hints: plans.flatMap(({ hints }) => hints),
  }
}

interface OwnSlices {
  readonly slices: readonly Stored<EndpointSlice>[]
  readonly rules: SliceRules
  readonly topology: Topology | undefined
}

/** The plan for one address family. One without endpoints has an empty slice, which says so. */
function familyPlan(
  seen: SeenPods,
  family: Family,
  { slices, rules, topology }: OwnSlices,
): HintedPlan {
  const { service } = seen
  const groups = portGroups(seen, family)
  const byPorts = new Map<string, Stored<EndpointSlice>[]>()
  for (const slice of slices) {
    const key = portsKey(slice.ports)
    if (!byPorts.get(key)?.push(slice)) byPorts.set(key, [slice])
  }
  const create: NewSlice[] = []
  const update: Stored<EndpointSlice>[] = []
  const remove = [...byPorts].flatMap(([key, some]) => (groups.has(key) ? [] : some))
  for (const [key, group] of groups) {
    const packed = pack(group, service, byPorts.get(key) ?? [], rules)
    create.push(
      ...packed.fresh.map((endpoints) => newSlice(service, family, { ...group, endpoints }, rules)),
    )
    update.push(...packed.changed)
    remove.push(...packed.empty)
  }
  if (remove.length === slices.length && create.length === 0) {
    const placeholder = newSlice(service, family, { ports: [], endpoints: [] }, rules)
    const [only, ...others] = remove
    if (only !== undefined && others.length === 0 && isPlaceholder(only, placeholder))
      remove.length = 0
    else create.push(placeholder)
  }
  const changing = new Set([...update, ...remove].map(({ metadata }) => metadata.uid))
  const unchanged = slices.filter(({ metadata }) => !changing.has(metadata.uid))
  const planned = { create, update, unchanged }
  if (topology === undefined) return { ...reused({ ...withoutHints(planned), remove }), hints: [] }
  const { slices: hinted, ...rest } = withHints(planned, topology.shares)
  return { ...reused({ ...hinted, remove }), hints: [{ family, ...rest }] }
}

function isPlaceholder(slice: Stored<EndpointSlice>, wanted: NewSlice): boolean {
  const isEmpty = endpointsOf(slice).length === 0 && (slice.ports ?? []).length === 0
  return isEmpty && deepEqual(slice.metadata.labels, wanted.metadata.labels)
}

/** Slices that would go become those that would be made. */
function reused({ create, update, remove }: SlicePlan): SlicePlan {
  const count = Math.min(create.length, remove.length)
  const changed = remove.slice(0, count).map((slice, at) => {
    const { metadata, endpoints, ports } = create[create.length - 1 - at]!
    const { labels = {} } = metadata
    return { ...slice, metadata: { ...slice.metadata, labels }, endpoints, ...(ports && { ports }) }
  })
  return {
    create: create.slice(0, create.length - count),
    update: [...update, ...changed],
    remove: remove.slice(count),
  }
}

interface Packed {
  readonly changed: readonly Stored<EndpointSlice>[]
  readonly empty: readonly Stored<EndpointSlice>[]
  /** The endpoints of new slices. */
  readonly fresh: readonly (readonly Endpoint[])[]
}

/** A slice, and what it is to hold. */
interface Filled {
  readonly slice: Stored<EndpointSlice>
  endpoints: readonly Endpoint[]
  changed: boolean
}

/** Keeps endpoints where they are, and puts new ones first into slices that change anyway, then into one that has room for all of them. */
function pack(
  group: PortGroup,
  service: Stored<Service>,
  slices: readonly Stored<EndpointSlice>[],
  rules: SliceRules,
): Packed {
  const left = new Map(group.endpoints)
  const filled = slices.map((slice): Filled => {
    const kept = endpointsOf(slice).flatMap((endpoint) => {
      const key = endpointKey(endpoint)
      const wanted = left.get(key)
      left.delete(key)
      return wanted === undefined ? [] : [{ wanted, same: deepEqual(wanted, bare(endpoint)) }]
    })
    const isSame = kept.length === endpointsOf(slice).length && kept.every(({ same }) => same)
    const endpoints = kept.map(({ wanted }) => wanted)
    return { slice, endpoints, changed: !isSame || !hasLabels(slice, service, rules) }
  })
  const empty = filled.filter((one) => one.changed && one.endpoints.length === 0)
  const stay = filled.filter((one) => !empty.includes(one))
  const rest = [...left.values()]
  const take = (one: Filled) => {
    const taken = rest.splice(0, Math.max(0, rules.most - one.endpoints.length))
    if (taken.length > 0)
      Object.assign(one, { endpoints: [...one.endpoints, ...taken], changed: true })
  }
  const changing = stay.filter(({ changed }) => changed)
  for (const one of changing.sort((a, b) => b.endpoints.length - a.endpoints.length)) take(one)
  const fresh: (readonly Endpoint[])[] = []
  while (rest.length > 0) {
    const room = rest.length < rules.most ? roomFor(rest.length, stay, rules) : undefined
    if (room === undefined) fresh.push(rest.splice(0, rules.most))
    else take(room)
  }
  const labels = labelsOf(service, rules)
  const changed = stay
    .filter((one) => one.changed)
    .map(({ slice, endpoints }) => ({
      ...slice,
      metadata: { ...slice.metadata, labels },
      endpoints,
    }))
  return { changed, empty: empty.map(({ slice }) => slice), fresh }
}

/** The fullest of the slices that do not change, and have room for so many. */
function roomFor(count: number, filled: readonly Filled[], { most }: SliceRules) {
  const fit = filled.filter((one) => !one.changed && one.endpoints.length + count <= most)
  return fit.sort((a, b) => b.endpoints.length - a.endpoints.length)[0]
}

/** The endpoints of a slice; a server writes null for none. */
function endpointsOf({ endpoints }: Pick<EndpointSlice, 'endpoints'>): readonly Endpoint[] {
  return (endpoints as readonly Endpoint[] | null) ?? []
}

function bare({ hints: _, ...endpoint }: Endpoint): Endpoint {
  return endpoint
}

function newSlice(
  service: Stored<Service>,
  family: Family,
  {
    ports,
    endpoints,
  }: { readonly ports: PortGroup['ports']; readonly endpoints: readonly Endpoint[] },
  rules: SliceRules,
): NewSlice {
  return {
    metadata: {
      generateName: `${service.metadata.name}-`,
      labels: labelsOf(service, rules),
      ownerReferences: [ownedBy(service)],
    },
    ...{ addressType: family, endpoints, ports },
  }
}

/** The labels of slices: those of the service, and those by which they are found. */
function labelsOf(service: Stored<Service>, rules: SliceRules): Readonly<Record<string, string>> {
  const { [rules.headlessLabel]: _, ...labels } = service.metadata.labels ?? {}
  return {
    ...labels,
    ...(isHeadless(service) && { [rules.headlessLabel]: '' }),
    [rules.serviceLabel]: service.metadata.name,
    [rules.managerLabel]: rules.manager,
  }
}

function hasLabels(slice: Stored<EndpointSlice>, service: Stored<Service>, rules: SliceRules) {
  return deepEqual(slice.metadata.labels ?? {}, labelsOf(service, rules))
}
