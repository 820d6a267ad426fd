/** Whether a pod may be evicted: what the disruption budgets of its namespace allow. */
import { type LabelSelectorLike, matchesLabels, requirementsOf } from '../kernel/labels.ts'
import type { ApiObject } from '../kernel/object.ts'
import { StatusError } from '../kernel/status.ts'
import { timestamp } from '../kernel/time.ts'
import { withCondition } from './conditions.ts'
import type { Condition, List, Pod, Strings } from './shapes.ts'

/** Where budgets are served, if they are. */
export const budgetRoute = 'apis/policy/v1/poddisruptionbudgets'

interface BudgetStatus {
  readonly observedGeneration?: number
  readonly disruptionsAllowed?: number
  readonly currentHealthy?: number
  readonly desiredHealthy?: number
  readonly disruptedPods?: Strings
  readonly conditions?: List<Condition & { readonly message?: string }>
}

/** What an eviction looks at of a PodDisruptionBudget. */
export interface Budget extends ApiObject {
  readonly spec?: {
    readonly selector?: LabelSelectorLike | null
    readonly unhealthyPodEvictionPolicy?: string
  }
  readonly status?: BudgetStatus
}

const mostDisrupted = 2000

/** True for a pod that disturbs nobody by going: it has not begun, has ended, or is on its way. */
export function isFreeToGo({ metadata, status }: Pod): boolean {
  const phase = status?.phase ?? ''
  return (
    ['Pending', 'Succeeded', 'Failed'].includes(phase) || metadata.deletionTimestamp !== undefined
  )
}

/** The budgets that cover a pod. One without a selector covers none. */
export function budgetsOf({ metadata }: Pod, budgets: readonly Budget[]): readonly Budget[] {
  return budgets.filter(({ spec }) => {
    const requirements = spec?.selector ? requirementsOf(spec.selector) : undefined
    return requirements !== undefined && matchesLabels(requirements, metadata.labels)
  })
}

/**
 * The budget after the eviction of a pod; undefined if the pod is not counted, so that nothing is taken from it. Fails
 * with TooManyRequests if it is used up or not up to date.
 */
export function disrupted(budget: Budget, pod: Pod, now: number): Budget | undefined {
  const { metadata, status = {} } = budget
  if (isUncounted(budget, pod)) return undefined
  const { disruptionsAllowed: allowed = 0, disruptedPods = {} } = status
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    throw exhausted(
      `The disruption budget ${metadata.name} is still being processed by the server.`,
      10,
    )
  }
  if (allowed < 0) throw refused(budget, 'pdb disruptions allowed is negative')
  if (Object.keys(disruptedPods).length > mostDisrupted) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller'
    throw refused(budget, why)
  }
  if (allowed === 0) throw exhausted(shortage(budget), 0)
  return spent(budget, pod, timestamp(now))
}

/** A pod that is not ready is none of those that the budget protects, if its policy or its health says so. */
function isUncounted({ spec, status = {} }: Budget, pod: Pod): boolean {
  const ready = pod.status?.conditions?.some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  )
  if (ready) return false
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  const { currentHealthy = 0, desiredHealthy = 0 } = status
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy
}

function shortage({ metadata, status = {} }: Budget): string {
  const failed = status.conditions?.find(
    ({ type, status, reason }) =>
      type === 'DisruptionAllowed' && status === 'False' && reason === 'SyncFailed',
  )
  if (failed !== undefined) {
    return (
      `The disruption budget ${metadata.name} does not allow evicting pods currently because it failed sync: ` +
      `${failed.message ?? ''}`
    )
  }
  const { desiredHealthy = 0, currentHealthy = 0 } = status
  return `The disruption budget ${metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
}

function spent(budget: Budget, pod: Pod, now: string): Budget {
  const { status = {} } = budget
  const left = (status.disruptionsAllowed ?? 0) - 1
  const disruptedPods = { ...status.disruptedPods, [pod.metadata.name ?? '']: now }
  const next = { ...status, disruptionsAllowed: left, disruptedPods }
  const none = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'InsufficientPods',
    message: '',
    observedGeneration: status.observedGeneration ?? 0,
  }
  return { ...budget, status: left === 0 ? withCondition(next, none, now) : next }
}

function exhausted(message: string, retryAfterSeconds: number): StatusError {
  const text = "Cannot evict pod as it would violate the pod's disruption budget."
  return new StatusError('TooManyRequests', text, {
    details: {
      causes: [{ reason: 'DisruptionBudget', message }],
      ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
    },
  })
}

function refused({ metadata: { name = '' } }: Budget, why: string): StatusError {
  return new StatusError(
    'Forbidden',
    `poddisruptionbudgets.policy "${name}" is forbidden: ${why}`,
    {
      details: { name, group: 'policy', kind: 'poddisruptionbudgets' },
    },
  )
}

/** More than one budget covers the pod, and nobody can say which one pays. */
export function ambiguous(): StatusError {
  return new StatusError(
    '',
    'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  )
}

/** The pod with the condition that says why it goes. */
export function evicted(pod: Pod, now: number): Pod {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  }
  return { ...pod, status: withCondition(pod.status ?? {}, condition, timestamp(now)) }
}
