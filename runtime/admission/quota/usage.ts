/** What one object uses of the resources that quotas count. */
import type { PersistentVolumeClaim } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { Service } from '../../../generated/apis/core/v1/service.ts'
import type { AnyKind } from '../../kernel/kind.ts'
import { resourceName } from '../../kernel/kind.ts'
import type { ApiObject } from '../../kernel/object.ts'
import type { Platform } from '../../kernel/platform.ts'
import type { Quantity } from '../../kernel/quantity.ts'
import { type Amounts, amountsOf, podAmounts, sum, whole } from '../amounts.ts'
import { type Pod, specOf } from '../pods.ts'

/** What one object uses, by the names that quotas have for it. */
export interface Usage {
  /** What it takes as long as it is there. */
  readonly place: Amounts
  /** What it takes beside its place until it is over. */
  readonly more: Amounts
  /** From when on it is over; infinite for what has no end of its own. */
  readonly until: number
}

/** What objects of a kind take whatever they are. */
export function placeOf(kind: AnyKind): Amounts {
  const names = [`count/${resourceName(kind)}`]
  if (kind.group === '' && simple.includes(kind.plural)) names.push(kind.plural)
  return new Map(names.map((name) => [name, whole(1)]))
}

/** Kinds that have a name of their own beside the one that begins with `count/`. */
const simple = ['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas']

/** What an object uses: by its kind, and for some by what it is. */
export function usageOf(kind: AnyKind, object: ApiObject, platform: Platform): Usage {
  const place = placeOf(kind)
  const endless = (more: Amounts): Usage => ({ place, more, until: Number.POSITIVE_INFINITY })
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

const nothing: Amounts = new Map()

/** What an object uses at a time. */
export function usedAt({ place, more, until }: Usage, now: number): Amounts {
  return now > until ? place : sum(place, more)
}

function podUsage(pod: Pod): Amounts {
  const spec = specOf(pod)
  const requests = sum(podAmounts(spec, 'requests'), amountsOf(spec.overhead))
  const limits = podAmounts(spec, 'limits')
  const overhead = amountsOf(spec.overhead)
  const used = new Map([['pods', whole(1)]])
  for (const [name, amount] of requests) addRequest(used, name, amount)
  for (const [name, amount] of limits) {
    if (!computed.includes(name)) continue
    const extra = overhead.get(name)
    const all =
      extra === undefined ? amount : (sum(new Map([[name, amount]]), overhead).get(name) ?? amount)
    used.set(`limits.${name}`, all)
  }
  return used
}

const computed = ['cpu', 'memory', 'ephemeral-storage']

function addRequest(used: Map<string, Quantity>, name: string, amount: Quantity): void {
  if (computed.includes(name) || name.startsWith('hugepages-')) {
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

function serviceUsage({ spec }: Service): Amounts {
  const used = new Map([['services', whole(1)]])
  const ports = spec?.ports ?? []
  if (spec?.type === 'NodePort') used.set('services.nodeports', whole(ports.length))
  if (spec?.type !== 'LoadBalancer') return used
  const asked = ports.filter(({ nodePort }) => nodePort)
  const count = spec.allocateLoadBalancerNodePorts === false ? asked.length : ports.length
  return used.set('services.loadbalancers', whole(1)).set('services.nodeports', whole(count))
}

function claimUsage({ metadata, spec }: PersistentVolumeClaim, platform: Platform): Amounts {
  const used = new Map([['persistentvolumeclaims', whole(1)]])
  const storage = amountsOf(spec?.resources?.requests).get('storage')
  if (storage !== undefined) used.set('requests.storage', storage)
  const older = `volume.beta.${platform.domain}/storage-class`
  const name = metadata.annotations?.[older] ?? spec?.storageClassName ?? ''
  if (name === '') return used
  const prefix = `${name}.storageclass.storage.${platform.api}`
  used.set(`${prefix}/persistentvolumeclaims`, whole(1))
  if (storage !== undefined) used.set(`${prefix}/requests.storage`, storage)
  return used
}
