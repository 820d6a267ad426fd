/** AdmissionReview: the question that a webhook gets, and what its answer has to be (supplement Q-04). */

import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { groupNames, type Platform } from '../../kernel/descriptors/platform.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { Attributes } from '../chain/attributes.ts'

const knownReviewVersions = ['v1', 'v1beta1']

/** The first of a webhook's versions that the server knows. */
export function reviewVersion(versions: readonly string[]): string | undefined {
  return versions.find((one) => knownReviewVersions.includes(one))
}

/** A question about a request, in the version of the objects that the webhook registered for. */
export interface ReviewRequest {
  readonly uid: string
  readonly version: string
  readonly resource: AnyKind
  /** The kind of the object in that version. */
  readonly kind: AnyKind
  readonly object?: ApiObject
  readonly old?: ApiObject
}

/** The question about a request, as a webhook gets it: null stands for an object that is not there. */
export function buildReview(
  platform: Platform,
  subject: Attributes,
  question: ReviewRequest,
): JsonObject {
  const { uid, version, resource: asked, kind, object, old } = question
  const { subresource, name, namespace, operation, caller, dryRun, options } = subject
  const request = {
    uid,
    kind: groupVersionKind(kind),
    resource: groupVersionResource(asked),
    ...(subresource && { subResource: subresource }),
    requestKind: groupVersionKind(subject.kind),
    requestResource: groupVersionResource(subject.resource),
    ...(subresource && { requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: caller,
    object: object ?? null,
    oldObject: old ?? null,
    dryRun,
    options,
  }
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.${platform.api}/${version}`,
    request,
  } as never
}

/** A kind as a review names it. */
export function groupVersionKind({ group, version, kind }: AnyKind) {
  return { group, version, kind }
}

/** A resource as a review names it. */
export function groupVersionResource({ group, version, plural }: AnyKind) {
  return { group, version, resource: plural }
}

/** What a webhook says. */
export interface ReviewResponse {
  readonly allowed: boolean
  readonly status?: Json
  /** The bytes of a JSON patch; empty for none. */
  readonly patch: Buffer
  readonly patchType: string
  readonly warnings: readonly string[]
  readonly annotations: ReadonlyMap<string, string>
}

/** Reads an answer; a text says why it is none. */
export function parseReviewResponse(
  platform: Platform,
  review: Json,
  question: Pick<ReviewRequest, 'uid' | 'version'>,
  mutating: boolean,
): ReviewResponse | string {
  if (!isObject(review)) return invalidResponse('webhook response was absent')
  const wanted = groupNames('admission', platform).map((group) => `${group}/${question.version}`)
  const { response, apiVersion = '', kind = '' } = review
  if (!isObject(response)) return invalidResponse('webhook response was absent')
  const { uid = '', patch = '', patchType } = response
  if (question.version === 'v1') {
    if (uid !== question.uid) {
      return invalidResponse(`expected response.uid="${question.uid}", got ${JSON.stringify(uid)}`)
    }
    if (
      kind !== 'AdmissionReview' ||
      typeof apiVersion !== 'string' ||
      !wanted.includes(apiVersion)
    ) {
      return invalidResponse(
        `expected webhook response of ${wanted[0]}, Kind=AdmissionReview, got ${apiVersion}, Kind=${kind}`,
      )
    }
    const why = patchProblem(patch, patchType, mutating)
    if (why !== undefined) return invalidResponse(why)
  }
  if (typeof patch !== 'string' || !/^[A-Za-z0-9+/=\s]*$/.test(patch)) {
    return invalidResponse('response.patch is not base64 text')
  }
  return {
    allowed: response.allowed === true,
    ...(response.status !== undefined && { status: response.status }),
    patch: mutating ? Buffer.from(patch, 'base64') : Buffer.alloc(0),
    patchType: question.version === 'v1' && typeof patchType === 'string' ? patchType : 'JSONPatch',
    warnings: stringsIn(response.warnings),
    annotations: annotationsIn(response.auditAnnotations),
  }
}

function invalidResponse(why: string): string {
  return `received invalid webhook response: ${why}`
}

function patchProblem(patch: Json, type: Json | undefined, mutating: boolean): string | undefined {
  const has = patch !== '' && patch !== null
  const typed = type !== undefined && type !== null
  if (!mutating) {
    if (has) return 'validating webhook may not return response.patch'
    return typed ? 'validating webhook may not return response.patchType' : undefined
  }
  if (has && !typed) return 'webhook returned response.patch but not response.patchType'
  if (!has && typed) return 'webhook returned response.patchType but not response.patch'
  return type === '' ? 'webhook returned invalid response.patchType of ""' : undefined
}

/** How many warnings and annotations of one answer are passed on, and how long each may be. */
const limits = { count: 100, length: 4096 }

function stringsIn(value: Json | undefined): readonly string[] {
  const list = Array.isArray(value) ? (value as readonly Json[]) : []
  const texts = list.filter((one): one is string => typeof one === 'string')
  return texts.slice(0, limits.count).map((text) => text.slice(0, limits.length))
}

function annotationsIn(value: Json | undefined): ReadonlyMap<string, string> {
  const entries = isObject(value) ? Object.entries(value).slice(0, limits.count) : []
  return new Map(
    entries.flatMap(([key, text]) =>
      typeof text === 'string' ? [[key, text.slice(0, limits.length)] as const] : [],
    ),
  )
}
