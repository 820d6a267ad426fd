import type { Steps } from '../../kernel/async/slices.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { forbidden } from '../../kernel/validation/field-errors.ts'
import type { Json } from '../../kernel/values/json.ts'
import type { ReadMetadata } from '../reader/embedded.ts'
import { formatValueWithTypes, ReadContext } from '../reader/read-context.ts'
import { compileReader, valueSize } from '../reader/reader.ts'
import type { Schema } from '../schema/schema.ts'

/**
 * What all defaults of a version may ask of their schemas, in the work of a walk. Those of real definitions come to some
 * hundreds.
 */
const maxDefaultsWork = 50_000

/** Every default fits its own schema and holds nothing that pruning would drop (supplement C-08). */
export function* validateDefaults(
  root: Schema,
  place: string,
  metadata: ReadMetadata,
): Steps<FieldError[]> {
  const found: FieldError[] = []
  let left = maxDefaultsWork
  yield* each(root, place)
  return found

  function* each(schema: Schema, at: string): Steps<void> {
    const { properties, items, additionalProperties: more, default: value } = schema
    let work = 0
    if (value !== undefined && left > 0) {
      work = validateDefaultValue(schema, value, `${at}.default`, metadata, left, found)
      left -= work
    }
    yield 1 + work / 5
    if (items) yield* each(items, `${at}.items`)
    for (const [name, one] of properties) yield* each(one, `${at}.properties[${name}]`)
    if (typeof more === 'object') yield* each(more, `${at}.additionalProperties`)
  }
}

/** Metadata of the object itself cannot have defaults. */
export function validateMetadataDefaults(root: Schema, place: string): readonly FieldError[] {
  const metadata = root.properties.get('metadata')
  const at = `${place}.properties[metadata]`
  if (metadata === undefined) return []
  const below = [...metadata.properties].map(([name, one]) => [`${at}.properties[${name}]`, one])
  return ([[at, metadata], ...below] as [string, Schema][])
    .filter(([, one]) => one.default !== undefined)
    .map(([path]) => forbidden(`${path}.default`, 'must not be set in top-level metadata'))
}

/** Adds what is wrong with a default; gives the work that it took. */
function validateDefaultValue(
  schema: Schema,
  value: Json,
  place: string,
  metadata: ReadMetadata,
  work: number,
  found: FieldError[],
): number {
  const walk = new ReadContext({ errors: [], unknownFields: [] }, { work })
  compileReader({ ...schema, default: undefined }, metadata).read(value, walk)
  walk.finish()
  if (walk.unknown.length > 0) {
    const message = `Invalid value: ${formatValueWithTypes(value)}: must not have unknown fields`
    found.push({ path: place, reason: 'FieldValueInvalid', message })
  }
  for (const { path, ...rest } of walk.findings) {
    const inner =
      path === '' ? place : path.startsWith('[') ? `${place}${path}` : `${place}.${path}`
    found.push({ path: inner, ...rest })
  }
  return walk.work + valueSize(value)
}
