import type { Deployment } from '../../../../generated/apis/apps/v1/deployment.ts'
import { amountOf } from '../../../kernel/values/int-or-percent.ts'

/** A number that stands for no limit. */
const unlimited = 2 ** 31 - 1

/** How many pods a deployment asks for. */
export function replicasOf({ spec }: Deployment): number {
  return spec?.replicas ?? 1
}

/** True if pods are replaced a few at a time. */
export function isRolling({ spec }: Deployment): boolean {
  return (spec?.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate'
}

/** How many pods there may be beyond what is asked for. */
export function maxSurge(deployment: Deployment): number {
  return isRolling(deployment) ? limitsOf(deployment).surge : 0
}

/** How many pods may be missing of what is asked for. */
export function maxUnavailable(deployment: Deployment): number {
  const replicas = replicasOf(deployment)
  if (!isRolling(deployment) || replicas === 0) return 0
  return Math.min(limitsOf(deployment).unavailable, replicas)
}

/** Both limits; where rounding leaves neither, one pod may be missing. */
function limitsOf(deployment: Deployment) {
  const { rollingUpdate } = deployment.spec?.strategy ?? {}
  const replicas = replicasOf(deployment)
  const surge = amountOf(rollingUpdate?.maxSurge ?? 0, replicas, 'up')
  const unavailable = amountOf(rollingUpdate?.maxUnavailable ?? 0, replicas, 'down')
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable }
}

/** Seconds without progress that are reported; undefined for any number. */
export function progressDeadlineOf({ spec }: Deployment): number | undefined {
  const seconds = spec?.progressDeadlineSeconds
  return seconds === unlimited ? undefined : seconds
}

/** How many old sets are kept; undefined for all of them. */
export function historyLimitOf({ spec }: Deployment): number | undefined {
  const limit = spec?.revisionHistoryLimit
  return limit === unlimited ? undefined : limit
}
