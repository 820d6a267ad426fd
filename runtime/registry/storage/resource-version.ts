import { StatusError } from '../../kernel/errors/status-error.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import type { Revision } from '../../store/store.ts'
import type { RegistryContext } from '../contract/context.ts'
import { isStoreError, resourceVersionTooLarge } from '../contract/errors.ts'

/** How many milliseconds a read waits for a version that is still to come. */
const revisionTimeoutMs = 3000

/** The largest number of 64 bits. */
const largest = 2n ** 64n - 1n

/**
 * Reads a resourceVersion: undefined for none, else a whole number; one that no revision can reach is the largest that a
 * number can be.
 *
 * @throws StatusError BadRequest in the words of public servers.
 */
export function parseResourceVersion(text: string | undefined): Revision | undefined {
  if (text === undefined || text === '') return undefined
  if (!/^\d+$/.test(text)) throw refused(text, 'invalid syntax')
  const digits = text.replace(/^0+(?=\d)/, '')
  if (digits.length > 20 || BigInt(digits) > largest) throw refused(text, 'value out of range')
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER)
}

function refused(text: string, why: string): StatusError {
  const shown = quoted(text)
  const problem = `resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: ${why}`
  return new StatusError('BadRequest', `invalid resource version: ${problem}`)
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
