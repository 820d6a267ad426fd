import { StatusError } from '../kernel/status.ts'
import type { Revision } from '../store/store.ts'
import type { Context } from './context.ts'
import { isStoreError, tooLarge } from './errors.ts'

/** How long a read waits for a version that is not there yet. */
const patienceMs = 3000

/** Reads a resourceVersion: undefined for none, else a whole number. Fails with BadRequest. */
export function parseVersion(text: string | undefined): Revision | undefined {
  if (text === undefined || text === '') return undefined
  const version = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(version)) return version
  throw new StatusError(
    'BadRequest',
    `invalid resource version ${JSON.stringify(text)}: must be an unsigned integer`,
  )
}

/** Waits until reads see `version`; fails with Timeout if it does not come. */
export async function reach({ store }: Context, version: Revision): Promise<void> {
  if (version <= store.current) return
  try {
    await store.reached(version, patienceMs)
  } catch (error) {
    throw isStoreError(error, 'Future') ? tooLarge(version, store.current) : error
  }
}
