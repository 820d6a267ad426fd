/** Whether a node has a place for a pod: what the agent finds out for itself, from the API server or not. */
import type { Node } from '../../../generated/apis/core/v1/node.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { compareQuantities } from '../../kernel/values/quantity.ts'
import {
  addResources,
  hasEnded,
  hostPortsConflict,
  hostPortsOf,
  matchesNodeAffinity,
  parseResourceList,
  podRequests,
  type ResourceList,
  specOf,
} from '../../pods/pods.ts'
import type { WaitingReason } from './container-statuses.ts'

/** What a node has, and what is on it. */
export interface PlaceFacts {
  readonly node: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly allocatable: Readonly<Record<string, string>>
  /** The other pods of the node. */
  readonly others: readonly Stored<Pod>[]
}

/** Why a pod has no place; undefined if it has one. */
export function noPlace(pod: Stored<Pod>, facts: PlaceFacts): WaitingReason | undefined {
  const { node, allocatable, others } = facts
  const active = others.filter((one) => !hasEnded(one) && one.metadata.uid !== pod.metadata.uid)
  const labelled = { metadata: node } as Pick<Stored<Node>, 'metadata'>
  if (!matchesNodeAffinity(specOf(pod), labelled)) return failed('NodeAffinity')
  const ports = hostPortsOf(specOf(pod))
  const taken = active.flatMap((one) => hostPortsOf(specOf(one)))
  if (ports.some((port) => taken.some((other) => hostPortsConflict(port, other)))) {
    return failed('NodePorts')
  }
  const all = parseResourceList(allocatable)
  const used = active
    .map((one) => podRequests(specOf(one)))
    .reduce<ResourceList>(addResources, new Map())
  const asked = podRequests(specOf(pod))
  const most = Number((all.get('pods')?.nanos ?? 0n) / 10n ** 9n)
  if (most > 0 && active.length >= most) return out('pods', 1, active.length, most)
  for (const [name, amount] of asked) {
    const whole = all.get(name)
    if (whole === undefined || amount.nanos === 0n) continue
    const together = addResources(used, new Map([[name, amount]])).get(name) ?? amount
    if (compareQuantities(together, whole) <= 0) continue
    const scale = name === 'cpu' ? 10n ** 6n : 10n ** 9n
    const number = (of: { readonly nanos: bigint } | undefined) => Number((of?.nanos ?? 0n) / scale)
    return out(name, number(amount), number(used.get(name)), number(whole))
  }
  return undefined
}

function failed(name: string): WaitingReason {
  return { reason: name, message: `Predicate ${name} failed` }
}

function out(name: string, asked: number, used: number, capacity: number): WaitingReason {
  const message = `Node didn't have enough resource: ${name}, requested: ${asked}, used: ${used}, capacity: ${capacity}`
  return { reason: `OutOf${name}`, message }
}
