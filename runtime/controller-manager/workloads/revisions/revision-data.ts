import type { ControllerRevision } from '../../../../generated/apis/apps/v1/controller-revision.ts'
import type { PodTemplateSpec } from '../../../../generated/apis/core/v1/pod.ts'
import { isObject, type Json } from '../../../kernel/values/json.ts'

/** What a revision stores. */
export type RevisionData = NonNullable<ControllerRevision['data']>

/** The stored form of a template: the patch that puts it back in place of another one. */
export function revisionData(template: PodTemplateSpec): RevisionData {
  return sorted({ spec: { template: { $patch: 'replace', ...template } } } as never) as RevisionData
}

/** The template that a revision stores; undefined for one that stores something else. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const spec = isObject(data) ? data.spec : undefined
  const stored = isObject(spec) ? spec.template : undefined
  if (!isObject(stored)) return undefined
  const { $patch: _, ...template } = stored
  return template as unknown as PodTemplateSpec
}

/** A short text that differs for other data, and for another number of collisions. */
export function revisionHash(data: RevisionData, collisions: number): string {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(`${textOf(data)}${collisions}`)) {
    hash = Math.imul(hash, 0x01000193) ^ byte
  }
  return [...String(hash >>> 0)]
    .map((digit) => letters[digit.charCodeAt(0) % letters.length])
    .join('')
}

/** What names are made of that must not read as words. */
const letters = 'bcdfghjklmnpqrstvwxz2456789'

/** With the keys of every object in order. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one as Json)]))
}

/** The text by which programs of the field compare revisions: signs that mean something in HTML are escaped. */
function textOf(data: RevisionData): string {
  return JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
