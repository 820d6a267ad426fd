/**
 * Conversion by webhook (supplement C-20): objects go out in a ConversionReview in one version and
 * come back in another.
 *
 *  1. Objects that have the desired version are not sent; the others go in one review, or in a few if they are large, and come
 *     back in the same order.
 *  2. A response to another review, for other objects or in another version is an error.
 *  3. Of the metadata only labels and annotations can change; other changes are errors or dropped.
 */
import { errorText } from '../../kernel/errors/error-text.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { type ApiObject, apiVersionOf } from '../../kernel/meta/object.ts'
import type { Json } from '../../kernel/values/json.ts'
import { encodeJson } from '../../serializer/serializer.ts'
import { WebhookClientClosed, type WebhookClientConfig } from '../../webhook/webhook.ts'
import type { Definition } from '../definition/definition.ts'
import { reviewVersions } from '../definition/validate-conversion.ts'
import { checkConverted } from './converted-object.ts'
import { InvalidConversionResponse } from './errors.ts'
import { convertedObjectsIn, printKind, type ReviewId } from './review.ts'

/** How conversion webhooks are called. */
export interface ConversionClient {
  /** Calls a webhook; rejects with an Error whose message says why there is no response. */
  readonly call: (
    config: WebhookClientConfig,
    review: object,
    timeoutSeconds: number,
  ) => Promise<Json>
  /** Creates a new UID. */
  readonly uid: () => string
  /** The API group of reviews. */
  readonly group: string
}

/** Converts objects to one version, in their order. Rejects with the StatusError of the request that needs them. */
export type Convert = (objects: readonly ApiObject[]) => Promise<readonly ApiObject[]>

/**
 * Conversion webhooks have no timeout of their own. Release 1.29 has no field for it either, other
 * than for admission webhooks.
 */
const timeoutSeconds = 30

/**
 * Bytes of objects in a review of more than one object. C-20 promises one call for a list; behind
 * this bound a list is several, so that neither side has to hold the text of all of it at once.
 */
const maxReviewBytes = 1024 * 1024

/**
 * The conversion to a version of a definition; undefined if the versions of the definition differ
 * in their names only. Undefined means that only the apiVersion changes (C-19). A definition
 * without a review version that the server knows gets a converter all the same, which fails when it
 * is asked.
 */
export function createConverter(
  { spec }: Definition,
  version: { readonly group: string; readonly version: string },
  client: ConversionClient | undefined,
): Convert | undefined {
  const { strategy, webhook } = spec.conversion ?? {}
  const config = webhook?.clientConfig
  if (strategy !== 'Webhook' || config === undefined || client === undefined) return undefined
  const reviewVersion = webhook?.conversionReviewVersions?.find((one) =>
    reviewVersions.includes(one),
  )
  const converter = new WebhookConverter(client, config, reviewVersion, apiVersionOf(version))
  return (objects) => converter.convert(objects)
}

/**
 * Converts to one version by a webhook. Its options were validated with the definition, and it
 * keeps no state between calls: each review has a UID of its own.
 */
class WebhookConverter {
  readonly #client: ConversionClient
  readonly #config: WebhookClientConfig
  readonly #reviewVersion: string | undefined
  readonly #desired: string

  constructor(
    client: ConversionClient,
    config: WebhookClientConfig,
    reviewVersion: string | undefined,
    desired: string,
  ) {
    this.#client = client
    this.#config = config
    this.#reviewVersion = reviewVersion
    this.#desired = desired
  }

  /**
   * Batches go out one after the other, and the first that fails fails all: a list is converted as
   * a whole or not at all.
   */
  async convert(objects: readonly ApiObject[]): Promise<readonly ApiObject[]> {
    const isDesired = ({ apiVersion }: ApiObject) => apiVersion === this.#desired
    const others = objects.filter((object) => !isDesired(object))
    const converted: ApiObject[] = []
    for (const batch of batches(others)) converted.push(...(await this.#convertBatch(batch)))
    let next = 0
    return objects.map((object) => (isDesired(object) ? object : (converted[next++] as ApiObject)))
  }

  /**
   * Errors name the version that the first object of the batch has. A server that stops answers
   * 503, any other failure is 500 with an empty reason (C-20). An answer that came but is wrong has
   * its own text; only calls without a usable answer read `failed: ...`.
   */
  async #convertBatch(objects: readonly ApiObject[]): Promise<readonly ApiObject[]> {
    try {
      return await this.#review(objects)
    } catch (cause) {
      if (cause instanceof WebhookClientClosed) {
        throw new StatusError('ServiceUnavailable', cause.message, { cause })
      }
      const reason = errorText(cause)
      const text = cause instanceof InvalidConversionResponse ? reason : `failed: ${reason}`
      const kind = printKind(objects[0] as ApiObject)
      throw new StatusError('', `conversion webhook for ${kind} ${text}`, { cause })
    }
  }

  /**
   * Sends one review, and holds the answer to it: as many objects as were sent, each the same
   * object in the desired version. Objects are matched by their index alone.
   */
  async #review(objects: readonly ApiObject[]): Promise<readonly ApiObject[]> {
    const { uid, group } = this.#client
    const version = this.#reviewVersion
    if (version === undefined) throw new Error('no supported conversion review versions')
    const id: ReviewId = { uid: uid(), apiVersion: `${group}/${version}`, isV1: version === 'v1' }
    const review = {
      kind: 'ConversionReview',
      apiVersion: id.apiVersion,
      request: { uid: id.uid, desiredAPIVersion: this.#desired, objects },
    }
    const response = await this.#client.call(this.#config, review, timeoutSeconds)
    const converted = convertedObjectsIn(response, id)
    if (converted.length !== objects.length) {
      throw new InvalidConversionResponse(
        `returned ${converted.length} objects, expected ${objects.length}`,
      )
    }
    return objects.map((object, index) =>
      checkConverted(object, converted[index] as Json, this.#desired, index),
    )
  }
}

/**
 * Splits objects into batches of at most `maxReviewBytes`, but at least one object. Sizes are those
 * of the JSON that is sent, without the envelope of the review. No objects make no batch, so that
 * nothing is sent for them.
 */
function* batches(objects: readonly ApiObject[]): Generator<readonly ApiObject[]> {
  let batch: ApiObject[] = []
  let bytes = 0
  for (const object of objects) {
    const size = encodeJson(object).length
    if (batch.length > 0 && bytes + size > maxReviewBytes) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(object)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
