import { type ApiObject, apiVersionOf } from '../../kernel/meta/object.ts'
import type { ObjectReader } from '../../kernel/validation/field-error.ts'
import type { Json, JsonObject } from '../../kernel/values/json.ts'
import type { Schema } from '../schema/schema.ts'
import type { Check } from './check.ts'
import { valueChecks } from './checks.ts'
import type { ReadMetadata } from './embedded.ts'
import type { Unchanged } from './ratchet.ts'
import { ReadContext } from './read-context.ts'
import { compileProperties, compileReader, objectReader } from './reader.ts'

/** The group, version and kind that the reader writes into objects. */
interface KindIdentity {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** Fields that every kind reads the same way; a schema can only restrict them. */
const objectMetaFields: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata'])

/**
 * Compiles the schema of a version into the reader of its objects. With `unchanged` the reader
 * tolerates errors in values that are unchanged from the old object. Work is bounded by object and
 * not by node. Metadata is read first, so that its errors come before those of the body; checks of
 * the root see the object with its defaults.
 */
export function rootReader(
  schema: Schema,
  names: KindIdentity,
  readMetadata: ReadMetadata,
): (unchanged?: Unchanged) => ObjectReader<ApiObject> {
  const own = new Map([...schema.properties].filter(([name]) => !objectMetaFields.has(name)))
  const read = objectReader(compileProperties({ ...schema, properties: own }, readMetadata))
  const checks = [...valueChecks(schema), ...metadataChecks(schema, readMetadata)]
  const head = { kind: names.kind, apiVersion: apiVersionOf(names) }
  return (unchanged) => (input, report) => {
    const { kind, apiVersion, metadata: given, ...rest } = input as JsonObject
    const metadata = readMetadata(given ?? {}, report)
    const context = new ReadContext(report, { ...(unchanged && { unchanged }) })
    const body = read(rest, context)
    const out = { ...head, metadata, ...body }
    const value = out as unknown as JsonObject
    for (const check of checks) check(value, context)
    context.finish()
    return out
  }
}

/** The checks of a schema's `metadata`, which may restrict the name only. They never change the metadata. */
function metadataChecks({ properties }: Schema, readMetadata: ReadMetadata): readonly Check[] {
  const schema = properties.get('metadata')
  if (schema === undefined) return []
  const { read } = compileReader(
    { ...schema, preserveUnknownFields: true, default: undefined },
    readMetadata,
  )
  return [
    (value, context) => {
      context.path.push('metadata')
      read((value as JsonObject).metadata as Json, context)
      context.path.pop()
    },
  ]
}
