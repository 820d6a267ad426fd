import { encodeJson } from '../../serializer/serializer.ts'
import type { Entry } from '../../store/store.ts'
import { isStoreError } from '../contract/errors.ts'
import { managedFieldsOf, withoutManagedFields } from '../strategy/managed-fields.ts'
import type { ObjectWrite } from './object-write.ts'

/**
 * Stores the object of a write. One that is too large is stored without managed fields, which a client did not ask for; an
 * applier did (supplement ). `value` is the object's JSON, where that is there already.
 *
 * @throws StoreError TooLarge if that does not help.
 */
export async function dropManagedFieldsIfTooLarge(
  { object, draft }: Pick<ObjectWrite, 'object' | 'draft'>,
  store: (value: Uint8Array) => Promise<Entry>,
  value: Uint8Array = encodeJson(object),
): Promise<Entry> {
  try {
    return await store(value)
  } catch (error) {
    const spare = managedFieldsOf(object) !== undefined && draft.managed === undefined
    if (!spare || !isStoreError(error, 'TooLarge')) throw error
    return store(encodeJson(withoutManagedFields(object)))
  }
}
