/** What one object uses of the resources that quotas limit. */
import type { PersistentVolumeClaim } from '../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { Pod } from '../../generated/apis/core/v1/pod.ts'
import type { Service } from '../../generated/apis/core/v1/service.ts'
import { type AnyKind, resourceName } from '../kernel/descriptors/kind.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import { deepEqual } from '../kernel/values/deep-equal.ts'
import type { Quantity } from '../kernel/values/quantity.ts'
import {
  addQuantities,
  addResources,
  countQuantity,
  hasEnded,
  parseResourceList,
  podRequests,
  podResources,
  podSpecOf,
  type ResourceList,
  wholeQuantity,
} from '../pods/pods.ts'
import { computeResources, countedByPlural } from './counted-resources.ts'

/** The resources that one object uses, by the names that quotas have for them. */
export interface Usage {
  /** Used for as long as the object exists: its count. */
  readonly count: ResourceList
  /** Used beside the count while the object is active. */
  readonly active: ResourceList
  /** The end of that, in milliseconds since 1970; Infinity for objects that do not end by themselves. */
  readonly activeUntil: number
}

const none: ResourceList = new Map()

/** The count that every object of a kind uses. */
export function objectCountUsage(kind: AnyKind): ResourceList {
  const names = [`count/${resourceName(kind)}`]
  if (kind.group === '' && countedByPlural.includes(kind.plural)) names.push(kind.plural)
  return new Map(names.map((name) => [name, countQuantity(1)]))
}

/** What an object uses. */
export function usageOf(kind: AnyKind, object: ApiObject, platform: Platform): Usage {
  const count = objectCountUsage(kind)
  const active = activeUsageOf(kind, object, platform)
  const isPod = kind.group === '' && kind.plural === 'pods'
  return {
    count,
    active,
    activeUntil: isPod ? endOf(object as Pod) : Number.POSITIVE_INFINITY,
  }
}

/** True for kinds whose objects use nothing but their count. */
export function usesOnlyCount({ group, plural }: Pick<AnyKind, 'group' | 'plural'>): boolean {
  return group !== '' || !['pods', 'services', 'persistentvolumeclaims'].includes(plural)
}

/** True if an object may use less than before it was changed. */
export function mayUseLess(kind: AnyKind, before: ApiObject, object: ApiObject): boolean {
  if (usesOnlyCount(kind)) return false
  if (kind.plural === 'pods') return hasEnded(object as Pod) && !hasEnded(before as Pod)
  return !deepEqual((object as Service).spec, (before as Service).spec)
}

/** What an object uses at a time, in milliseconds since 1970. */
export function usedAt({ count, active, activeUntil }: Usage, now: number): ResourceList {
  return now > activeUntil ? count : addResources(count, active)
}

/** Adds what an object uses at a time to the totals that there are. */
export function addUsage(totals: Map<string, Quantity>, usage: Usage, now: number): void {
  addTo(totals, usage.count)
  if (now <= usage.activeUntil) addTo(totals, usage.active)
}

function addTo(totals: Map<string, Quantity>, list: ResourceList): void {
  for (const [name, quantity] of list) {
    const total = totals.get(name)
    if (total !== undefined) totals.set(name, addQuantities(total, quantity))
  }
}

/** Only pods, services and claims use more than their count. */
function activeUsageOf(kind: AnyKind, object: ApiObject, platform: Platform): ResourceList {
  if (kind.group !== '') return none
  switch (kind.plural) {
    case 'pods':
      return podUsage(object as Pod)
    case 'services':
      return serviceUsage(object as Service)
    case 'persistentvolumeclaims':
      return claimUsage(object as PersistentVolumeClaim, platform)
    default:
      return none
  }
}

/** Requests and limits of the pod with its overhead. Limits of other resources than compute have no name in quotas. */
function podUsage(pod: Pod): ResourceList {
  const spec = podSpecOf(pod)
  const overhead = parseResourceList(spec.overhead)
  const used = new Map([['pods', countQuantity(1)]])
  for (const [name, quantity] of podRequests(spec)) addRequest(used, name, quantity)
  for (const [name, quantity] of podResources(spec, 'limits')) {
    if (!computeResources.includes(name)) continue
    const extra = overhead.get(name)
    used.set(`limits.${name}`, extra === undefined ? quantity : addQuantities(quantity, extra))
  }
  return used
}

/** Compute resources and huge pages count under two names, extended resources as `requests.<name>` only. */
function addRequest(used: Map<string, Quantity>, name: string, quantity: Quantity): void {
  if (computeResources.includes(name) || name.startsWith('hugepages-')) {
    used.set(name, quantity)
    used.set(`requests.${name}`, quantity)
  } else if (name.includes('/')) used.set(`requests.${name}`, quantity)
}

/** A pod that has ended, or went as long ago as its grace period is, uses only its count. */
function endOf({ metadata, status }: Pod): number {
  if (hasEnded({ status })) return Number.NEGATIVE_INFINITY
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined)
    return Number.POSITIVE_INFINITY
  return Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000
}

/** Load balancers use node ports for all their ports, unless they opt out of allocation. */
function serviceUsage({ spec }: Service): ResourceList {
  const used = new Map([['services', countQuantity(1)]])
  const ports = spec?.ports ?? []
  if (spec?.type === 'NodePort') used.set('services.nodeports', countQuantity(ports.length))
  if (spec?.type !== 'LoadBalancer') return used
  const withNodePort = ports.filter(({ nodePort }) => nodePort)
  const count = spec.allocateLoadBalancerNodePorts === false ? withNodePort.length : ports.length
  return used
    .set('services.loadbalancers', countQuantity(1))
    .set('services.nodeports', countQuantity(count))
}

/** Claims count for the namespace, and again for their storage class. */
function claimUsage({ metadata, spec }: PersistentVolumeClaim, platform: Platform): ResourceList {
  const used = new Map([['persistentvolumeclaims', countQuantity(1)]])
  const requested = parseResourceList(spec?.resources?.requests).get('storage')
  const storage = requested && wholeQuantity(requested)
  if (storage !== undefined) used.set('requests.storage', storage)
  const betaAnnotation = `volume.beta.${platform.domain}/storage-class`
  const storageClass = metadata.annotations?.[betaAnnotation] ?? spec?.storageClassName ?? ''
  if (storageClass === '') return used
  const prefix = `${storageClass}.storageclass.storage.${platform.api}`
  used.set(`${prefix}/persistentvolumeclaims`, countQuantity(1))
  if (storage !== undefined) used.set(`${prefix}/requests.storage`, storage)
  return used
}
