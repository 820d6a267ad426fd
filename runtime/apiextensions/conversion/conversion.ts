/**
 * Conversion by somebody else's program (supplement C-20): objects of one version go out in a question, the same objects
 * come back in another. The promises:
 *
 *  1. Objects that are in the wanted version already are never sent; the others go in one question, or in a few if they
 *     are large, and come back in the same order.
 *  2. An answer to another question, for other objects, or in another version, is no answer.
 *  3. Of the metadata only labels and annotations can change; what else the answer says of it does not count.
 */

import { StatusError } from '../../kernel/errors/status-error.ts'
import { type ApiObject, apiVersionOf, type Metadata } from '../../kernel/meta/object.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { encodeJson } from '../../serializer/serializer.ts'
import { WebhookClientClosed, type WebhookClientConfig } from '../../webhook/webhook.ts'
import type { Definition } from '../definition/definition.ts'
import { convertedMetadata } from './converted-metadata.ts'
import { reviewVersions } from './validate-conversion.ts'

/** How questions are asked. */
export interface ConversionClient {
  /** Asks a webhook; fails with an Error whose message says why there is no answer. */
  readonly call: (
    address: WebhookClientConfig,
    question: object,
    timeoutSeconds: number,
  ) => Promise<Json>
  /** A new uid at each call. */
  readonly uid: () => string
  /** The group of reviews. */
  readonly group: string
}

/** Gives objects in the version of one kind, in their order. Fails with what the request is answered with. */
export type Convert = (objects: readonly ApiObject[]) => Promise<readonly ApiObject[]>

interface TargetVersion {
  readonly group: string
  readonly version: string
}

const timeoutSeconds = 30
/** Bytes of objects in one question, if it has more than one. */
const maxReviewBytes = 1024 * 1024

/** The conversion into a version of a definition; undefined if its versions differ in their names only. */
export function createConverter(
  { spec }: Definition,
  to: TargetVersion,
  asking: ConversionClient | undefined,
): Convert | undefined {
  const { strategy, webhook } = spec.conversion ?? {}
  const address = webhook?.clientConfig
  if (strategy !== 'Webhook' || address === undefined || asking === undefined) return undefined
  const version = webhook?.conversionReviewVersions?.find((one) => reviewVersions.includes(one))
  const desired = apiVersionOf(to)
  return async (objects) => {
    const strange = objects.filter(({ apiVersion }) => apiVersion !== desired)
    const answers = strange.length === 0 ? [] : await asked(strange)
    let next = 0
    return objects.map((one) => (one.apiVersion === desired ? one : (answers[next++] as ApiObject)))
  }

  async function asked(objects: readonly ApiObject[]): Promise<readonly ApiObject[]> {
    const found: ApiObject[] = []
    for (const part of parts(objects)) {
      const subject = nameOf(part[0] as ApiObject)
      try {
        found.push(...(await answered(part)))
      } catch (error) {
        if (error instanceof WebhookClientClosed) {
          throw new StatusError('ServiceUnavailable', error.message, { cause: error })
        }
        const why = error instanceof Error ? error.message : String(error)
        const text = `conversion webhook for ${subject} ${error instanceof InvalidConversionResponse ? '' : 'failed: '}${why}`
        throw new StatusError('', text, { cause: error })
      }
    }
    return found
  }

  async function answered(objects: readonly ApiObject[]): Promise<readonly ApiObject[]> {
    const { call: ask, uid, group } = asking as ConversionClient
    if (version === undefined) throw new Error('no supported conversion review versions')
    const review = { kind: 'ConversionReview', apiVersion: `${group}/${version}` }
    const request = { uid: uid(), desiredAPIVersion: desired, objects }
    const answer = await ask(address as WebhookClientConfig, { ...review, request }, timeoutSeconds)
    const given = objectsIn(answer, review.apiVersion, version === 'v1' ? request.uid : undefined)
    if (given.length !== objects.length) {
      throw new InvalidConversionResponse(
        `returned ${given.length} objects, expected ${objects.length}`,
      )
    }
    return objects.map((one, index) => converted(one, given[index] as Json, desired, index))
  }
}

