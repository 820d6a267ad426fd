/** Schema documents of servers that know version 2 only, in the form of version 3. */
import { isObject, type Json, type JsonObject } from '../kernel/values/json.ts'

/** The paths and schemas of a Swagger document in the words of version 3. What version 3 says otherwise and clients do not read is left out. */
export function schemaOfSwagger({ paths, definitions, parameters, info }: JsonObject): JsonObject {
  const shared = isObject(parameters) ? parameters : {}
  return {
    openapi: '3.0.0',
    info: isObject(info) ? info : {},
    paths: mapValues(paths, (item) => pathItem(item, shared)),
    components: { schemas: mapValues(definitions, (schema) => withRefs(schema)) },
  }
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

function pathItem(item: JsonObject, shared: JsonObject): JsonObject {
  const operations = methods.flatMap((method) => {
    const found = item[method]
    return isObject(found) ? [[method, operation(found, shared)] as const] : []
  })
  const { query } = parametersOf(item.parameters, shared)
  return { ...Object.fromEntries(operations), ...(query.length > 0 && { parameters: query }) }
}

function operation(found: JsonObject, shared: JsonObject): JsonObject {
  const { parameters, responses, consumes, produces, schemes: _, ...rest } = found
  const { query, body } = parametersOf(parameters, shared)
  return {
    ...rest,
    ...(query.length > 0 && { parameters: query }),
    ...(body && {
      requestBody: {
        ...(body.required === true && { required: true }),
        content: contentOf(wordsOf(consumes), body.schema),
      },
    }),
    responses: mapValues(responses, ({ schema, description = '' }) => ({
      description,
      ...(schema !== undefined && { content: contentOf(wordsOf(produces), schema) }),
    })),
  }
}

/** The body is a parameter of its own there, and parameters may be shared by reference. */
function parametersOf(
  value: Json | undefined,
  shared: JsonObject,
): { readonly query: readonly JsonObject[]; readonly body?: JsonObject | undefined } {
  const all = (Array.isArray(value) ? value : []).filter(isObject).flatMap((one) => {
    const name = typeof one.$ref === 'string' ? one.$ref.replace('#/parameters/', '') : undefined
    if (name === undefined) return [one]
    const found = Object.hasOwn(shared, name) ? shared[name] : undefined
    return isObject(found) ? [found] : []
  })
  return {
    query: all.filter((one) => one.in !== 'body').map(parameter),
    body: all.find((one) => one.in === 'body'),
  }
}

function parameter(one: JsonObject): JsonObject {
  const { name = '', description, required, type, format, uniqueItems } = one
  return {
    name,
    in: one.in ?? 'query',
    ...(description !== undefined && { description }),
    ...(required === true && { required }),
    schema: {
      ...(type !== undefined && { type }),
      ...(format !== undefined && { format }),
      ...(uniqueItems === true && { uniqueItems }),
    },
  }
}

function contentOf(types: readonly string[], schema: Json | undefined): JsonObject {
  const media = { schema: withRefs(schema ?? {}) }
  return Object.fromEntries((types.length === 0 ? ['*/*'] : types).map((type) => [type, media]))
}

function wordsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** The schema with its references to the place where version 3 has schemas. */
function withRefs(value: Json): Json {
  if (Array.isArray(value)) return value.map((one) => withRefs(one as Json))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner = null]) => [
      key,
      key === '$ref' && typeof inner === 'string'
        ? inner.replace('#/definitions/', '#/components/schemas/')
        : withRefs(inner),
    ]),
  )
}

function mapValues(value: Json | undefined, change: (one: JsonObject) => Json): JsonObject {
  const entries = Object.entries(isObject(value) ? value : {})
  return Object.fromEntries(
    entries.flatMap(([key, one]) => (isObject(one) ? [[key, change(one)] as const] : [])),
  )
}
