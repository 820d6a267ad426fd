import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type {
  PodDisruptionBudget,
  PodDisruptionBudgetStatus,
} from '../../../generated/apis/policy/v1.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { amountOf } from '../../kernel/values/int-or-percent.ts'
import { hasEnded } from '../../pods/pods.ts'
import { setCondition } from '../../reconcile/reconcile.ts'
import { isReady } from '../pods/pod-state.ts'

/** How long a pod whose eviction was allowed counts as gone before it is. */
const deletionMs = 120_000

/** What is observed of a budget. */
export interface ObservedBudget {
  readonly budget: Stored<PodDisruptionBudget>
  /** The pods that it selects. */
  readonly pods: readonly Stored<Pod>[]
  /** How many pods their controllers ask for, where `needsScale` holds. */
  readonly scale: number
}

/** What is to be done about a budget. */
export interface BudgetPlan {
  /** The present one if nothing has changed. */
  readonly status: PodDisruptionBudgetStatus | undefined
  /** Pods that were to be evicted, and are still there. */
  readonly overdue: readonly Stored<Pod>[]
  /** Milliseconds until a pod counts again that was to be evicted; undefined if there is none. */
  readonly recheckMs: number | undefined
}

/** True for a budget that speaks of a part of the pods that there should be. */
export function needsScale({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string'
}

/** How many pods of a budget are healthy, how many must be, and how many may be evicted. */
export function decideBudget({ budget, pods, scale }: ObservedBudget, now: number): BudgetPlan {
  const { status: last } = budget
  const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const disrupted = staying.flatMap((pod) => {
    const { name, creationTimestamp } = pod.metadata
    const since = last?.disruptedPods?.[name]
    // a pod that was made later has the name of the one that was evicted
    return since === undefined || creationTimestamp > since
      ? []
      : [{ pod, since, until: Date.parse(since) + deletionMs }]
  })
  const expected = disrupted.filter(({ until }) => until >= now)
  const healthy = staying.filter(
    (pod) => isReady(pod) && !expected.some((one) => one.pod === pod && one.until > now),
  )
  const { desiredHealthy, expectedPods } = wantedHealth(budget, pods.length, scale)
  const allowed = expectedPods > 0 ? Math.max(0, healthy.length - desiredHealthy) : 0
  const counts = {
    ...{ currentHealthy: healthy.length, desiredHealthy, expectedPods },
    ...{ disruptionsAllowed: allowed, observedGeneration: budget.metadata.generation ?? 0 },
  }
  const disruptedPods = Object.fromEntries(
    expected.map(({ pod, since }) => [pod.metadata.name, since]),
  )
  const recheck = Math.min(...expected.map(({ until }) => until))
  return {
    status: nextStatus(last, { ...counts, disruptedPods }, now),
    overdue: disrupted.filter(({ until }) => until < now).map(({ pod }) => pod),
    recheckMs: expected.length === 0 ? undefined : Math.max(0, recheck - now + 1),
  }
}

function wantedHealth({ spec }: Stored<PodDisruptionBudget>, present: number, scale: number) {
  const { maxUnavailable, minAvailable } = spec ?? {}
  if (maxUnavailable !== undefined) {
    const least = scale - amountOf(maxUnavailable, scale, 'up')
    return { expectedPods: scale, desiredHealthy: Math.max(0, least) }
  }
  if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 }
  if (typeof minAvailable === 'number')
    return { expectedPods: present, desiredHealthy: minAvailable }
  return { expectedPods: scale, desiredHealthy: amountOf(minAvailable, scale, 'up') }
}

function nextStatus(
  last: PodDisruptionBudgetStatus | undefined,
  next: PodDisruptionBudgetStatus & {
    readonly disruptedPods: object
    readonly observedGeneration: number
  },
  now: number,
): PodDisruptionBudgetStatus {
  const { disruptionsAllowed, disruptedPods, observedGeneration } = next
  const isAllowed = disruptionsAllowed > 0
  const told = {
    ...{ type: 'DisruptionAllowed', status: isAllowed ? 'True' : 'False', message: '' },
    reason: isAllowed ? 'SufficientPods' : 'InsufficientPods',
    observedGeneration,
  } as const
  const { conditions: before, disruptedPods: gone = {}, ...counts } = last ?? {}
  const current = before?.find(({ type }) => type === told.type)
  const isTold = current?.status === told.status && current.reason === told.reason
  const { disruptedPods: _, ...nextCounts } = next
  if (last && isTold && deepEqual(counts, nextCounts) && deepEqual(gone, disruptedPods)) return last
  const conditions = setCondition(before, told, now)
  return {
    ...nextCounts,
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    conditions,
  }
}

/** The status of a budget that could not be worked out: nothing may be evicted. */
export function failedStatus(
  { status: last }: Stored<PodDisruptionBudget>,
  message: string,
  now: number,
): PodDisruptionBudgetStatus {
  const { observedGeneration = 0 } = last ?? {}
  const told = {
    ...{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed' },
    ...{ message, observedGeneration },
  } as const
  const none = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, disruptionsAllowed: 0 }
  const conditions = setCondition(last?.conditions, told, now)
  const isSame = conditions === last?.conditions && last?.disruptionsAllowed === 0
  return last && isSame ? last : { ...none, ...last, disruptionsAllowed: 0, conditions }
}

/** Milliseconds until the eviction of a pod that did not come about is taken back; undefined if there is none. */
export function staleDisruptionMs(
  { metadata, status }: Stored<Pod>,
  now: number,
): number | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined
  if (hasEnded({ status })) return undefined
  const told = status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
  if (told?.status !== 'True' || told.reason === 'TerminationByKubelet') return undefined
  return Math.max(0, (Date.parse(told.lastTransitionTime ?? '') || 0) + deletionMs - now)
}
