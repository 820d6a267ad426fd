import { forbidden } from '../kernel/causes.ts'
import type { Json } from '../kernel/json.ts'
import type { Finding } from '../kernel/read.ts'
import type { Steps } from '../kernel/turns.ts'
import type { ReadMetadata } from './embedded.ts'
import { nodeOf } from './reader.ts'
import type { Schema } from './schema.ts'
import { shown, Walk } from './walk.ts'

/** Every default fits its own schema and holds nothing that pruning would drop (supplement C-08). */
export function* defaultFindings(
  schema: Schema,
  place: string,
  metadata: ReadMetadata,
): Steps<Finding[]> {
  const { properties, items, default: value } = schema
  const found = value === undefined ? [] : valueFindings(schema, `${place}.default`, metadata)
  yield 1 + (value === undefined ? 0 : workOfDefault(value))
  if (items) found.push(...(yield* defaultFindings(items, `${place}.items`, metadata)))
  for (const [name, one] of properties) {
    found.push(...(yield* defaultFindings(one, `${place}.properties[${name}]`, metadata)))
  }
  const more = schema.additionalProperties
  if (typeof more === 'object') {
    found.push(...(yield* defaultFindings(more, `${place}.additionalProperties`, metadata)))
  }
  return found
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

function valueFindings(schema: Schema, place: string, metadata: ReadMetadata): Finding[] {
  const { default: value } = schema
  if (value === undefined) return []
  const walk = new Walk({ findings: [], unknown: [] })
  nodeOf({ ...schema, default: undefined }, metadata).read(value, walk)
  const message = `Invalid value: ${shown(value)}: must not have unknown fields`
  const unknown: readonly Finding[] =
    walk.unknown.length > 0 ? [{ path: place, reason: 'FieldValueInvalid', message }] : []
  const wrong = walk.findings.map(({ path, ...rest }) => ({
    path: path === '' ? place : path.startsWith('[') ? `${place}${path}` : `${place}.${path}`,
    ...rest,
  }))
  return [...unknown, ...wrong]
}

/** What checking a default takes, in the units of steps: large ones count as much as they may hold. */
function workOfDefault(value: Json): number {
  return typeof value === 'object' && value !== null ? 200 : 5
}
