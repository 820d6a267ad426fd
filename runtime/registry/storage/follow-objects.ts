import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { Entry } from '../../store/store.ts'
import type { StoreCache } from '../../watch/watch.ts'
import { itemOf } from './item.ts'
import { collectionPrefix } from './keys.ts'

/** What is told of the objects of a kind, in the version that they are stored in. */
export interface ObjectFollower {
  /** An object is there or has changed. */
  set(object: Stored<ApiObject>, old?: Stored<ApiObject>): void
  /** An object is gone; this is its last state. */
  remove(object: Stored<ApiObject>): void
}

/**
 * Tells of every stored object of a kind: of those that are there now, then of each change, before the write that made it is
 * acknowledged. So what is kept by it is never older than what a client has seen.
 */
export function followObjects(store: StoreCache, kind: AnyKind, follower: ObjectFollower): void {
  const prefix = collectionPrefix({ kind })
  for (const entry of store.listCached(prefix).entries) follower.set(objectOf(entry))
  store.follow(prefix, ({ entry, previous }) => {
    const old = previous && objectOf(previous)
    if (entry !== undefined) follower.set(objectOf(entry), old)
    else if (old !== undefined) follower.remove(old)
  })
}

function objectOf(entry: Entry): Stored<ApiObject> {
  return itemOf(entry).object()
}
