import type { StatefulSetStatus } from '../../../../generated/apis/apps/v1/stateful-set.ts'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import type { StoredSet } from './set-names.ts'
import { isRunningAndReady, isSetPodAvailable, isTerminating, revisionOf } from './set-pods.ts'

/** The names of the revisions of a set, and how often a name was taken. */
export interface SetRevisions {
  readonly current: string
  readonly update: string
  readonly collisions: number
}

/** The status of a set with these pods. When all of them have the new revision, it is the current one. */
export function setStatus(
  set: StoredSet,
  pods: readonly Stored<Pod>[],
  { current, update, collisions }: SetRevisions,
  now: number,
): StatefulSetStatus {
  const created = pods.filter(({ status }) => (status?.phase ?? '') !== '')
  const ready = pods.filter(isRunningAndReady)
  const staying = created.filter((pod) => !isTerminating(pod))
  const have = (revision: string) => staying.filter((pod) => revisionOf(pod) === revision).length
  const counts = {
    replicas: created.length,
    readyReplicas: ready.length,
    currentReplicas: have(current),
    updatedReplicas: have(update),
  }
  const { replicas: wanted = 1, updateStrategy } = set.spec ?? {}
  const { replicas, readyReplicas, updatedReplicas } = counts
  const isComplete =
    updateStrategy?.type === 'RollingUpdate' &&
    [replicas, readyReplicas, updatedReplicas].every((count) => count === wanted)
  return {
    observedGeneration: set.metadata.generation ?? 0,
    ...counts,
    ...(isComplete && { currentReplicas: updatedReplicas }),
    currentRevision: isComplete ? update : current,
    updateRevision: update,
    collisionCount: collisions,
    availableReplicas: ready.filter((pod) => isSetPodAvailable(set, pod, now)).length,
  }
}

/** True for a status that says something else than the one that the set has. */
export function differs(status: StatefulSetStatus, { status: known }: StoredSet): boolean {
  const { observedGeneration = 0 } = status
  return (
    observedGeneration > (known?.observedGeneration ?? 0) ||
    compared.some((field) => (status[field] || undefined) !== (known?.[field] || undefined))
  )
}

const compared = [
  ...(['replicas', 'currentReplicas', 'readyReplicas', 'updatedReplicas'] as const),
  ...(['availableReplicas', 'currentRevision', 'updateRevision'] as const),
]
