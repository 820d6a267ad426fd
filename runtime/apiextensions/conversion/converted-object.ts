import { labelValueProblems, qualifiedNameProblems } from '../../kernel/meta/names.ts'
import type { ApiObject, Metadata } from '../../kernel/meta/object.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import { InvalidConversionResponse } from './errors.ts'

/**
 * Checks one converted object against the one that was sent, and returns it with the sent metadata but for labels and
 * annotations.
 *
 * The order of the checks is that of the messages clients see: version, kind, presence of the
 * metadata, identity, then labels and annotations. `index` is the place in the review, which is
 * that of the batch and not of the list.
 *
 * @throws InvalidConversionResponse if it is not the same object in the desired version
 */
export function checkConverted(
  sent: ApiObject,
  converted: Json,
  desired: string,
  index: number,
): ApiObject {
  const at = `at index ${index}`
  const invalid = (reason: string) =>
    new InvalidConversionResponse(`returned invalid converted object ${at}: ${reason}`)
  if (!isObject(converted)) throw invalid('it is no object')
  const { apiVersion = '', kind = '' } = converted
  if (apiVersion !== desired) {
    throw invalid(`invalid groupVersion (expected ${desired}, received ${String(apiVersion)})`)
  }
  if (kind !== sent.kind) {
    throw invalid(`invalid kind (expected ${sent.kind}, received ${String(kind)})`)
  }
  const metadata = metadataIn(converted, at)
  const problem = identityProblem(sent.metadata, metadata)
  if (problem !== undefined) throw invalid(problem)
  return { ...converted, metadata: convertedMetadata(sent.metadata, metadata, at) } as ApiObject
}

/**
 * What says which object it is. Absent counts as empty on both sides: objects without a namespace
 * may come back with `namespace: ""`.
 */
const identityFields = ['name', 'namespace', 'uid'] as const satisfies readonly (keyof Metadata)[]

/** A conversion must not turn an object into another one. */
function identityProblem(sent: Metadata, converted: JsonObject): string | undefined {
  const field = identityFields.find((one) => (converted[one] ?? '') !== (sent[one] ?? ''))
  if (field === undefined) return undefined
  const name = field === 'uid' ? 'UID' : field
  return `must have the same ${name}: ${sent[field] ?? ''} != ${String(converted[field] ?? '')}`
}

/**
 * Metadata has to be there even if nothing in it changed: without it labels could not be told from
 * removed ones.
 */
function metadataIn({ metadata }: JsonObject, at: string): JsonObject {
  if (isObject(metadata)) return metadata
  const reason =
    metadata === undefined
      ? 'missing metadata in converted object'
      : 'invalid metadata in converted object: it is no object'
  throw invalidMetadata(at, reason)
}

function invalidMetadata(at: string, reason: string): InvalidConversionResponse {
  return new InvalidConversionResponse(`returned invalid metadata in object ${at}: ${reason}`)
}

/**
 * Everything but labels and annotations is taken from the sent object, so that a webhook cannot
 * touch owner references, finalizers or managed fields (C-20). Labels that the answer lacks are
 * gone.
 */
function convertedMetadata(sent: Metadata, converted: JsonObject, at: string): Metadata {
  const labels = stringsIn(converted, 'labels', sent.labels)
  if (typeof labels === 'string') throw invalidMetadata(at, labels)
  const annotations = stringsIn(converted, 'annotations', sent.annotations)
  if (typeof annotations === 'string') throw invalidMetadata(at, annotations)
  const { labels: _, annotations: __, ...rest } = sent
  return { ...rest, ...(labels && { labels }), ...(annotations && { annotations }) }
}

type Strings = Readonly<Record<string, string>>

/**
 * The labels or annotations; a string says what is invalid in them. Entries that did not change are
 * not checked. Old objects may have keys that no longer pass the rules; a conversion that only
 * hands them through must not fail. Keys of annotations are checked in lower case, as in writes.
 */
function stringsIn(
  metadata: JsonObject,
  field: 'labels' | 'annotations',
  sent: Strings = {},
): Strings | string | undefined {
  const strings = metadata[field]
  if (strings === undefined || strings === null) return undefined
  if (!isObject(strings)) return `invalid metadata.${field} in converted object: it is no object`
  for (const [key, value] of Object.entries(strings)) {
    if (typeof value !== 'string') {
      return `invalid metadata.${field} in converted object: the value of ${key} is no string`
    }
    if (Object.hasOwn(sent, key) && sent[key] === value) continue
    const [problem] =
      field === 'labels'
        ? [...qualifiedNameProblems(key), ...labelValueProblems(value)]
        : qualifiedNameProblems(key.toLowerCase())
    if (problem !== undefined) {
      return `metadata.${field}: Invalid value: ${quoted(key)}: ${problem}`
    }
  }
  return strings as Strings
}
