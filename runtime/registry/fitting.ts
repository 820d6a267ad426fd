import { encode } from '../codec/codec.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Entry } from '../store/store.ts'
import type { Draft } from './decode.ts'
import { isStoreError } from './errors.ts'
import { recordsIn, withoutRecords } from './managed.ts'

/**
 * Stores an object. One that is too large is stored without the records of its managers, which a client did not ask for;
 * an applier did (supplement ).
 */
export async function storeFitting(
  object: ApiObject,
  draft: Draft,
  write: (value: Uint8Array) => Promise<Entry>,
): Promise<Entry> {
  try {
    return await write(encode(object))
  } catch (error) {
    const spare = recordsIn(object) !== undefined && draft.managed === undefined
    if (!spare || !isStoreError(error, 'TooLarge')) throw error
    return write(encode(withoutRecords(object)))
  }
}
