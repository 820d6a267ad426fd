import type { DaemonSetStatus } from '../../../../generated/apis/apps/v1/daemon-set.ts'
import { isAvailable, isReady } from '../../pods/pod-state.ts'
import { isUpdated, type StoredDaemonSet } from './daemon-pod.ts'
import { type ObservedDaemonSet, podsByNode } from './decide-daemon-set.ts'

/** The status of a daemon set whose pods are these: on each node the first one counts. */
export function daemonStatus(
  { set, hash, nodes, fitOf, pods }: Omit<ObservedDaemonSet, 'waitMs'>,
  now: number,
): DaemonSetStatus {
  const byNode = podsByNode(pods)
  const minReady = set.spec?.minReadySeconds ?? 0
  const [wanted, unwanted] = [[] as string[], [] as string[]]
  for (const node of nodes) (fitOf(node).starts ? wanted : unwanted).push(node.metadata.name)
  const first = wanted.flatMap((node) => byNode.get(node)?.[0] ?? [])
  const available = first.filter((pod) => isAvailable(pod, minReady, now)).length
  return {
    ...set.status,
    currentNumberScheduled: first.length,
    numberMisscheduled: unwanted.filter((node) => byNode.has(node)).length,
    desiredNumberScheduled: wanted.length,
    numberReady: first.filter(isReady).length,
    observedGeneration: set.metadata.generation ?? 0,
    updatedNumberScheduled: first.filter((pod) => isUpdated(pod, set, hash)).length,
    numberAvailable: available,
    numberUnavailable: wanted.length - available,
  }
}

/** True for a status that says something else than the one that the set has. */
export function differs(status: DaemonSetStatus, { status: known }: StoredDaemonSet): boolean {
  return compared.some((field) => (status[field] ?? 0) !== (known?.[field] ?? 0))
}

const compared = [
  ...(['desiredNumberScheduled', 'currentNumberScheduled', 'numberMisscheduled'] as const),
  ...(['numberReady', 'updatedNumberScheduled', 'numberAvailable'] as const),
  ...(['numberUnavailable', 'observedGeneration'] as const),
]
