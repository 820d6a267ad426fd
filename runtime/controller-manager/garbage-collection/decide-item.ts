import type { ApiObject, Stored } from '../../kernel/meta/object.ts'

/** The finalizers of the platform that hold an object until its dependents are deleted, or have lost it as their owner. */
export const dependentsFinalizers = { foreground: 'foregroundDeletion', orphan: 'orphan' } as const

/**
 * What an owner reference leads to:
 *
 *   - `solid`: an object that stays, or goes without waiting for its dependents;
 *   - `waiting`: one that is being deleted in the foreground: it waits until its dependents are gone;
 *   - `absent`: nothing, as the server says;
 *   - `orphaning`: nothing, since it was deleted and left its dependents;
 *   - `misplaced`: an object of a namespace, from one without: it is no owner, and nothing is done about the reference;
 *   - `unknown`: of a kind that the server does not serve now.
 */
export type OwnerState = 'solid' | 'waiting' | 'absent' | 'orphaning' | 'misplaced' | 'unknown'

/** What is known of an object and of those that it belongs to. */
export interface ObservedItem {
  readonly item: Stored<ApiObject>
  /** One for each of its owner references. */
  readonly owners: readonly OwnerState[]
  readonly dependents: readonly ObservedDependent[]
}

/** An object with a reference to the item. */
export interface ObservedDependent {
  /** The item may not go before it, if it is deleted in the foreground. */
  readonly blocks: boolean
  /** It waits for dependents of its own. */
  readonly waits: boolean
}

/** What is to be done about an object. */
export type ItemPlan =
  | { readonly is: 'keep' }
  /** It cannot be told now whether it stays. */
  | { readonly is: 'later' }
  /** Its dependents lose it as their owner; then it may go. */
  | { readonly is: 'orphan' }
  /** Its dependents are gone, and it may go. */
  | { readonly is: 'finish' }
  /** It loses references to owners that are gone, or wait for it. */
  | { readonly is: 'release'; readonly uids: readonly string[] }
  | {
      readonly is: 'delete'
      readonly propagationPolicy: 'Orphan' | 'Background' | 'Foreground'
      /** First it holds up none of its owners any more, since it waits for them in a circle. */
      readonly unblock?: boolean
    }

const keep: ItemPlan = { is: 'keep' }

/** What is to be done about an object, by its owners and its dependents. */
export function decideItem({ item, owners, dependents }: ObservedItem): ItemPlan {
  const { deletionTimestamp, finalizers = [], ownerReferences = [] } = item.metadata
  const { foreground, orphan } = dependentsFinalizers
  if (deletionTimestamp !== undefined) {
    if (finalizers.includes(orphan)) return { is: 'orphan' }
    if (!finalizers.includes(foreground) || dependents.some(({ blocks }) => blocks)) return keep
    return { is: 'finish' }
  }
  if (ownerReferences.length === 0 || owners.includes('misplaced')) return keep
  const uidsOf = (...states: readonly OwnerState[]) =>
    ownerReferences.filter((_, at) => states.includes(owners[at]!)).map(({ uid }) => uid)
  if (owners.includes('unknown')) return { is: 'later' }
  if (owners.includes('orphaning')) return { is: 'release', uids: uidsOf('orphaning') }
  if (owners.includes('solid')) {
    const uids = uidsOf('absent', 'waiting')
    return uids.length === 0 ? keep : { is: 'release', uids }
  }
  if (owners.includes('waiting') && dependents.length > 0) {
    const unblock = dependents.some(({ waits }) => waits)
    return { is: 'delete', propagationPolicy: 'Foreground', ...(unblock && { unblock }) }
  }
  if (finalizers.includes(orphan)) return { is: 'delete', propagationPolicy: 'Orphan' }
  if (finalizers.includes(foreground)) return { is: 'delete', propagationPolicy: 'Foreground' }
  return { is: 'delete', propagationPolicy: 'Background' }
}
