import { type ApiObject, apiVersionOf } from '../../kernel/meta/object.ts'
import type { ObjectReader } from '../../kernel/validation/field-error.ts'
import type { Json, JsonObject } from '../../kernel/values/json.ts'
import type { Schema } from '../schema/schema.ts'
import { type Check, valueChecks } from './checks.ts'
import type { ReadMetadata } from './embedded.ts'
import type { Unchanged } from './ratchet.ts'
import { ReadContext } from './read-context.ts'
import { compileProperties, compileReader, objectReader } from './reader.ts'

interface KindIdentity {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** The fields that every object has: the schema of a kind may restrict them, but they are read as in every kind. */
const objectMetaFields: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata'])

/** The reader of a kind, from the schema of one of its versions; it may forgive what is unchanged. */
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
    const walk = new ReadContext(report, { ...(unchanged && { unchanged }) })
    const body = read(rest, walk)
    const out = { ...head, metadata, ...body }
    const value = out as unknown as JsonObject
    for (const check of checks) check(value, walk)
    walk.finish()
    return out
  }
}

/** What a schema says of metadata: of the name only, and nothing that would change it. */
function metadataChecks({ properties }: Schema, readMetadata: ReadMetadata): readonly Check[] {
  const schema = properties.get('metadata')
  if (schema === undefined) return []
  const { read } = compileReader(
    { ...schema, preserveUnknownFields: true, default: undefined },
    readMetadata,
  )
  return [
    (value, walk) => {
      walk.path.push('metadata')
      read((value as JsonObject).metadata as Json, walk)
      walk.path.pop()
    },
  ]
}
