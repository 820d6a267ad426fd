import type { DeleteOptions as ClientDeleteOptions, Key } from '../client/client.ts'
import { errorText } from '../kernel/errors/error-text.ts'
import { isStatus, StatusError } from '../kernel/errors/status-error.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import { type DeleteOptions, fromStoreError } from '../registry/registry.ts'

/**
 * The registry's options of a deletion. An object that is given whole must still be that one, and
 * not another of its name. A key has no uid and deletes whatever has that name. `unchanged` asks
 * for the resourceVersion as well.
 */
export function deleteOptions(
  target: string | Key | ApiObject,
  { unchanged, dryRun = false, ...options }: ClientDeleteOptions,
): DeleteOptions {
  if (typeof target === 'string' || !('metadata' in target)) return { ...options, dryRun }
  const { uid, resourceVersion } = target.metadata
  const preconditions = {
    ...(uid !== undefined && { uid }),
    ...(unchanged && resourceVersion !== undefined && { resourceVersion }),
  }
  return { ...options, dryRun, preconditions }
}

/** The error as a verb fails with it: a StatusError as it is, any other as the server's own mistake. */
export function toStatusError(error: unknown): StatusError {
  const told = fromStoreError(error)
  if (isStatus(told)) return told
  const message = errorText(error)
  return new StatusError('InternalError', message, { cause: error })
}
