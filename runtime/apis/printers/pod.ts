import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import { since } from '../../kernel/values/age.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'
import { summarizePod } from './pod-summary.ts'

const none = '<none>'

/** `1/2`: ready containers of all that keep running. */
export function podReady(pod: LooseObject<Pod>): string {
  const { ready, total } = summarizePod(pod)
  return `${ready}/${total}`
}

/** The phase of a pod, or what holds it up. */
export function podStatus(pod: LooseObject<Pod>): string {
  return summarizePod(pod).reason
}

/** `3 (5m ago)`: how often containers were restarted, and when last. */
export function podRestarts(pod: LooseObject<Pod>, now: number): string {
  const { restarts, lastRestart } = summarizePod(pod)
  if (restarts === 0 || lastRestart === undefined) return String(restarts)
  return `${restarts} (${since(lastRestart, now)} ago)`
}

/** The first address of the pod. */
export function podIP({ status }: LooseObject<Pod>): string {
  const { podIPs, podIP } = status ?? {}
  return podIPs?.[0]?.ip || podIP || none
}

/** `1/2`: readiness gates whose condition holds, of all. */
export function podReadinessGates({ spec, status }: LooseObject<Pod>): string {
  const gates = spec?.readinessGates ?? []
  if (gates.length === 0) return none
  const conditions = status?.conditions ?? []
  const holding = new Set(conditions.filter((one) => one.status === 'True').map(({ type }) => type))
  const open = gates.filter(({ conditionType }) => holding.has(conditionType))
  return `${open.length}/${gates.length}`
}
