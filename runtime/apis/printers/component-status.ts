import type { ComponentStatus } from '../../../generated/apis/core/v1/component-status.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'

type Status = LooseObject<ComponentStatus>

/** `Healthy`, `Unhealthy`, or `Unknown` where that was not found out. */
export function componentHealth(component: Status): string {
  const status = healthOf(component)?.status
  return status === undefined ? 'Unknown' : status === 'True' ? 'Healthy' : 'Unhealthy'
}

/** What the component said of its health. */
export function componentMessage(component: Status): string {
  return healthOf(component)?.message ?? ''
}

/** Why its health could not be found out. */
export function componentError(component: Status): string {
  return healthOf(component)?.error ?? ''
}

function healthOf({ conditions }: Status) {
  return conditions?.find(({ type }) => type === 'Healthy')
}
