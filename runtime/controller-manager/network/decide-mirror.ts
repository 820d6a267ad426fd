/** The slices that endpoints have which people write: one for each set of ports and family of addresses. */
import { isIP } from 'node:net'
import type {
  EndpointAddress,
  EndpointSubset,
  Endpoints,
} from '../../../generated/apis/core/v1/endpoints.ts'
import type { Endpoint, EndpointSlice } from '../../../generated/apis/discovery/v1.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { ownedBy } from '../../reconcile/reconcile.ts'
import type { NewSlice, SlicePlan } from './decide-slices.ts'
import { repacked } from './decide-subsets.ts'
import { endpointKey, portsKey } from './slice-endpoints.ts'

/** Names that such slices have, and how much of a subset they mirror. */
export interface MirrorRules {
  readonly serviceLabel: string
  readonly managerLabel: string
  readonly manager: string
  /** Annotations of endpoints that their slices do not have. */
  readonly ownAnnotations: readonly string[]
  /** The most addresses of a subset. */
  readonly most: number
}

/** What is to be written, and what could not be mirrored. */
export interface MirrorPlan extends SlicePlan {
  /** Addresses that are none. */
  readonly invalid: number
  /** All addresses that have no place, the invalid ones among them. */
  readonly skipped: number
}

/** Brings the slices of endpoints to what these say. */
export function decideMirror(
  endpoints: Stored<Endpoints>,
  slices: readonly Stored<EndpointSlice>[],
  rules: MirrorRules,
): MirrorPlan {
  const { groups, invalid, skipped } = groupsOf(endpoints.subsets ?? [], rules)
  const create: NewSlice[] = []
  const update: Stored<EndpointSlice>[] = []
  const remove = new Set(slices)
  // Of several with the same ports the first stays.
  const present = new Map(slices.toReversed().map((slice) => [keyOf(slice), slice]))
  for (const [key, group] of groups) {
    const wanted = newSlice(endpoints, group, rules)
    const found = present.get(key)
    if (found === undefined) create.push(wanted)
    else {
      remove.delete(found)
      if (!isMirror(found, wanted)) update.push(replaced(found, wanted))
    }
  }
  return { ...reused({ create, update, remove: [...remove] }), invalid, skipped }
}

type Group = Pick<NewSlice, 'addressType' | 'ports'> & { readonly endpoints: readonly Endpoint[] }

function groupsOf(subsets: readonly EndpointSubset[], { most }: MirrorRules) {
  const groups = new Map<string, Group>()
  let [invalid, skipped] = [0, 0]
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of repacked(subsets)) {
    const all = [
      ...addresses.map((address) => endpointOf(address, true)),
      ...notReadyAddresses.map((address) => endpointOf(address, false)),
    ]
    const good = all.filter((one) => isIP(one.addresses[0] ?? '') !== 0)
    const kept = good.slice(0, most)
    invalid += all.length - good.length
    skipped += all.length - kept.length
    const named = ports.map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({
      ...{ name, port, protocol },
      ...(appProtocol !== undefined && { appProtocol }),
    }))
    for (const addressType of ['IPv4', 'IPv6'] as const) {
      const version = addressType === 'IPv4' ? 4 : 6
      const list = kept.filter((one) => isIP(one.addresses[0] ?? '') === version)
      const key = keyOf({ addressType, ports: named })
      const known = groups.get(key)?.endpoints ?? []
      const endpoints = [...known, ...list]
      if (endpoints.length > 0) groups.set(key, { addressType, ports: named, endpoints })
    }
  }
  return { groups, invalid, skipped }
}

function keyOf({ addressType, ports }: Pick<EndpointSlice, 'addressType' | 'ports'>): string {
  return `${addressType} ${portsKey(ports)}`
}

function endpointOf(
  { ip, hostname, nodeName, targetRef }: EndpointAddress,
  ready: boolean,
): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname && { hostname }),
    ...(targetRef && { targetRef }),
    ...(nodeName && { nodeName }),
  }
}

function newSlice(
  { metadata }: Stored<Endpoints>,
  group: Group,
  { serviceLabel, managerLabel, manager, ownAnnotations }: MirrorRules,
): NewSlice {
  const { name, labels, annotations = {} } = metadata
  const shown = Object.entries(annotations).filter(([key]) => !ownAnnotations.includes(key))
  return {
    metadata: {
      generateName: `${name}-`,
      labels: { ...labels, [serviceLabel]: name, [managerLabel]: manager },
      annotations: Object.fromEntries(shown),
      ownerReferences: [ownedBy({ kind: 'Endpoints', apiVersion: 'v1', metadata })],
    },
    ...group,
  }
}

/** True for a slice with the same endpoints, labels and annotations, in whatever order. */
function isMirror(slice: Stored<EndpointSlice>, wanted: NewSlice): boolean {
  const sorted = ({ endpoints }: Pick<EndpointSlice, 'endpoints'>) =>
    new Map((endpoints ?? []).map((one) => [endpointKey(one), one]))
  const [present, next] = [sorted(slice), sorted(wanted)]
  return (
    present.size === next.size &&
    [...next].every(([key, one]) => deepEqual(present.get(key), one)) &&
    deepEqual(slice.metadata.labels ?? {}, wanted.metadata.labels) &&
    deepEqual(slice.metadata.annotations ?? {}, wanted.metadata.annotations)
  )
}

function replaced(slice: Stored<EndpointSlice>, wanted: NewSlice): Stored<EndpointSlice> {
  const { labels = {}, annotations = {}, ownerReferences = [] } = wanted.metadata
  const metadata = { ...slice.metadata, labels, annotations, ownerReferences }
  const { endpoints, ports } = wanted
  return { ...slice, metadata, endpoints, ...(ports && { ports }) }
}

/** Slices that would go become those of their family that would be made. */
function reused({ create, update, remove }: SlicePlan): SlicePlan {
  const left = [...remove]
  const changed: Stored<EndpointSlice>[] = []
  const fresh = create.filter((wanted) => {
    const at = left.findIndex(({ addressType }) => addressType === wanted.addressType)
    const [slice] = at < 0 ? [] : left.splice(at, 1)
    if (slice !== undefined) changed.push(replaced(slice, wanted))
    return slice === undefined
  })
  return { create: fresh, update: [...update, ...changed], remove: left }
}
