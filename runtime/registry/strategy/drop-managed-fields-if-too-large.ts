import type { ApiObject } from '../../kernel/meta/object.ts'
import { encodeJson } from '../../serializer/serializer.ts'
import type { Entry } from '../../store/store.ts'
import { isStoreError } from '../contract/errors.ts'
import type { Draft } from './decode.ts'
import { managedFieldsOf, withoutManagedFields } from './managed-fields.ts'

/**
 * Stores an object. One that is too large is stored without the records of its managers, which a client did not ask for;
 * an applier did (supplement ).
 */
export async function dropManagedFieldsIfTooLarge(
  object: ApiObject,
  draft: Draft,
  write: (value: Uint8Array) => Promise<Entry>,
): Promise<Entry> {
  try {
    return await write(encodeJson(object))
  } catch (error) {
    const spare = managedFieldsOf(object) !== undefined && draft.managed === undefined
    if (!spare || !isStoreError(error, 'TooLarge')) throw error
    return write(encodeJson(withoutManagedFields(object)))
  }
}
