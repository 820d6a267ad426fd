/** What lists of ComponentStatuses show. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { List } from '../types/shapes.ts'

interface Condition {
  readonly type?: string
  readonly status?: string
  readonly message?: string
  readonly error?: string
}

export function componentHealth(object: ApiObject): string {
  const status = healthOf(object)?.status
  return status === undefined ? 'Unknown' : status === 'True' ? 'Healthy' : 'Unhealthy'
}

export function componentMessage(object: ApiObject): string {
  return healthOf(object)?.message ?? ''
}

export function componentError(object: ApiObject): string {
  return healthOf(object)?.error ?? ''
}

function healthOf(object: ApiObject): Condition | undefined {
  const { conditions } = object as { readonly conditions?: List<Condition> }
  return conditions?.find(({ type }) => type === 'Healthy')
}
