/** Answers reviews of admission: the request as a handler sees it, and the answer that its changes and its words make. */

import type { UserInfo } from '../../../generated/apis/authentication/v1.ts'
import {
  type BothWays,
  type Client,
  type GroupSuffixes,
  namesOfReviews,
  otherGroupName,
  renamed,
  renamedPatch,
  withGroupNames,
} from '../../client/client.ts'
import { resourceName } from '../../kernel/descriptors/kind.ts'
import type { PublicNames } from '../../kernel/descriptors/platform.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { type ApiObject, apiVersionOf } from '../../kernel/meta/object.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { logWith } from '../../observe/observe.ts'
import { encodeJson, parseTrustedJson } from '../../serializer/serializer.ts'
import { BadReview, type ReviewCall, type ReviewHandler } from '../serving/listener.ts'
import { jsonDifference } from './json-difference.ts'
import { Refusals } from './refusals.ts'
import {
  type AdmissionOperation,
  type AdmissionRequest,
  type AnyAdmissionWebhook,
  operationsOf,
} from './webhook.ts'

/** What a webhook is asked to do. */
export type WebhookStep = 'mutate' | 'validate'

/** What handlers are given beside the request. */
export interface AdmissionServing {
  readonly client: Client
  /** The names that groups of the platform may have. */
  readonly platform: GroupSuffixes
  /** Names inside of objects that a server may have the public ones of. */
  readonly publicNames: PublicNames
}

/** The handler of a path: one step of one webhook. */
export function admissionHandler(
  webhook: AnyAdmissionWebhook,
  step: WebhookStep,
  serving: AdmissionServing,
): ReviewHandler {
  return async (review, call) => {
    const asked = readReview(webhook, step, review, serving)
    const { uid, operation, name = '', namespace = '' } = asked
    const object = namespace === '' ? name : `${namespace}/${name}`
    call.note({ uid, operation, object })
    call.span?.setAttributes({
      ...{ 'orch.operation': operation, 'orch.uid': uid, 'orch.object': object },
    })
    const response = await new Answer(webhook, step, asked, call).give(serving.client)
    call.span?.setAttributes({ 'orch.allowed': response.allowed })
    return { ...asked.head, response: { uid, ...response } }
  }
}

/** A review as it was sent, in the names of the webhook's kind. */
interface Asked {
  /** The type of the review, which the answer has, too. */
  readonly head: { readonly kind: string; readonly apiVersion: string }
  readonly uid: string
  readonly operation: AdmissionOperation
  readonly request: JsonObject
  readonly name: string | undefined
  readonly namespace: string | undefined
  readonly object: JsonObject | undefined
  readonly oldObject: JsonObject | undefined
  /** Names inside of these, where the server has others. */
  readonly inside: BothWays | undefined
}

interface Response {
  readonly allowed: boolean
  readonly [field: string]: unknown
}

/** @throws BadReview */
function readReview(
  webhook: AnyAdmissionWebhook,
  step: WebhookStep,
  review: unknown,
  { platform, publicNames }: AdmissionServing,
): Asked {
  const { kind, apiVersion, request } = isObject(review) ? review : ({} as JsonObject)
  if (kind !== 'AdmissionReview' || typeof apiVersion !== 'string' || !isObject(request)) {
    throw new BadReview('expected an AdmissionReview with a request')
  }
  const { uid, operation, object, oldObject } = request
  if (typeof uid !== 'string') throw new BadReview('expected request.uid')
  const known = operationsOf(webhook).find((one) => one === operation)
  if (known === undefined || (step === 'mutate' && known === 'DELETE')) {
    throw new BadReview(`${webhook.name} is not for ${String(operation)}: ${differs}`)
  }
  const names = groupNamesOf(webhook, request.kind, platform)
  const inside = namesOfReviews(apiVersion.split('/')[0] ?? '', platform, publicNames)
  const named = (value: Json | undefined) => {
    if (!isObject(value)) return undefined
    const called = inside === undefined ? value : (renamed(value, inside.toCaller) as JsonObject)
    return withGroupNames(called, names)
  }
  const asked = { object: named(object), oldObject: named(oldObject) }
  for (const [field, needed] of [
    ['object', known !== 'DELETE'],
    ['oldObject', known !== 'CREATE'],
  ] as const) {
    if (needed && asked[field] === undefined) throw new BadReview(`expected request.${field}`)
  }
  return {
    ...{ head: { kind, apiVersion }, uid, operation: known, request, inside, ...asked },
    name: textOf(request.name),
    namespace: textOf(request.namespace),
  }
}

