/** What a webhook's patch makes of an object (supplement Q-08). */
import { applyJsonPatch, type JsonPatchOperation, parseJsonPatch } from '../../apply/apply.ts'
import type { Awaitable } from '../../kernel/async/awaitable.ts'
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
import type { Attributes } from '../chain/attributes.ts'
import { internalError } from '../chain/errors.ts'
import type { PluginContext } from '../chain/plugin-context.ts'
import type { ReviewResponse } from './admission-review.ts'
import type { Webhook } from './configurations.ts'
import { WebhookCallError } from './errors.ts'
import type { VersionedAttributes } from './review-client.ts'

/** The object as the patch leaves it, in the version of the request; the very same one if nothing differs. */
export function applyWebhookPatch(
  { convert }: Pick<PluginContext, 'convert'>,
  { name }: Pick<Webhook, 'name'>,
  { kind: own, object }: Attributes,
  { kind, object: shown }: VersionedAttributes,
  { patch, patchType }: ReviewResponse,
): Awaitable<ApiObject | undefined> {
  if (patch.length === 0) return object
  if (patchType !== 'JSONPatch') {
    throw new WebhookCallError(name, `unsupported patch type "${patchType}"`)
  }
  const operations = orInternalError(() => parseJsonPatch(decodeJson(patch).value))
  if (operations.length === 0) return object
  if (object === undefined || shown === undefined) {
    throw internalError(
      `admission webhook "${name}" attempted to modify the object, which is not supported for this operation`,
    )
  }
  const before = parseTrustedJson(encodeJson(shown))
  const after = orInternalError(() => {
    const { object: read, report } = readObject(kind, applyOperations(before, operations))
    const [wrong] = report.typeErrors
    if (wrong !== undefined) throw new Error(`${wrong.path}: ${wrong.message}`)
    return read
  })
  if (deepEqual(after, before)) return object
  return kind === own ? after : convert(after, kind, own)
}

/** A patch that does not apply is the webhook's mistake, not the caller's. */
function orInternalError<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (isStatus(error, 'RequestEntityTooLarge')) throw error
    throw internalError(error instanceof Error ? error.message : String(error), error)
  }
}

function applyOperations(document: Json, operations: readonly JsonPatchOperation[]): Json {
  try {
    return applyJsonPatch(document, operations)
  } catch (error) {
    if (!isStatus(error, 'Invalid')) throw error
    const culprit = operations[firstFailing(document, operations)]
    throw new Error(culprit ? describeFailure(culprit) : error.message, { cause: error })
  }
}

/** The index of the first operation that does not apply, given that one does not: found by halving. */
function firstFailing(document: Json, operations: readonly JsonPatchOperation[]): number {
  let [low, high] = [0, operations.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (applies(document, operations.slice(0, middle + 1))) low = middle + 1
    else high = middle
  }
  return low
}

function applies(document: Json, operations: readonly JsonPatchOperation[]): boolean {
  try {
    applyJsonPatch(document, operations)
    return true
  } catch {
    return false
  }
}

function describeFailure({ op, path, from }: JsonPatchOperation): string {
  const [at, source] = [path, from].map((steps) =>
    steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
  )
  switch (op) {
    case 'test':
      return `testing value ${at} failed: test failed`
    case 'replace':
      return `replace operation does not apply: doc is missing key: ${at}: missing value`
    case 'add':
    case 'remove':
      return `${op} operation does not apply: doc is missing path: "${at}": missing value`
    case 'move':
    case 'copy':
      return `${op} operation from "${source}" to "${at}" does not apply: missing value`
  }
}
