/** Whether a pod may be evicted: what the disruption budgets of its namespace allow. */
import type { Pod as GeneratedPod } from '../../../generated/apis/core/v1/pod.ts'
import type { PodDisruptionBudget } from '../../../generated/apis/policy/v1.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { labelRequirementsOf, matchesLabels } from '../../kernel/meta/label-selector.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { withCondition } from '../../kernel/meta/status-conditions.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'

/** Where budgets are served, if they are. */
export const budgetRoute = 'apis/policy/v1/poddisruptionbudgets'

/** A PodDisruptionBudget, as evictions look at it. */
export type DisruptionBudget = LooseObject<PodDisruptionBudget>

type Pod = LooseObject<GeneratedPod>

const mostDisrupted = 2000

/** True for a pod whose eviction disrupts nothing: it has not begun, has ended, or is on its way. */
export function canIgnoreBudgets({ metadata, status }: Pod): boolean {
  const phase = status?.phase ?? ''
  return (
    ['Pending', 'Succeeded', 'Failed'].includes(phase) || metadata.deletionTimestamp !== undefined
  )
}

/** The budgets that cover a pod. One without a selector covers none. */
export function matchingBudgets<B extends DisruptionBudget>(
  { metadata }: Pod,
  budgets: readonly B[],
): readonly B[] {
  return budgets.filter(({ spec }) => {
    const requirements = spec?.selector ? labelRequirementsOf(spec.selector) : undefined
    return requirements !== undefined && matchesLabels(requirements, metadata.labels)
  })
}

/**
 * The budget after the eviction of a pod; undefined if the pod is not counted, so that nothing is taken from it. Fails
 * with TooManyRequests if it is used up or not up to date.
 */
export function afterEviction(
  budget: Stored<DisruptionBudget>,
  pod: Stored<Pod>,
  now: number,
): DisruptionBudget | undefined {
  const { metadata, status = {} } = budget
  if (ignoresUnhealthy(budget, pod)) return undefined
  const { disruptionsAllowed: allowed = 0, disruptedPods = {} } = status
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    throw tooManyRequests(
      `The disruption budget ${metadata.name} is still being processed by the server.`,
      10,
    )
  }
  if (allowed < 0) throw refused(budget, 'pdb disruptions allowed is negative')
  if (Object.keys(disruptedPods).length > mostDisrupted) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller'
    throw refused(budget, why)
  }
  if (allowed === 0) throw tooManyRequests(shortage(budget), 0)
  return withDisruption(budget, pod, timestamp(now))
}

/** A pod that is not ready is none of those that the budget protects, if its policy or its health says so. */
function ignoresUnhealthy({ spec, status = {} }: DisruptionBudget, pod: Pod): boolean {
  const ready = pod.status?.conditions?.some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  )
  if (ready) return false
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  const { currentHealthy = 0, desiredHealthy = 0 } = status
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy
}

function shortage({ metadata, status = {} }: DisruptionBudget): string {
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

function withDisruption(budget: DisruptionBudget, pod: Stored<Pod>, now: string): DisruptionBudget {
  const { status = {} } = budget
  const left = (status.disruptionsAllowed ?? 0) - 1
  const disruptedPods = { ...status.disruptedPods, [pod.metadata.name]: now }
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

function tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  const text = "Cannot evict pod as it would violate the pod's disruption budget."
  return new StatusError('TooManyRequests', text, {
    details: {
      causes: [{ reason: 'DisruptionBudget', message }],
      ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
    },
  })
}

function refused({ metadata: { name } }: Stored<DisruptionBudget>, why: string): StatusError {
  return new StatusError(
    'Forbidden',
    `poddisruptionbudgets.policy "${name}" is forbidden: ${why}`,
    {
      details: { name, group: 'policy', kind: 'poddisruptionbudgets' },
    },
  )
}

/** More than one budget covers the pod, and it is ambiguous which one is charged. */
export function multipleBudgetsError(): StatusError {
  return new StatusError(
    '',
    'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  )
}

/** The pod with the condition that says why it goes. */
export function withDisruptionTarget(pod: Pod, now: number): Pod {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  }
  return { ...pod, status: withCondition(pod.status ?? {}, condition, timestamp(now)) }
}
