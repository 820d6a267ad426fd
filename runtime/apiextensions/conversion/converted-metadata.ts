import { labelValueProblems, qualifiedNameProblems } from '../../kernel/meta/names.ts'
import type { Metadata } from '../../kernel/meta/object.ts'
import { isObject, type JsonObject } from '../../kernel/values/json.ts'

type Texts = Readonly<Record<string, string>>

/** Metadata with the labels and annotations that a conversion gives it; a text says what is wrong with those. */
export function convertedMetadata(sent: Metadata, given: JsonObject): Metadata | string {
  const labels = textsOf(given, 'labels', sent.labels)
  if (typeof labels === 'string') return labels
  const annotations = textsOf(given, 'annotations', sent.annotations)
  if (typeof annotations === 'string') return annotations
  const { labels: _, annotations: __, ...rest } = sent
  return { ...rest, ...(labels && { labels }), ...(annotations && { annotations }) }
}

/** What was there before is right; what the conversion changes has to be. */
function textsOf(
  metadata: JsonObject,
  field: 'labels' | 'annotations',
  before: Texts = {},
): Texts | string | undefined {
  const texts = metadata[field]
  if (texts === undefined || texts === null) return undefined
  if (!isObject(texts)) return `invalid metadata.${field} in converted object: it is no object`
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value !== 'string') {
      return `invalid metadata.${field} in converted object: the value of ${key} is no string`
    }
    if (Object.hasOwn(before, key) && before[key] === value) continue
    const [problem] =
      field === 'labels'
        ? [...qualifiedNameProblems(key), ...labelValueProblems(value)]
        : qualifiedNameProblems(key.toLowerCase())
    if (problem !== undefined) {
      return `metadata.${field}: Invalid value: ${JSON.stringify(key)}: ${problem}`
    }
  }
  return texts as Texts
}
