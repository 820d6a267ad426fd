import { controllerRevisions } from '../../../../generated/apis/apps/v1/controller-revision.ts'
import type { PodTemplateSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { AnyKind } from '../../../kernel/descriptors/kind.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { LabelSelectorFields } from '../../../kernel/meta/label-selector.ts'
import type { ApiObject, Stored } from '../../../kernel/meta/object.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { type KeyContext, ownedBy } from '../../../reconcile/reconcile.ts'
import { claim, claimable, settleClaim } from '../../pods/claim.ts'
import type { Revision, RevisionPlan } from './decide-revision.ts'
import { type RevisionData, revisionHash } from './revision-data.ts'

/** What has revisions. */
export interface RevisionOwner extends ApiObject {
  readonly metadata: ApiObject['metadata'] & { readonly namespace: string }
  readonly spec?: {
    readonly selector?: LabelSelectorFields
    readonly template?: PodTemplateSpec
  }
}

/**
 * The revisions of an owner; those that it selects and that have no controller become its own, and are seen as such by an owner that goes. Needs
 * `controllerIndex`.
 */
export async function claimRevisions(
  owner: Stored<RevisionOwner>,
  ownerKind: AnyKind,
  { client, cached, signal }: KeyContext,
): Promise<readonly Revision[]> {
  const found = claimable(cached(controllerRevisions), owner)
  const { deletionTimestamp: _, ...staying } = owner.metadata
  const selector = owner.spec?.selector
  const claimed = claim(found, { owner: { ...owner, metadata: staying } as never, selector })
  if (owner.metadata.deletionTimestamp !== undefined) return [...claimed.owned, ...claimed.adopt]
  return settleClaim(
    { ...claimed, release: [] },
    { client, kind: controllerRevisions, owner, ownerKind, signal },
  )
}

/**
 * Makes the revision of a plan, or gives it its number. Undefined if another one has its name: there is one more collision. For an owner that
 * goes none is made, since the garbage collector would delete it: its revision is what it would be.
 */
export async function settleRevision(
  owner: Stored<RevisionOwner>,
  { latest, number }: Pick<RevisionPlan, 'latest' | 'number'>,
  { data, collisions, hashLabel }: NewRevision,
  { client, signal }: KeyContext,
): Promise<Revision | undefined> {
  const resource = client.resource(controllerRevisions).in(owner.metadata.namespace)
  if (latest !== undefined) {
    if (latest.revision === number) return latest
    return resource.update({ ...latest, revision: number }, {}, signal)
  }
  const hash = revisionHash(data, collisions)
  const name = `${owner.metadata.name.slice(0, longestPrefix)}-${hash}`
  const { annotations } = owner.metadata
  const labels = { ...owner.spec?.template?.metadata?.labels, [hashLabel]: hash }
  const metadata = {
    ...{ name, labels, ownerReferences: [ownedBy(owner)] },
    ...(annotations && { annotations }),
  }
  const made = { metadata, data, revision: number }
  if (owner.metadata.deletionTimestamp !== undefined) return made as unknown as Revision
  try {
    return await resource.create(made, {}, signal)
  } catch (error) {
    if (!isStatus(error, 'AlreadyExists')) throw error
    const present = await resource.get(name, signal)
    return deepEqual(present.data, data) ? present : undefined
  }
}

/** Beyond it a name has no room for a hash. */
const longestPrefix = 223

/** What a revision is made of. */
export interface NewRevision {
  readonly data: RevisionData
  /** How often a name was taken before. */
  readonly collisions: number
  /** The key of the label that has the hash. */
  readonly hashLabel: string
}

/** Deletes revisions; those that are gone already are gone. */
export async function deleteRevisions(
  revisions: readonly Revision[],
  { client, signal }: Pick<KeyContext, 'client' | 'signal'>,
): Promise<void> {
  for (const revision of revisions) {
    try {
      await client.resource(controllerRevisions).delete(revision, {}, signal)
    } catch (error) {
      if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) throw error
    }
  }
}
