import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { type MetaSchemaNames, refPrefix } from './shared-schemas.ts'

/**
 * The schema of a definition as it is published: with its extension keys under every prefix, and
 * with `apiVersion`, `kind` and `metadata` in the object and in embedded resources (supplement
 * S-12, S-15). The first prefix is that of the definition; the keys stay and are repeated under
 * each other one.
 */
export function publishedSchema(
  schema: JsonObject,
  prefixes: readonly string[],
  { objectMeta }: MetaSchemaNames,
): JsonObject {
  const [own = '', ...others] = prefixes.map((prefix) => `x-${prefix}-`)
  const root = publish(schema, { own, others, objectMeta })
  return { ...root, properties: withObjectFields(root.properties, objectMeta) }
}

interface Publication {
  /** The prefix of extension keys in the definition, and the prefixes to repeat them with. */
  readonly own: string
  readonly others: readonly string[]
  readonly objectMeta: string
}

/** Publishes a node and the schemas below it. */
function publish(schema: JsonObject, publication: Publication): JsonObject {
  const { own, others, objectMeta } = publication
  const published: Record<string, Json | undefined> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    published[keyword] = publishKeyword(keyword, value, publication)
    if (!keyword.startsWith(own)) continue
    for (const prefix of others) published[`${prefix}${keyword.slice(own.length)}`] = value
  }
  const either = schema[`${own}int-or-string`] === true ? unfolded(published) : published
  if (schema[`${own}embedded-resource`] !== true) return either as JsonObject
  const required = Array.isArray(schema.required) ? (schema.required as Json[]) : []
  return {
    ...published,
    required: [...new Set([...required, 'kind', 'apiVersion'])],
    properties: withObjectFields(published.properties, objectMeta),
  } as JsonObject
}

const intOrString = [{ type: 'integer' }, { type: 'string' }]

/** Readers that do not know the extension key are told of the two types by an alternative. */
function unfolded(schema: Readonly<Record<string, Json | undefined>>): typeof schema {
  const { anyOf, allOf } = schema
  const all: Json[] = Array.isArray(allOf) ? (allOf as Json[]) : []
  const [first] = all
  if (deepEqual(anyOf, intOrString)) return schema
  if (isObject(first) && deepEqual(first.anyOf, intOrString)) return schema
  if (anyOf === undefined) return { ...schema, anyOf: intOrString }
  return { ...schema, allOf: [{ anyOf: intOrString }, ...all] }
}

/**
 * Publishes the schemas inside the value of a keyword. Only values of keywords that hold schemas
 * are walked: a property or a default that looks like an extension key is data and stays as it is.
 */
function publishKeyword(
  keyword: string,
  value: Json | undefined,
  publication: Publication,
): Json | undefined {
  const publishValue = (one: Json | undefined) => (isObject(one) ? publish(one, publication) : one)
  switch (keyword) {
    case 'properties': {
      if (!isObject(value)) return value
      const properties = Object.entries(value).map(([name, one]) => [name, publishValue(one)])
      return Object.fromEntries(properties) as JsonObject
    }
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
      return Array.isArray(value)
        ? (value as Json[]).map((one) => publishValue(one) as Json)
        : value
    case 'not':
    case 'items':
    case 'additionalProperties':
      return publishValue(value)
    default:
      return value
  }
}

/**
 * What the definition declares under these three names is replaced: the server reads them by its
 * own rules.
 */
function withObjectFields(properties: Json | undefined, objectMeta: string): JsonObject {
  return {
    ...(isObject(properties) ? properties : {}),
    apiVersion: {
      description: 'APIVersion defines the group and version whose schema the object follows.',
      type: 'string',
    },
    kind: {
      description: 'Kind is the name of the schema that the object follows.',
      type: 'string',
    },
    metadata: {
      description: 'Identity and bookkeeping data of the object.',
      allOf: [{ $ref: `${refPrefix}${objectMeta}` }],
    },
  }
}
