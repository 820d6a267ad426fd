import { encode, parse, withoutRevision, withRevision } from '../codec/codec.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Entry, Revision } from '../store/store.ts'
import type { Item } from './registry.ts'

const items = new WeakMap<Entry, Item>()

/** The item of an entry: one for each entry, so that its object is parsed at most once. */
export function itemOf(entry: Entry): Item {
  let item = items.get(entry)
  if (item === undefined) {
    item = lazyItem(withRevision(entry.value, entry.revision))
    items.set(entry, item)
  }
  return item
}

/** The item of bytes that already are as they are sent. */
export function lazyItem(bytes: Uint8Array): Item {
  let object: ApiObject | undefined
  return {
    bytes,
    object() {
      object ??= parse(bytes) as unknown as ApiObject
      return object
    },
  }
}

/** The item of an object that is not stored: a dry run's. */
export function itemOfObject(object: ApiObject): Item {
  return { bytes: encode(object), object: () => object }
}

/** The last state of an entry under the version of a later change. */
export function itemAt(entry: Entry, revision: Revision): Item {
  return lazyItem(withRevision(withoutRevision(entry.value), revision))
}
