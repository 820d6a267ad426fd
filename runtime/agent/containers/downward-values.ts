/** What a pod can be told of itself. */
import type { Container } from '../../../generated/apis/core/v1/container.ts'
import type { ResourceFieldSelector } from '../../../generated/apis/core/v1/env.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { parseQuantity } from '../../kernel/values/quantity.ts'

/** What a node gives to pods, where a container has no limit. */
export type Allocatable = Readonly<Record<string, string>>

/** The value of a field such as `metadata.name`; undefined for a path that names none. */
export function fieldValue(
  pod: Stored<Pod>,
  path: string,
  hostIP: string,
  podIPs: readonly string[] = [],
): string | undefined {
  const { metadata, spec, status } = pod
  const one = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path)
  if (one) return metadata[one[1] as 'labels' | 'annotations']?.[one[2] as string] ?? ''
  switch (path) {
    case 'metadata.name':
      return metadata.name
    case 'metadata.namespace':
      return metadata.namespace
    case 'metadata.uid':
      return metadata.uid
    case 'metadata.labels':
      return lines(metadata.labels)
    case 'metadata.annotations':
      return lines(metadata.annotations)
    case 'spec.nodeName':
      return spec?.nodeName ?? ''
    case 'spec.serviceAccountName':
      return spec?.serviceAccountName ?? ''
    case 'status.hostIP':
    case 'status.hostIPs':
      return hostIP
    case 'status.podIP':
    case 'status.podIPs':
      return ipsOf(path, podIPs, status?.podIP ?? hostIP)
    default:
      return undefined
  }
}

function ipsOf(path: string, ips: readonly string[], usual: string): string {
  const all = ips.length > 0 ? ips : [usual]
  return path.endsWith('s') ? all.join(',') : (all[0] ?? usual)
}

/** An amount that a container asks for or may use, in units of the divisor, rounded up. */
export function resourceValue(
  container: Pick<Container, 'resources'>,
  { resource, divisor = '1' }: ResourceFieldSelector,
  allocatable: Allocatable,
): string | undefined {
  const [side, ...rest] = resource.split('.')
  const name = rest.join('.')
  const { limits = {}, requests = {} } = container.resources ?? {}
  const text =
    side === 'limits' ? (limits[name] ?? allocatable[name] ?? '0') : (requests[name] ?? '0')
  const [amount, unit] = [parseQuantity(text), parseQuantity(divisor === '0' ? '1' : divisor)]
  if (amount === undefined || unit === undefined) return undefined
  return String(Math.ceil(numberOf(text) / numberOf(divisor === '0' ? '1' : divisor)))
}

const units: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
}

function numberOf(text: string): number {
  const [, digits = '0', unit = ''] = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([A-Za-z]*)$/.exec(text) ?? []
  return Number(digits) * (units[unit] ?? 1)
}

/** `name="value"`, one a line, in order. */
function lines(entries: Readonly<Record<string, string>> = {}): string {
  return Object.entries(entries)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join('\n')
}
