/** Which pods stand behind a service, and where. */

import { isIPv6 } from 'node:net'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Service, ServicePort } from '../../../generated/apis/core/v1/service.ts'
import type { Key } from '../../client/client.ts'
import type { CacheReader } from '../../informer/informer.ts'
import { objectKey } from '../../informer/informer.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { hasEnded } from '../../pods/pods.ts'

/** An address family. */
export type Family = 'IPv4' | 'IPv6'

/** True for a service whose pods are found by its selector. */
export function hasSelector({ spec }: Service): boolean {
  return spec?.selector !== undefined && spec.type !== 'ExternalName'
}

/** True for a service without an address of its own. */
export function isHeadless({ spec }: Service): boolean {
  return spec?.clusterIP === 'None' || spec?.clusterIP === undefined || spec.clusterIP === ''
}

/** True for a pod that the selector of a service names. */
export function selects({ spec }: Service, { metadata }: Pod): boolean {
  const { labels = {} } = metadata
  return Object.entries(spec?.selector ?? {}).every(
    ([key, value]) => Object.hasOwn(labels, key) && labels[key] === value,
  )
}

/** The services that select a pod. */
export function servicesOf(pod: Stored<Pod>, services: CacheReader<Service>): readonly Key[] {
  return services
    .list(pod.metadata.namespace)
    .filter((service) => hasSelector(service) && selects(service, pod))
    .map(objectKey)
}

/** True for a pod that may be reached: it has an address, and has not ended. One that goes may, if it is told so. */
export function isReachable(pod: Pod, includesGoing: boolean): boolean {
  const { metadata, status } = pod
  if (hasEnded(pod)) return false
  if (!status?.podIP && !status?.podIPs?.length) return false
  return includesGoing || metadata.deletionTimestamp === undefined
}

/** The addresses of a pod in a family. */
export function addressesOf({ status }: Pod, family: Family): readonly string[] {
  const all = status?.podIPs?.map(({ ip = '' }) => ip) ?? []
  return all.filter((ip) => ip !== '' && isIPv6(ip) === (family === 'IPv6'))
}

/** The port of a pod that a port of a service leads to; undefined if the pod has none of that name. */
export function targetOf({ spec }: Pod, { targetPort, port, protocol }: ServicePort) {
  if (typeof targetPort !== 'string') return targetPort || port
  const named = spec?.containers
    .flatMap(({ ports = [] }) => ports)
    .find((one) => one.name === targetPort && (one.protocol ?? 'TCP') === (protocol ?? 'TCP'))
  return named?.containerPort
}

/** The host name by which a pod is found behind a service of its subdomain. */
export function hostnameOf({ spec }: Pod, service: Stored<Service>): string | undefined {
  const isIn = spec?.subdomain === service.metadata.name
  return isIn && spec?.hostname ? spec.hostname : undefined
}
