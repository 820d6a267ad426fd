import { type ApiObject, apiVersionOf } from '../../kernel/meta/object.ts'
import {
  createReport,
  type FieldError,
  type ObjectReader,
  type ReadReport,
} from '../../kernel/validation/field-error.ts'
import type { Json, JsonObject } from '../../kernel/values/json.ts'
import { changedSchema, type Schema } from '../schema/schema.ts'
import type { Check } from './check.ts'
import { valueCheck } from './checks.ts'
import type { ReadMetadata } from './embedded.ts'
import type { Unchanged } from './ratchet.ts'
import { ReadContext } from './read-context.ts'
import { compileProperties, compileReader, objectReader, type PropertyReaders } from './reader.ts'

/** The group, version and kind that the reader writes into objects. */
interface KindIdentity {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** Fields that every kind reads the same way; a schema can only restrict them. */
const objectMetaFields: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata'])

/** Reads the objects of a version of a definition. */
export interface RootReader {
  /** The reader of objects; with `unchanged` it tolerates errors in values of the old object. */
  readonly reader: (unchanged?: Unchanged) => ObjectReader<ApiObject>
  /** The errors of the status of an object by the schema of `status` alone; paths are within it. */
  readonly statusErrors: (object: ApiObject) => readonly FieldError[]
}

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
): RootReader {
  const body = new Map([...schema.properties].filter(([name]) => !objectMetaFields.has(name)))
  const properties = compileProperties(changedSchema(schema, { properties: body }), readMetadata)
  const read = objectReader(properties)
  const own = valueCheck(schema)
  const checks = [...(own ? [own] : []), ...metadataChecks(schema, readMetadata)]
  const head = { kind: names.kind, apiVersion: apiVersionOf(names) }
  const reader = (unchanged?: Unchanged) => (input: unknown, report: ReadReport) => {
    const { kind, apiVersion, metadata: given, ...rest } = input as JsonObject
    const metadata = readMetadata(given ?? {}, report)
    report.unknownFields.sort()
    if (report.typeErrors.length > 0) report.malformedMetadata = { told: '', given }
    const context = new ReadContext(report, { ...(unchanged && { unchanged }) })
    const out = { ...head, metadata, ...read(rest, context) }
    const value = out as unknown as JsonObject
    for (const check of checks) check(value, context)
    context.finish()
    return out
  }
  return { reader, statusErrors: (object) => statusErrors(properties, object) }
}

/** Embedded resources and lists are not judged here: their errors are told with the whole object. */
function statusErrors({ named }: PropertyReaders, object: ApiObject): readonly FieldError[] {
  const { status } = object as ApiObject & { readonly status?: Json }
  const reader = named.get('status')
  if (reader === undefined || status === undefined) return []
  const context = new ReadContext(createReport())
  reader.read(status, context)
  context.finishSchema()
  return context.errors
}

/** The checks of a schema's `metadata`, which may restrict the name only. They never change the metadata. */
function metadataChecks({ properties }: Schema, readMetadata: ReadMetadata): readonly Check[] {
  const schema = properties.get('metadata')
  if (schema === undefined) return []
  const { read } = compileReader(
    changedSchema(schema, { preserveUnknownFields: true, default: undefined }),
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
