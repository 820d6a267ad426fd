/** AdmissionReview: the question that a webhook gets, and what its answer has to be (supplement Q-04). */
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { AnyKind } from '../../kernel/kind.ts'
import type { ApiObject } from '../../kernel/object.ts'
import { groupNames, type Platform } from '../../kernel/platform.ts'
import type { Subject } from '../attempt.ts'

const understood = ['v1', 'v1beta1']

/** The first of a webhook's versions that the server knows. */
export function reviewVersion(versions: readonly string[]): string | undefined {
  return versions.find((one) => understood.includes(one))
}

/** A question about a request, in the version of the objects that the webhook registered for. */
export interface Question {
  readonly uid: string
  readonly version: string
  readonly asked: AnyKind
  /** The kind of the object in that version. */
  readonly kind: AnyKind
  readonly object?: ApiObject
  readonly old?: ApiObject
}

/** The question about a request, as a webhook gets it: null stands for an object that is not there. */
export function reviewOf(platform: Platform, subject: Subject, question: Question): JsonObject {
  const { uid, version, asked, kind, object, old } = question
  const { subresource, name, namespace, operation, caller, dryRun, options } = subject
  const request = {
    uid,
    kind: kindOf(kind),
    resource: resourceOf(asked),
    ...(subresource && { subResource: subresource }),
    requestKind: kindOf(subject.kind),
    requestResource: resourceOf(subject.resource),
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
export function kindOf({ group, version, kind }: AnyKind) {
  return { group, version, kind }
}

/** A resource as a review names it. */
export function resourceOf({ group, version, plural }: AnyKind) {
  return { group, version, resource: plural }
}

/** What a webhook says. */
export interface Answer {
  readonly allowed: boolean
  readonly status?: Json
  /** The bytes of a JSON patch; empty for none. */
  readonly patch: Buffer
  readonly patchType: string
  readonly warnings: readonly string[]
  readonly annotations: ReadonlyMap<string, string>
}

/** Reads an answer; a text says why it is none. */
export function answerOf(
  platform: Platform,
  review: Json,
  question: Pick<Question, 'uid' | 'version'>,
  mutating: boolean,
): Answer | string {
  if (!isObject(review)) return invalid('webhook response was absent')
  const wanted = groupNames('admission', platform).map((group) => `${group}/${question.version}`)
  const { response, apiVersion = '', kind = '' } = review
  if (!isObject(response)) return invalid('webhook response was absent')
  const { uid = '', patch = '', patchType } = response
  if (question.version === 'v1') {
    if (uid !== question.uid) {
      return invalid(`expected response.uid="${question.uid}", got ${JSON.stringify(uid)}`)
    }
    if (
      kind !== 'AdmissionReview' ||
      typeof apiVersion !== 'string' ||
      !wanted.includes(apiVersion)
    ) {
      return invalid(
        `expected webhook response of ${wanted[0]}, Kind=AdmissionReview, got ${apiVersion}, Kind=${kind}`,
      )
    }
    const why = patchProblem(patch, patchType, mutating)
    if (why !== undefined) return invalid(why)
  }
  if (typeof patch !== 'string' || !/^[A-Za-z0-9+/=\s]*$/.test(patch)) {
    return invalid('response.patch is not base64 text')
  }
  return {
    allowed: response.allowed === true,
    ...(response.status !== undefined && { status: response.status }),
    patch: mutating ? Buffer.from(patch, 'base64') : Buffer.alloc(0),
    patchType: question.version === 'v1' && typeof patchType === 'string' ? patchType : 'JSONPatch',
    warnings: textsIn(response.warnings),
    annotations: annotationsIn(response.auditAnnotations),
  }
}

function invalid(why: string): string {
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
const most = { count: 100, length: 4096 }

function textsIn(value: Json | undefined): readonly string[] {
  const list = Array.isArray(value) ? (value as readonly Json[]) : []
  const texts = list.filter((one): one is string => typeof one === 'string')
  return texts.slice(0, most.count).map((text) => text.slice(0, most.length))
}

function annotationsIn(value: Json | undefined): ReadonlyMap<string, string> {
  const entries = isObject(value) ? Object.entries(value).slice(0, most.count) : []
  return new Map(
    entries.flatMap(([key, text]) =>
      typeof text === 'string' ? [[key, text.slice(0, most.length)] as const] : [],
    ),
  )
}