const differs = 'the server has a configuration that orch package would write otherwise'

/** What the server calls the kind's group, and what it is called here. */
function groupNamesOf(
  { name, for: wanted }: AnyAdmissionWebhook,
  given: Json | undefined,
  platform: GroupSuffixes,
): ReadonlyMap<string, string> {
  const { group, version, kind } = isObject(given) ? given : ({} as JsonObject)
  const isKind = kind === wanted.kind && version === wanted.version && typeof group === 'string'
  if (isKind && group === wanted.group) return new Map()
  if (isKind && otherGroupName(group, platform) === wanted.group) {
    return new Map([[group, wanted.group]])
  }
  const found = `${String(kind)} of ${String(group)}/${String(version)}`
  throw new BadReview(
    `${name} is for ${wanted.kind} of ${apiVersionOf(wanted)}, not ${found}: ${differs}`,
  )
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** What a handler says, while it runs. */
class Answer {
  readonly #webhook: AnyAdmissionWebhook
  readonly #step: WebhookStep
  readonly #asked: Asked
  readonly #call: ReviewCall
  readonly #refusals: Refusals
  readonly #warnings: string[] = []
  readonly #notes: Record<string, string> = Object.create(null)

  constructor(webhook: AnyAdmissionWebhook, step: WebhookStep, asked: Asked, call: ReviewCall) {
    this.#webhook = webhook
    this.#step = step
    this.#asked = asked
    this.#call = call
    this.#refusals = new Refusals(asked.object ?? asked.oldObject)
  }

  async give(client: Client): Promise<Response> {
    const request = this.#request(client)
    const patch = this.#step === 'mutate' ? await this.#mutate(request) : undefined
    if (this.#step === 'validate') {
      const { object, oldObject } = this.#asked
      await this.#webhook.validate?.(object ?? oldObject, request)
    }
    return {
      ...this.#verdict(patch),
      ...(this.#warnings.length > 0 && { warnings: this.#warnings }),
      ...(Object.keys(this.#notes).length > 0 && { auditAnnotations: this.#notes }),
    }
  }

  #verdict(patch: readonly object[] = []): Response {
    if (!this.#refusals.isEmpty) {
      const { for: kind } = this.#webhook
      const { name = '', operation } = this.#asked
      this.#call.log.debug('a request is refused', { operation, object: name })
      const what = `${kind.kind}${kind.group && `.${kind.group}`} ${JSON.stringify(name)}`
      return { allowed: false, status: this.#refusals.status(what) }
    }
    if (patch.length === 0) return { allowed: true }
    const text = Buffer.from(encodeJson(patch)).toString('base64')
    return { allowed: true, patch: text, patchType: 'JSONPatch' }
  }

  #request(client: Client): AdmissionRequest<ApiObject> {
    const { uid, operation, request, name, namespace, oldObject } = this.#asked
    const { log, signal } = this.#call
    return {
      ...{ uid, operation, oldObject, name, namespace, client, signal },
      subresource: textOf(request.subResource),
      userInfo: (isObject(request.userInfo) ? request.userInfo : {}) as UserInfo,
      dryRun: request.dryRun === true,
      log: logWith(log, { uid, kind: resourceName(this.#webhook.for) }),
      refuse: this.#refusals.refuse,
      warn: (text: string) => void this.#warnings.push(text),
      annotate: (key: string, text: string) => {
        this.#notes[key] = text
      },
    } as unknown as AdmissionRequest<ApiObject>
  }

  /**
   * The patch that makes the draft of the object. One of the wrong types is left to the server, which refuses it; so is one that
   * lacks something if the handler fails.
   */
  async #mutate(request: AdmissionRequest<ApiObject>): Promise<readonly object[]> {
    const { object = {} } = this.#asked
    const report = createReport()
    this.#webhook.for.read(object, report)
    if (report.typeErrors.length > 0) return []
    const draft = copied(object)
    try {
      await this.#webhook.mutate?.(draft as never, request)
    } catch (error) {
      if (report.errors.length === 0) throw error
      const why = errorText(error)
      this.#call.log.debug('an object that is not complete is left as it is', { why })
      return []
    }
    const { inside } = this.#asked
    const patch = jsonDifference(object, copied(draft))
    return inside === undefined
      ? patch
      : (renamedPatch(patch, inside.toServer) as readonly object[])
  }
}

function copied(object: JsonObject): JsonObject {
  return parseTrustedJson(encodeJson(object)) as JsonObject
}
