import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerStatus,
} from '../../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'

/** A condition as it is told. */
export type ToldCondition = Required<
  Pick<HorizontalPodAutoscalerCondition, 'type' | 'status' | 'reason' | 'message'>
>

/** The conditions with another one, which stands where one of its type stood; its time moves with its status. */
export function withCondition(
  conditions: readonly HorizontalPodAutoscalerCondition[],
  told: ToldCondition,
  now: number,
): readonly HorizontalPodAutoscalerCondition[] {
  const before = conditions.find(({ type }) => type === told.type)
  const isSame = before?.status === told.status
  const lastTransitionTime = isSame ? before.lastTransitionTime : timestamp(now)
  const next = { ...told, ...(lastTransitionTime && { lastTransitionTime }) }
  if (before === undefined) return [...conditions, next]
  return conditions.map((one) => (one === before ? next : one))
}

/** True for two statuses that say the same, whether or not they write what is zero. */
export function isSameStatus(
  one: HorizontalPodAutoscaler['status'],
  other: HorizontalPodAutoscaler['status'],
): boolean {
  return deepEqual(written(one), written(other))
}

function written(status: Partial<HorizontalPodAutoscalerStatus> = {}) {
  const { currentReplicas = 0, desiredReplicas = 0, currentMetrics, conditions = [] } = status
  const { observedGeneration, lastScaleTime } = status
  return {
    ...{ currentReplicas, desiredReplicas, observedGeneration, lastScaleTime, conditions },
    currentMetrics: currentMetrics ?? [],
  }
}

/** What a run came to. */
export interface RunResult {
  readonly current: number
  /** Default: what the status said before. */
  readonly desired?: number
  readonly metrics: HorizontalPodAutoscalerStatus['currentMetrics']
  readonly conditions: readonly HorizontalPodAutoscalerCondition[]
  readonly rescaled: boolean
}

/** The status after a run. */
export function nextStatus(
  { status }: Stored<HorizontalPodAutoscaler>,
  { current, desired, metrics, conditions, rescaled }: RunResult,
  now: number,
): HorizontalPodAutoscalerStatus {
  const lastScaleTime = rescaled ? timestamp(now) : status?.lastScaleTime
  return {
    currentReplicas: current,
    desiredReplicas: desired ?? status?.desiredReplicas ?? 0,
    ...(lastScaleTime !== undefined && { lastScaleTime }),
    currentMetrics: metrics ?? null,
    conditions,
  }
}
