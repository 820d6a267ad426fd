/** What a list of pods shows. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Pod } from '../types/shapes.ts'
import { since } from './age.ts'
import { summarizePod } from './pod-summary.ts'

const none = '<none>'

/** `1/2`: ready containers of all that keep running. */
export function podReady(object: ApiObject): string {
  const { ready, total } = summarizePod(object as Pod)
  return `${ready}/${total}`
}

/** The phase of a pod, or what holds it up. */
export function podStatus(object: ApiObject): string {
  return summarizePod(object as Pod).reason
}

/** `3 (5m ago)`: how often containers were restarted, and when last. */
export function podRestarts(object: ApiObject, now: number): string {
  const { restarts, lastRestart } = summarizePod(object as Pod)
  if (restarts === 0 || lastRestart === undefined) return String(restarts)
  return `${restarts} (${since(lastRestart, now)} ago)`
}

export function podIP(object: ApiObject): string {
  const { podIPs, podIP } = (object as Pod).status ?? {}
  return podIPs?.[0]?.ip || podIP || none
}

export function podNode(object: ApiObject): string {
  return (object as Pod).spec?.nodeName || none
}

export function podNominatedNode(object: ApiObject): string {
  return (object as Pod).status?.nominatedNodeName || none
}

/** `1/2`: readiness gates whose condition holds, of all. */
export function podReadinessGates(object: ApiObject): string {
  const { spec, status } = object as Pod
  const gates = spec?.readinessGates ?? []
  if (gates.length === 0) return none
  const conditions = status?.conditions ?? []
  const holding = new Set(conditions.filter((one) => one.status === 'True').map(({ type }) => type))
  const open = gates.filter(({ conditionType }) => holding.has(conditionType))
  return `${open.length}/${gates.length}`
}
