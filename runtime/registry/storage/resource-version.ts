import { StatusError } from '../../kernel/errors/status-error.ts'
import type { Revision } from '../../store/store.ts'
import type { RegistryContext } from '../contract/context.ts'
import { isStoreError, resourceVersionTooLarge } from '../contract/errors.ts'

/** How many milliseconds a read waits for a version that is still to come. */
const revisionTimeoutMs = 3000

/** Reads a resourceVersion: undefined for none, else a whole number. @throws StatusError BadRequest. */
export function parseResourceVersion(text: string | undefined): Revision | undefined {
  if (text === undefined || text === '') return undefined
  const version = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(version)) return version
  throw new StatusError(
    'BadRequest',
    `invalid resource version ${JSON.stringify(text)}: must be an unsigned integer`,
  )
}

/**
 * Waits until the cache has seen `version`: a client that was told of it by another server must not read an older state.
 *
 * @throws StatusError Timeout if it does not come.
 */
export async function waitForRevision(
  { store }: RegistryContext,
  version: Revision,
): Promise<void> {
  if (version <= store.currentRevision) return
  try {
    await store.waitForRevision(version, revisionTimeoutMs)
  } catch (error) {
    throw isStoreError(error, 'Future')
      ? resourceVersionTooLarge(version, store.currentRevision)
      : error
  }
}
