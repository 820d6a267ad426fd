import { createHash } from 'node:crypto'
import type { Json, JsonObject } from '../kernel/values/json.ts'

/** Digits that could make a word are others, so that a name is none. */
const spoken: Readonly<Record<string, string>> = { 0: 'g', 1: 'h', 3: 'k', a: 'm', e: 't' }

/**
 * The ten characters that stand behind the name of a config map or a secret; those that kustomize puts there. It counts what is
 * held, and not the name.
 */
export function contentHash(object: JsonObject): string {
  const parts: Record<string, Json> = {
    kind: object.kind as Json,
    name: '',
    data: object.data ?? '',
  }
  if (object.kind === 'Secret') {
    parts.type = object.type ?? ''
    if (object.stringData !== undefined) parts.stringData = object.stringData
  } else if (object.binaryData !== undefined) parts.binaryData = object.binaryData
  const digest = createHash('sha256').update(sortedJson(parts)).digest('hex')
  return [...digest.slice(0, 10)].map((digit) => spoken[digit] ?? digit).join('')
}

/** Keys sorted by their bytes, characters of HTML escaped, as encoders of public tools write it. */
function sortedJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return escaped(JSON.stringify(value))
  const keys = Object.keys(value).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const entries = keys.map(
    (key) => `${escaped(JSON.stringify(key))}:${sortedJson((value as JsonObject)[key] ?? null)}`,
  )
  return `{${entries.join(',')}}`
}

function escaped(text: string): string {
  return text.replace(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
