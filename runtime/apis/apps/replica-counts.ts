import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { Strategy } from '../strategy/strategy.ts'

/** The counts of a status that are of some of its replicas, by kind, in the order of the errors. */
const counts: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
  ReplicaSet: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  ReplicationController: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  StatefulSet: ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
}

type Counts = Readonly<Record<string, number | undefined>>
type Counted = ApiObject & { readonly status?: Counts }

/**
 * No count of a status is larger than that of all replicas, and what is available is ready; that comes behind counts that
 * cannot be. An absent count is zero.
 * The number of collisions only rises: names of revisions are made of it. Once known, even as zero, it does not go.
 */
export const replicaCounts: Strategy<Counted> = {
  checkStatus(object) {
    const status = object.child('status') as Field<Counts>
    const { kind = '' } = object.value as { readonly kind?: string }
    const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status.value
    const known = counts[kind] ?? []
    const exceeds = (key: string, what: string) =>
      status.invalid(key, `cannot be greater than ${what}`, status.value[key] ?? 0)
    if (replicas < 0) status.invalid('replicas', 'must be greater than or equal to 0', replicas)
    const ready = kind === 'StatefulSet' ? 'status.readyReplicas' : 'readyReplicas'
    status.afterwards(() => {
      for (const key of known) {
        if ((status.value[key] ?? 0) > replicas) exceeds(key, 'status.replicas')
      }
      const tooMany = known.length > 0 && availableReplicas > readyReplicas
      if (tooMany) exceeds('availableReplicas', ready)
    })
    const { collisionCount } = status.value
    const before = status.old?.collisionCount
    if (before === undefined || (collisionCount ?? -1) >= before) return
    status.invalid('collisionCount', 'cannot be decremented', collisionCount ?? 0)
  },
}
