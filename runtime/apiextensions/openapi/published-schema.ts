import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { ActionTemplates } from './paths.ts'

/** The names under which the schemas of the machinery stand in a published document. */
export interface MetaSchemaNames {
  readonly objectMeta: string
  readonly listMeta: string
  readonly status: string
  readonly deleteOptions: string
  readonly scale: string | undefined
  readonly actions: ActionTemplates
}

const lists: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf'])
const singles: ReadonlySet<string> = new Set(['not', 'items', 'additionalProperties'])

/**
 * A schema of a definition as clients read it: with its extension keys under every prefix that they know, and with the
 * fields of an object where one is embedded (supplement S-12, S-15).
 */
export function publishedSchema(
  raw: JsonObject,
  prefixes: readonly string[],
  meta: MetaSchemaNames,
): JsonObject {
  const [own = '', ...others] = prefixes.map((one) => `x-${one}-`)
  const published = (schema: Json | undefined): Json | undefined =>
    isObject(schema) ? node(schema) : schema
  const node = (schema: JsonObject): JsonObject => {
    const out: Record<string, Json | undefined> = {}
    for (const [word, value] of Object.entries(schema)) {
      if (word === 'properties' && isObject(value)) out.properties = each(value)
      else if (lists.has(word) && Array.isArray(value)) {
        out[word] = (value as Json[]).map((one) => published(one) as Json)
      } else out[word] = singles.has(word) ? published(value) : value
      if (word.startsWith(own)) {
        for (const prefix of others) out[`${prefix}${word.slice(own.length)}`] = value
      }
    }
    const embedded = schema[`${own}embedded-resource`] === true
    return (
      embedded ? { ...out, properties: withObjectMetaFields(out.properties, meta) } : out
    ) as JsonObject
  }
  const each = (properties: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, published(one)]))
  const root = node(raw)
  return { ...root, properties: withObjectMetaFields(root.properties, meta) }
}

/** Properties with those that every object has. */
function withObjectMetaFields(
  properties: Json | undefined,
  { objectMeta }: MetaSchemaNames,
): JsonObject {
  const given = isObject(properties) ? properties : {}
  const common: JsonObject = {
    apiVersion: {
      description: 'Group and version of the schema that the object follows.',
      type: 'string',
    },
    kind: { description: 'Kind of the object.', type: 'string' },
    metadata: {
      description: 'Identity and bookkeeping data of the object.',
      allOf: [{ $ref: `#/components/schemas/${objectMeta}` }],
    },
  }
  return { ...given, ...common }
}
