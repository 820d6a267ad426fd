/** What differs where all steps of a scenario write and read one object. */
import { isObject, type Json, type JsonObject } from '../../runtime/kernel/values/json.ts'
import type { Answer } from './server.ts'

/**
 * An answer whose objects have their managers in the order of their texts: theirs is that of seconds, in which two servers are not
 * alike. An object may be the answer, one in an event, or the one that a patch made and that its refusal shows.
 */
export function withSortedManagers(answer: Answer): Answer {
  const { text } = answer
  if (!text.includes('managedFields')) return answer
  if (answer.status >= 400) return { ...answer, text: text.replace(shown, sortedShown) }
  return { ...answer, text: text.split('\n').map(sortedLine).join('\n') }
}

/** A text with an object in it, as JSON in JSON. */
const shown = /Invalid value: (?:\\.|[^"\\])*/g

function sortedShown(escaped: string): string {
  const text = objectIn(`"${escaped}"`)
  const [, quoted = ''] = /^Invalid value: ("(?:\\.|[^"\\])*")/.exec(String(text)) ?? []
  const document = quoted === '' ? undefined : objectIn(quoted)
  const object = objectIn(String(document))
  const { metadata } = isObject(object) ? object : {}
  if (!isObject(metadata) || !Array.isArray(metadata.managedFields)) return escaped
  const [before, after] = [metadata.managedFields, sorted(metadata.managedFields)].map((list) =>
    JSON.stringify(list),
  ) as [string, string]
  const made = JSON.stringify(String(document).replace(before, () => after))
  return JSON.stringify(String(text).replace(quoted, () => made)).slice(1, -1)
}

function sortedLine(line: string): string {
  const body = objectIn(line)
  if (!isObject(body)) return line
  const object = isObject(body.object) ? { object: withSorted(body.object) } : {}
  return JSON.stringify({ ...withSorted(body), ...object })
}

function withSorted(object: JsonObject): JsonObject {
  const { metadata } = object
  if (!isObject(metadata) || !Array.isArray(metadata.managedFields)) return object
  return { ...object, metadata: { ...metadata, managedFields: sorted(metadata.managedFields) } }
}

function sorted(records: readonly Json[]): readonly Json[] {
  const texts = records.map((one) => JSON.stringify(one)).sort()
  return texts.map((text): Json => JSON.parse(text))
}

function objectIn(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Differences of headers, and the first one of the object: what is booked and counted follows from its values. */
export function firstInObject<Found extends { readonly at: string }>(
  all: readonly Found[],
): readonly Found[] {
  const headers = all.filter(({ at }) => at.startsWith('header '))
  const body = all.filter(({ at }) => !at.startsWith('header '))
  const follows = /^metadata\.(managedFields|resourceVersion|generation)/
  const first = body.find(({ at }) => !follows.test(at)) ?? body[0]
  return first === undefined ? headers : [...headers, first]
}

/** True if an answer shows another object than the other server's: what comes after may be a consequence. */
export function showsAnother(
  { status }: Answer,
  found: readonly { readonly at: string }[],
): boolean {
  return status < 400 && found.some(({ at }) => !at.startsWith('header '))
}
