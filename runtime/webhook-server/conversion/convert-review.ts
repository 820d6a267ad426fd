import {
  type ConversionSide,
  convert,
  type NamedConversion,
} from '../../kernel/descriptors/conversion.ts'
import { type AnyKind, storedKind } from '../../kernel/descriptors/kind.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import { isObject, type JsonObject } from '../../kernel/values/json.ts'

/** The body of a ConversionReview, in the version and group that the server speaks. */
export type ConversionReviewBody = JsonObject

/** Conversions that are written by hand, by the names that `call` steps of schema files use. */
export type NamedConversions = Readonly<Record<string, NamedConversion>>

/** An object that cannot be converted, and why. */
class NotConvertible extends Error {}

/** The answer to a review: every object in the version that is asked for, or a failure that names the one that cannot be. */
export function convertReview(
  kinds: readonly AnyKind[],
  review: unknown,
  named: NamedConversions = {},
): ConversionReviewBody {
  const { request, ...head } = isObject(review) ? review : ({} as JsonObject)
  const { uid, desiredAPIVersion, objects } = isObject(request) ? request : ({} as JsonObject)
  try {
    if (!Array.isArray(objects) || typeof desiredAPIVersion !== 'string') {
      throw new NotConvertible('expected a ConversionReview with request.objects')
    }
    const convertedObjects = objects.map((object) =>
      convertObject(kinds, object, desiredAPIVersion, named),
    )
    return answer(head, { uid, convertedObjects, result: { status: 'Success' } })
  } catch (error) {
    if (!(error instanceof NotConvertible)) throw error
    const result = { status: 'Failure', reason: 'Invalid', message: error.message }
    return answer(head, { uid, convertedObjects: [], result })
  }
}

function answer(head: JsonObject, response: object): ConversionReviewBody {
  return { ...head, response: response as JsonObject }
}

function convertObject(
  kinds: readonly AnyKind[],
  object: unknown,
  apiVersion: string,
  named: NamedConversions,
): JsonObject {
  if (!isObject(object)) throw new NotConvertible('expected objects in request.objects')
  if (object.apiVersion === apiVersion) return object
  const from = kindOf(kinds, object, String(object.apiVersion))
  const to = kindOf(kinds, object, apiVersion)
  if (storedKind(from) !== storedKind(to))
    throw new NotConvertible(`${from.kind}: ${apiVersion} is another kind`)
  const stored = step(from, object, (side) => (side === 'newer' ? 'older' : 'newer'), named)
  const converted = step(to, stored, (side) => side, named)
  return { ...converted, apiVersion } as JsonObject
}

/** From a version to the stored one, or back: `sideOf` says towards which side of its conversion. */
function step(
  { storageVersion }: AnyKind,
  object: Readonly<Record<string, unknown>>,
  sideOf: (side: ConversionSide) => ConversionSide,
  named: NamedConversions,
): Readonly<Record<string, unknown>> {
  if (storageVersion === undefined) return object
  const { conversion, side } = storageVersion
  return convert(conversion, object, sideOf(side), (name) => {
    const found = Object.hasOwn(named, name) ? named[name] : undefined
    if (found === undefined) throw new NotConvertible(`the conversion "${name}" is not known here`)
    return found
  })
}

function kindOf(kinds: readonly AnyKind[], object: JsonObject, apiVersion: string): AnyKind {
  const same = kinds.filter(({ kind }) => kind === object.kind)
  const found = same.find((kind) => apiVersionOf(kind) === apiVersion)
  if (found !== undefined) return found
  const known = same.map(apiVersionOf).join(', ')
  const hint = known === '' ? 'no such kind is known here' : `there is ${known}`
  throw new NotConvertible(`${String(object.kind)} of ${apiVersion}: ${hint}`)
}
