import { applyJsonPatch, type JsonPatchOperation, parseJsonPatch } from '../../apply/apply.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { Json } from '../../kernel/values/json.ts'
import {
  decodeJson,
  encodeJson,
  parseTrustedJson,
  readObject,
} from '../../serializer/serializer.ts'
import { internalError } from '../chain/errors.ts'
import type { VersionedAttributes } from '../matching/versioned-attributes.ts'
import type { ReviewResponse } from './admission-review.ts'
import { WebhookCallError } from './errors.ts'

/**
 * Applies the patch of a webhook's response, and returns the object in the version that the webhook was called with: the same
 * reference if the patch changes nothing (supplement Q-08).
 *
 * @throws WebhookCallError for another patch type than JSONPatch
 * @throws StatusError (InternalError) for a patch that does not apply, or whose result is not an object of the kind
 */
export function applyWebhookPatch(
  webhook: string,
  { patch, patchType }: ReviewResponse,
  { kind, object }: VersionedAttributes,
): ApiObject | undefined {
  if (patch.length === 0) return object
  if (patchType !== 'JSONPatch') {
    throw new WebhookCallError(webhook, `unsupported patch type "${patchType}"`)
  }
  const operations = orInternalError(() => parseJsonPatch(decodeJson(patch).value))
  if (operations.length === 0) return object
  if (object === undefined) {
    throw internalError(
      `admission webhook "${webhook}" attempted to modify the object, which is not supported for this operation`,
    )
  }
  const before = parseTrustedJson(encodeJson(object))
  const after = orInternalError(() => {
    const { object: patched, report } = readObject(kind, applyOperations(before, operations))
    const [error] = report.typeErrors
    if (error !== undefined) throw new Error(`${error.path}: ${error.message}`)
    return patched
  })
  return deepEqual(after, before) ? object : after
}

/** A patch that does not apply is the fault of the webhook, not of the request: the error is an InternalError. */
function orInternalError<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (isStatus(error, 'RequestEntityTooLarge')) throw error
    throw internalError(errorText(error), error)
  }
}

/** Applies all operations or none. The error names the first that does not apply. */
function applyOperations(document: Json, operations: readonly JsonPatchOperation[]): Json {
  try {
    return applyJsonPatch(document, operations)
  } catch (error) {
    if (isStatus(error, 'Invalid') && error.cause instanceof Error) throw error.cause
    throw error
  }
}