/** What a webhook answers although it was not asked for it; the text goes on after its name. */
class InvalidConversionResponse extends Error {}

/** The objects in groups that fit a question. */
function* parts(objects: readonly ApiObject[]): Generator<readonly ApiObject[]> {
  let part: ApiObject[] = []
  let bytes = 0
  for (const object of objects) {
    const size = encodeJson(object).length
    if (part.length > 0 && bytes + size > maxReviewBytes) {
      yield part
      part = []
      bytes = 0
    }
    part.push(object)
    bytes += size
  }
  yield part
}

/** A version and kind as texts name it: `example.com/v1, Kind=Widget`. */
function nameOf({ apiVersion, kind }: Pick<ApiObject, 'apiVersion' | 'kind'>): string {
  return `${apiVersion}, Kind=${kind}`
}

function objectsIn(answer: Json, apiVersion: string, uid: string | undefined): readonly Json[] {
  if (!isObject(answer)) throw new Error('the answer is no object')
  const { response } = answer
  if (uid !== undefined) {
    const name = nameOf(answer as never)
    const wanted = nameOf({ apiVersion, kind: 'ConversionReview' })
    if (name !== wanted) throw new Error(`expected webhook response of ${wanted}, got ${name}`)
  }
  if (!isObject(response)) throw new Error('no response provided')
  if (uid !== undefined && response.uid !== uid) {
    const got = JSON.stringify(typeof response.uid === 'string' ? response.uid : '')
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${got}`)
  }
  const result = isObject(response.result) ? response.result : {}
  const { status = '', message } = result
  if (status !== 'Success') {
    if (typeof message === 'string' && message !== '') throw new Error(message)
    throw new Error(`response.result.status was '${String(status)}', not 'Success'`)
  }
  return Array.isArray(response.convertedObjects) ? (response.convertedObjects as Json[]) : []
}

/** One object of an answer, held against the one that was sent. */
function converted(sent: ApiObject, given: Json, desired: string, index: number): ApiObject {
  const at = `at index ${index}`
  if (!isObject(given))
    throw new InvalidConversionResponse(`returned invalid converted object ${at}: it is no object`)
  const { apiVersion = '', kind = '' } = given
  if (apiVersion !== desired) {
    const why = `invalid groupVersion (expected ${desired}, received ${String(apiVersion)})`
    throw new InvalidConversionResponse(`returned invalid converted object ${at}: ${why}`)
  }
  if (kind !== sent.kind) {
    const why = `invalid kind (expected ${sent.kind}, received ${String(kind)})`
    throw new InvalidConversionResponse(`returned invalid converted object ${at}: ${why}`)
  }
  const metadata = metadataOf(given, at)
  const changed = identity.find((word) => (metadata[word] ?? '') !== (sent.metadata[word] ?? ''))
  if (changed !== undefined) {
    const [was, is] = [sent.metadata[changed] ?? '', String(metadata[changed] ?? '')]
    const why = `must have the same ${changed === 'uid' ? 'UID' : changed}: ${was} != ${is}`
    throw new InvalidConversionResponse(`returned invalid converted object ${at}: ${why}`)
  }
  const kept = convertedMetadata(sent.metadata, metadata)
  if (typeof kept === 'string')
    throw new InvalidConversionResponse(`returned invalid metadata in object ${at}: ${kept}`)
  return { ...given, metadata: kept } as unknown as ApiObject
}

const identity = ['name', 'namespace', 'uid'] as const satisfies readonly (keyof Metadata)[]

function metadataOf({ metadata }: JsonObject, at: string): JsonObject {
  if (isObject(metadata)) return metadata
  const why =
    metadata === undefined
      ? 'missing metadata in converted object'
      : 'invalid metadata in converted object: it is no object'
  throw new InvalidConversionResponse(`returned invalid metadata in object ${at}: ${why}`)
}
