/** AdmissionReview: the request that a webhook gets, and what its response has to be (supplement Q-04). */
import type { AdmissionRequest, AdmissionReview } from '../../../generated/apis/admission/v1.ts'
import { groupNames, type Platform } from '../../kernel/descriptors/platform.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { Attributes } from '../chain/attributes.ts'
import type { Step } from '../chain/metrics.ts'
import { admissionRequestOf } from '../matching/admission-request.ts'
import type { VersionedAttributes } from '../matching/versioned-attributes.ts'
import { knownVersions, unreadProblem } from './unread-review.ts'

/** The first version of AdmissionReview in a webhook's list that the server knows. */
export function reviewVersion(versions: readonly string[]): string | undefined {
  return versions.find((version) => knownVersions.includes(version))
}

/** The identity of one review: its response has to repeat the UID. */
export interface ReviewId {
  readonly uid: string
  /** The version of AdmissionReview: `v1` or `v1beta1`. */
  readonly version: string
}

/** The AdmissionReview for a request; a missing object is null. */
export function buildReview(
  platform: Platform,
  { uid, version }: ReviewId,
  attributes: Attributes,
  versioned: VersionedAttributes,
): AdmissionReview {
  const objects = { object: versioned.object ?? null, oldObject: versioned.oldObject ?? null }
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.${platform.api}/${version}`,
    request: {
      uid,
      ...admissionRequestOf(attributes, versioned),
      ...(objects as unknown as Pick<AdmissionRequest, 'object' | 'oldObject'>),
    },
  }
}

/** The parsed response of a webhook. */
export interface ReviewResponse {
  readonly allowed: boolean
  /** The Status of a denial, not parsed. */
  readonly status?: Json
  /** The bytes of a JSON patch; empty if there is none. */
  readonly patch: Buffer
  readonly patchType: string
  readonly warnings: readonly string[]
  readonly annotations: ReadonlyMap<string, string>
}

/** Parses the response of a webhook in the given step; a string says why the response is invalid. */
export function parseReviewResponse(
  platform: Platform,
  id: ReviewId,
  review: Json,
  step: Step,
): ReviewResponse | string {
  const unread = unreadProblem(platform, id.version, review)
  if (unread !== undefined) return `failed to call webhook: ${unread}`
  if (!isObject(review) || !isObject(review.response)) {
    return invalidResponse('webhook response was absent')
  }
  const { response } = review
  const { patch = '', patchType } = response
  const problem = id.version === 'v1' ? v1Problem(platform, id, review, step) : undefined
  if (problem !== undefined) return invalidResponse(problem)
  return {
    allowed: response.allowed === true,
    ...(response.status !== undefined && { status: response.status }),
    patch: step === 'admit' ? Buffer.from(String(patch ?? ''), 'base64') : Buffer.alloc(0),
    patchType: id.version === 'v1' && typeof patchType === 'string' ? patchType : 'JSONPatch',
    warnings: stringsIn(response.warnings).filter((text) => text !== ''),
    annotations: annotationsIn(response.auditAnnotations),
  }
}

function invalidResponse(reason: string): string {
  return `received invalid webhook response: ${reason}`
}

/** What v1 demands of a response beyond v1beta1: the UID, the type, and a patch only with its type. */
function v1Problem(
  platform: Platform,
  { uid, version }: ReviewId,
  { response, apiVersion = '', kind = '' }: JsonObject,
  step: Step,
): string | undefined {
  const { uid: responseUid = '', patch = '', patchType } = response as JsonObject
  if (responseUid !== uid) {
    return `expected response.uid="${uid}", got ${JSON.stringify(responseUid)}`
  }
  const expected = groupNames('admission', platform).map((group) => `${group}/${version}`)
  const isReview = kind === 'AdmissionReview' && typeof apiVersion === 'string'
  if (!isReview || !expected.includes(apiVersion)) {
    return `expected webhook response of ${expected[0]}, Kind=AdmissionReview, got ${apiVersion}, Kind=${kind}`
  }
  return patchProblem(patch, patchType, step)
}

/** A patch and its type come together, and only from mutating webhooks. */
function patchProblem(patch: Json, type: Json | undefined, step: Step): string | undefined {
  const hasPatch = patch !== '' && patch !== null
  const hasType = type !== undefined && type !== null
  if (step === 'validate') {
    if (hasPatch) return 'validating webhook may not return response.patch'
    return hasType ? 'validating webhook may not return response.patchType' : undefined
  }
  if (hasPatch && !hasType) return 'webhook returned response.patch but not response.patchType'
  if (!hasPatch && hasType) return 'webhook returned response.patchType but not response.patch'
  return type === '' ? 'webhook returned invalid response.patchType of ""' : undefined
}

/** Bounds on the warnings and annotations that are taken from one response: how many, and characters of each. */
const limits = { count: 100, length: 4096 }

function stringsIn(value: Json | undefined): readonly string[] {
  const list = Array.isArray(value) ? (value as readonly Json[]) : []
  const strings = list.filter((one): one is string => typeof one === 'string')
  return strings.slice(0, limits.count).map((text) => text.slice(0, limits.length))
}

function annotationsIn(value: Json | undefined): ReadonlyMap<string, string> {
  const entries = isObject(value) ? Object.entries(value).slice(0, limits.count) : []
  return new Map(
    entries.flatMap(([key, text]) =>
      typeof text === 'string' ? [[key, text.slice(0, limits.length)] as const] : [],
    ),
  )
}
