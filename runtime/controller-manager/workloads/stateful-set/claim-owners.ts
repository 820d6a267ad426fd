/** Who owns the claims of a stateful set, so that they go with it or with their pods, as it says (retention). */
import type { PersistentVolumeClaim } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { OwnerReference } from '../../../../generated/apis/meta/v1/object-meta.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { ownedBy } from '../../../reconcile/reconcile.ts'
import { isInRange, ordinalOf, type StoredSet } from './set-names.ts'

/** The pod that uses a claim, as far as it is known: one that is not made yet has no uid. */
export interface ClaimUser {
  readonly metadata: { readonly name: string; readonly uid?: string }
}

/** What is to become of the owners of a claim. */
export interface ClaimOwnersPlan {
  /** The owners that it is to have; undefined if they stay. */
  readonly owners: readonly OwnerReference[] | undefined
  /** Another one owns it, so that the set's policy does not count. */
  readonly conflict: boolean
}

type Claim = Stored<PersistentVolumeClaim>

/** The owners that a claim is to have by the policy of its set. An owner of an earlier life is waited for. */
export function decideClaimOwners(claim: Claim, set: StoredSet, pod: ClaimUser): ClaimOwnersPlan {
  const references = claim.metadata.ownerReferences ?? []
  const { whenDeleted, whenScaled } = policyOf(set)
  const uids: readonly (string | undefined)[] = [set.metadata.uid, pod.metadata.uid]
  const named = references.filter((one) => isNamed(one, set, pod))
  const isStale = named.some(({ uid }) => !uids.includes(uid))
  const foreign = references.some(
    (one) => !named.includes(one) && one.controller === true && !uids.includes(one.uid),
  )
  const conflict = (whenDeleted || whenScaled) && (isStale || foreign)
  if (isStale) return { owners: undefined, conflict }
  const own = references.filter(({ uid }) => uids.includes(uid))
  if (conflict) {
    return { owners: own.length === 0 ? undefined : without(references, named), conflict }
  }
  const wanted = wantedOwner({ whenDeleted, whenScaled }, set, pod)
  const isRight =
    own.every(({ uid, controller }) => uid === wanted?.metadata.uid && controller === true) &&
    own.length === (wanted === undefined ? 0 : 1)
  if (isRight) return { owners: undefined, conflict }
  const rest = without(references, named)
  return { owners: wanted === undefined ? rest : [...rest, ownedBy(wanted as never)], conflict }
}

/** True for a claim that goes with a pod of an earlier life: the next pod of its name waits until it is gone. */
export function isStaleClaim(claim: Claim, set: StoredSet, podName: string): boolean {
  if (!policyOf(set).whenScaled) return false
  const references = claim.metadata.ownerReferences ?? []
  return references.some((one) => isPod(one) && one.name === podName)
}

interface Policy {
  readonly whenDeleted: boolean
  readonly whenScaled: boolean
}

/** When claims are deleted. */
function policyOf({ spec }: StoredSet): Policy {
  const { whenDeleted, whenScaled } = spec?.persistentVolumeClaimRetentionPolicy ?? {}
  return { whenDeleted: whenDeleted === 'Delete', whenScaled: whenScaled === 'Delete' }
}

/** With what a claim goes: its pod once the set has no pod of that number any more, else the set. */
function wantedOwner({ whenDeleted, whenScaled }: Policy, set: StoredSet, pod: ClaimUser) {
  if (whenScaled && !isInRange(set, ordinalOf(pod))) {
    return { apiVersion: 'v1', kind: 'Pod', metadata: pod.metadata }
  }
  return whenDeleted ? set : undefined
}

function isNamed(one: OwnerReference, set: StoredSet, pod: ClaimUser): boolean {
  const isSet = one.apiVersion === set.apiVersion && one.kind === set.kind
  if (isSet) return one.name === set.metadata.name
  return isPod(one) && one.name === pod.metadata.name
}

function isPod({ apiVersion, kind }: OwnerReference): boolean {
  return apiVersion === 'v1' && kind === 'Pod'
}

function without(
  references: readonly OwnerReference[],
  named: readonly OwnerReference[],
): readonly OwnerReference[] {
  return references.filter((one) => !named.includes(one))
}
