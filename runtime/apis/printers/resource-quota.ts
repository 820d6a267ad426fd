/** What lists of ResourceQuotas show. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { ResourceQuota } from '../core/quota/resource-quota.ts'

/** `cpu: 1/4, pods: 2/10`: used of allowed, for whatever is no limit. */
export function quotaRequests(object: ApiObject): string {
  return amounts(object, (name) => !isLimit(name))
}

/** `limits.cpu: 1/4`. */
export function quotaLimits(object: ApiObject): string {
  return amounts(object, isLimit)
}

function isLimit(name: string): boolean {
  return name.startsWith('limits.')
}

function amounts(object: ApiObject, wanted: (name: string) => boolean): string {
  const { hard = {}, used = {} } = (object as ResourceQuota).status ?? {}
  const names = Object.keys(hard).filter(wanted).sort()
  const spent = (name: string) => (Object.hasOwn(used, name) ? used[name] : '0')
  return names.map((name) => `${name}: ${spent(name)}/${hard[name]}`).join(', ')
}
