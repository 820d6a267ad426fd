import type { ResourceQuota } from '../../../generated/apis/core/v1/resource-quota.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'

/** `cpu: 1/4, pods: 2/10`: used of allowed, for names that are no limits. */
export function quotaRequests(quota: LooseObject<ResourceQuota>): string {
  return amounts(quota, (name) => !isLimit(name))
}

/** `limits.cpu: 1/4`. */
export function quotaLimits(quota: LooseObject<ResourceQuota>): string {
  return amounts(quota, isLimit)
}

function isLimit(name: string): boolean {
  return name.startsWith('limits.')
}

function amounts(
  { status }: LooseObject<ResourceQuota>,
  wanted: (name: string) => boolean,
): string {
  const { hard = {}, used = {} } = status ?? {}
  const names = Object.keys(hard).filter(wanted).sort()
  const spent = (name: string) => (Object.hasOwn(used, name) ? used[name] : '0')
  return names.map((name) => `${name}: ${spent(name)}/${hard[name]}`).join(', ')
}
