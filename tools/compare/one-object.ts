/** What differs where all steps of a scenario write and read one object. */
import { isObject, type Json } from '../../runtime/kernel/values/json.ts'
import type { Answer } from './server.ts'

/** An object whose managers stand in the order of their texts: theirs is that of seconds, in which two servers are not alike. */
export function withSortedManagers(answer: Answer): Answer {
  const body = objectIn(answer.text)
  const metadata = isObject(body) ? body.metadata : undefined
  if (!isObject(body) || !isObject(metadata) || !Array.isArray(metadata.managedFields))
    return answer
  const texts = metadata.managedFields.map((one) => JSON.stringify(one)).sort()
  const managedFields = texts.map((text): Json => JSON.parse(text))
  return { ...answer, text: JSON.stringify({ ...body, metadata: { ...metadata, managedFields } }) }
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
