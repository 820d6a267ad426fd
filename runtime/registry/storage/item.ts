import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import {
  encodeJson,
  parseTrustedJson,
  withoutResourceVersion,
  withResourceVersion,
} from '../../serializer/serializer.ts'
import type { Entry, Revision } from '../../store/store.ts'
import type { Item } from '../contract/contract.ts'

const items = new WeakMap<Entry, Item>()

/** The item of an entry: one for each entry, so that readers at the same time parse it once. */
export function itemOf(entry: Entry): Item {
  let item = items.get(entry)
  if (item === undefined) {
    item = new EntryItem(entry)
    items.set(entry, item)
  }
  return item
}

/** Looks at the bytes of the entry only once they are asked for: of a long list few items are. */
class EntryItem implements Item {
  readonly #entry: Entry
  #bytes: Uint8Array | undefined
  #object: WeakRef<Stored<ApiObject>> | undefined

  constructor(entry: Entry) {
    this.#entry = entry
  }

  get bytes(): Uint8Array {
    this.#bytes ??= withResourceVersion(this.#entry.value, this.#entry.revision)
    return this.#bytes
  }

  object(): Stored<ApiObject> {
    const known = this.#object?.deref()
    if (known !== undefined) return known
    const object = parseTrustedJson(this.bytes) as unknown as Stored<ApiObject>
    this.#object = new WeakRef(object)
    return object
  }
}

/**
 * The item of bytes that already are as they are sent. The parsed object is remembered while it is in use, not for as
 * long as the item lives: reading every object of a store must not keep them all in memory.
 */
export function lazyItem(bytes: Uint8Array): Item {
  let memo: WeakRef<Stored<ApiObject>> | undefined
  return {
    bytes,
    object() {
      const known = memo?.deref()
      if (known !== undefined) return known
      const object = parseTrustedJson(bytes) as unknown as Stored<ApiObject>
      memo = new WeakRef(object)
      return object
    },
  }
}

/** The item of an object that is not stored: a dry run's, of which many senders want to know only whether it is refused. */
export function itemOfObject(object: ApiObject): Item {
  let bytes: Uint8Array | undefined
  return {
    get bytes() {
      bytes ??= encodeJson(object)
      return bytes
    },
    object: () => object as Stored<ApiObject>,
  }
}

/** The last state of an entry under the version of a later change. */
export function itemAtRevision(entry: Entry, revision: Revision): Item {
  return lazyItem(withResourceVersion(withoutResourceVersion(entry.value), revision))
}
