/** What one object uses of the resources that quotas count. */
import type { PersistentVolumeClaim } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { Service } from '../../../../generated/apis/core/v1/service.ts'
import type { AnyKind } from '../../../kernel/descriptors/kind.ts'
import { resourceName } from '../../../kernel/descriptors/kind.ts'
import type { Platform } from '../../../kernel/descriptors/platform.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { Quantity } from '../../../kernel/values/quantity.ts'
import { type Pod, podSpecOf } from '../pods/pod-spec.ts'
import {
  addResources,
  countQuantity,
  parseResourceList,
  podResources,
  type ResourceList,
} from '../pods/resource-lists.ts'

/** What one object uses, by the names that quotas have for it. */
export interface Usage {
  /** What it takes as long as it is there. */
  readonly place: ResourceList
  /** What it takes beside its place until it is over. */
  readonly more: ResourceList
  /** From when on it is over; infinite for what has no end of its own. */
  readonly until: number
}

/** What objects of a kind take whatever they are. */
export function objectCountUsage(kind: AnyKind): ResourceList {
  const names = [`count/${resourceName(kind)}`]
  if (kind.group === '' && countedByPlural.includes(kind.plural)) names.push(kind.plural)
  return new Map(names.map((name) => [name, countQuantity(1)]))
}

/** Kinds that have a name of their own beside the one that begins with `count/`. */
const countedByPlural = ['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas']

/** What an object uses: by its kind, and for some by what it is. */
export function usageOf(kind: AnyKind, object: ApiObject, platform: Platform): Usage {
  const place = objectCountUsage(kind)
  const endless = (more: ResourceList): Usage => ({ place, more, until: Number.POSITIVE_INFINITY })
  if (kind.group !== '') return endless(nothing)
  switch (kind.plural) {
    case 'pods':
      return { place, more: podUsage(object as Pod), until: endOf(object as Pod) }
    case 'services':
      return endless(serviceUsage(object as Service))
    case 'persistentvolumeclaims':
      return endless(claimUsage(object as PersistentVolumeClaim, platform))
    default:
      return endless(nothing)
  }
}

const nothing: ResourceList = new Map()

/** What an object uses at a time. */
export function usedAt({ place, more, until }: Usage, now: number): ResourceList {
  return now > until ? place : addResources(place, more)
}

function podUsage(pod: Pod): ResourceList {
  const spec = podSpecOf(pod)
  const requests = addResources(podResources(spec, 'requests'), parseResourceList(spec.overhead))
  const limits = podResources(spec, 'limits')
  const overhead = parseResourceList(spec.overhead)
  const used = new Map([['pods', countQuantity(1)]])
  for (const [name, amount] of requests) addRequest(used, name, amount)
  for (const [name, amount] of limits) {
    if (!computeResources.includes(name)) continue
    const extra = overhead.get(name)
    const all =
      extra === undefined
        ? amount
        : (addResources(new Map([[name, amount]]), overhead).get(name) ?? amount)
    used.set(`limits.${name}`, all)
  }
  return used
}

const computeResources = ['cpu', 'memory', 'ephemeral-storage']

function addRequest(used: Map<string, Quantity>, name: string, amount: Quantity): void {
  if (computeResources.includes(name) || name.startsWith('hugepages-')) {
    used.set(name, amount)
    used.set(`requests.${name}`, amount)
  } else if (name.includes('/')) used.set(`requests.${name}`, amount)
}

/** A pod that has ended, or should be gone by now, uses nothing but its place. */
function endOf({ metadata, status }: Pod): number {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return Number.NEGATIVE_INFINITY
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined)
    return Number.POSITIVE_INFINITY
  return Date.parse(deletionTimestamp)
}

function serviceUsage({ spec }: Service): ResourceList {
  const used = new Map([['services', countQuantity(1)]])
  const ports = spec?.ports ?? []
  if (spec?.type === 'NodePort') used.set('services.nodeports', countQuantity(ports.length))
  if (spec?.type !== 'LoadBalancer') return used
  const asked = ports.filter(({ nodePort }) => nodePort)
  const count = spec.allocateLoadBalancerNodePorts === false ? asked.length : ports.length
  return used
    .set('services.loadbalancers', countQuantity(1))
    .set('services.nodeports', countQuantity(count))
}

function claimUsage({ metadata, spec }: PersistentVolumeClaim, platform: Platform): ResourceList {
  const used = new Map([['persistentvolumeclaims', countQuantity(1)]])
  const storage = parseResourceList(spec?.resources?.requests).get('storage')
  if (storage !== undefined) used.set('requests.storage', storage)
  const older = `volume.beta.${platform.domain}/storage-class`
  const name = metadata.annotations?.[older] ?? spec?.storageClassName ?? ''
  if (name === '') return used
  const prefix = `${name}.storageclass.storage.${platform.api}`
  used.set(`${prefix}/persistentvolumeclaims`, countQuantity(1))
  if (storage !== undefined) used.set(`${prefix}/requests.storage`, storage)
  return used
}
