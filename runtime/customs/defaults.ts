import { forbidden } from '../kernel/causes.ts'
import type { Json } from '../kernel/json.ts'
import type { Finding } from '../kernel/read.ts'
import type { Steps } from '../kernel/turns.ts'
import type { ReadMetadata } from './embedded.ts'
import { nodeOf, sizeOf } from './reader.ts'
import type { Schema } from './schema.ts'
import { shown, Walk } from './walk.ts'

/**
 * What all defaults of a version may ask of their schemas, in the work of a walk. Those of real definitions come to some
 * hundreds.
 */
const mostWork = 50_000

/** Every default fits its own schema and holds nothing that pruning would drop (supplement C-08). */
export function* defaultFindings(
  root: Schema,
  place: string,
  metadata: ReadMetadata,
): Steps<Finding[]> {
  const found: Finding[] = []
  let left = mostWork
  yield* each(root, place)
  return found

  function* each(schema: Schema, at: string): Steps<void> {
    const { properties, items, additionalProperties: more, default: value } = schema
    let work = 0
    if (value !== undefined && left > 0) {
      work = valueFindings(schema, value, `${at}.default`, metadata, left, found)
      left -= work
    }
    yield 1 + work / 5
    if (items) yield* each(items, `${at}.items`)
    for (const [name, one] of properties) yield* each(one, `${at}.properties[${name}]`)
    if (typeof more === 'object') yield* each(more, `${at}.additionalProperties`)
  }
}

/** Metadata of the object itself cannot have defaults. */
export function metadataDefaults(root: Schema, place: string): readonly Finding[] {
  const metadata = root.properties.get('metadata')
  const at = `${place}.properties[metadata]`
  if (metadata === undefined) return []
  const below = [...metadata.properties].map(([name, one]) => [`${at}.properties[${name}]`, one])
  return ([[at, metadata], ...below] as [string, Schema][])
    .filter(([, one]) => one.default !== undefined)
    .map(([path]) => forbidden(`${path}.default`, 'must not be set in top-level metadata'))
}

/** Adds what is wrong with a default; gives the work that it took. */
function valueFindings(
  schema: Schema,
  value: Json,
  place: string,
  metadata: ReadMetadata,
  work: number,
  found: Finding[],
): number {
  const walk = new Walk({ findings: [], unknown: [] }, { work })
  nodeOf({ ...schema, default: undefined }, metadata).read(value, walk)
  walk.finish()
  if (walk.unknown.length > 0) {
    const message = `Invalid value: ${shown(value)}: must not have unknown fields`
    found.push({ path: place, reason: 'FieldValueInvalid', message })
  }
  for (const { path, ...rest } of walk.findings) {
    const inner =
      path === '' ? place : path.startsWith('[') ? `${place}${path}` : `${place}.${path}`
    found.push({ path: inner, ...rest })
  }
  return walk.work + sizeOf(value)
}
