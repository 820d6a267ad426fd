import type { ApiObject } from '../../kernel/meta/object.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { quoted } from '../../kernel/values/quoted.ts'

/** The identity of one ConversionReview; a response in v1 has to repeat it. */
export interface ReviewId {
  readonly uid: string
  readonly apiVersion: string
  readonly isV1: boolean
}

/** Prints a version and kind: `example.com/v1, Kind=Widget`. */
export function printKind({ apiVersion, kind }: Pick<ApiObject, 'apiVersion' | 'kind'>): string {
  return `${apiVersion}, Kind=${kind}`
}

/**
 * The converted objects of a response.
 *
 * The order of the checks: kind of the answer, a response at all, its UID, its result. In v1beta1
 * neither kind nor UID is checked, as in release 1.29. A response without a list
 * counts as no objects, which the caller reports as a wrong number.
 *
 * @throws Error if the response is not one to the review, or the webhook reports a failure
 */
export function convertedObjectsIn(review: Json, id: ReviewId): readonly Json[] {
  if (!isObject(review)) throw new Error('the answer is no object')
  if (id.isV1) checkKind(review, id)
  const { response } = review
  if (!isObject(response)) throw new Error('no response provided')
  if (id.isV1) checkUid(response, id)
  checkResult(response)
  return Array.isArray(response.convertedObjects) ? (response.convertedObjects as Json[]) : []
}

function checkKind(review: JsonObject, { apiVersion }: ReviewId): void {
  const kind = printKind(review as never)
  const expected = printKind({ apiVersion, kind: 'ConversionReview' })
  if (kind !== expected) throw new Error(`expected webhook response of ${expected}, got ${kind}`)
}

/**
 * An answer to another review would be taken for these objects. A UID that is no string is reported
 * as the empty one.
 */
function checkUid({ uid }: JsonObject, id: ReviewId): void {
  if (uid === id.uid) return
  const received = quoted(typeof uid === 'string' ? uid : '')
  throw new Error(`expected response.uid=${quoted(id.uid)}, got ${received}`)
}

/**
 * A result without a status counts as a failure. The message of the webhook is handed on as it is,
 * so that its author decides what clients read.
 */
function checkResult(response: JsonObject): void {
  const { status = '', message } = isObject(response.result) ? response.result : {}
  if (status === 'Success') return
  if (typeof message === 'string' && message !== '') throw new Error(message)
  throw new Error(`response.result.status was '${String(status)}', not 'Success'`)
}
