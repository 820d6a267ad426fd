import type { Steps } from '../../kernel/async/slices.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import { childSchemas, type Schema } from './schema.ts'

/**
 * Why a schema cannot be looked at as a structure, in the words of release 1.29: it has a keyword that
 * none has. Undefined for all others. Told only if nothing else is wrong.
 */
export function* unsupportedKeyword(root: Schema, extension: string): Steps<string | undefined> {
  const queue = [root]
  for (let schema = queue.pop(); schema !== undefined; schema = queue.pop()) {
    const found = unsupportedHere(schema.raw, extension)
    if (found !== undefined) return found
    yield 1
    for (const { schema: child } of childSchemas(schema)) queue.push(child)
  }
  return undefined
}

const keywords = ['id', '$schema', '$ref', 'patternProperties', 'dependencies', 'definitions']

/** The same for one node alone, without those below it. */
export function unsupportedHere(raw: JsonObject, extension: string): string | undefined {
  for (const keyword of keywords) {
    const value = raw[keyword]
    if (!value || Object.keys(value).length === 0) continue
    return `OpenAPIV3Schema '${keyword === '$schema' ? 'schema' : keyword}' is not supported`
  }
  if (raw.additionalItems !== undefined && raw.additionalItems !== null) {
    return "OpenAPIV3Schema 'additionalItems' is not supported"
  }
  if (Array.isArray(raw.items) && raw.items.length > 0) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array"
  }
  return raw[`x-${extension}-preserve-unknown-fields`] === false
    ? `internal error: 'x-${extension}-preserve-unknown-fields' must be true or undefined`
    : undefined
}
