/** A Swagger 2.0 document in the shape of gnostic's messages: maps become lists of pairs, alternatives a field each. */
import type { SwaggerPart } from './v2-from-v3.ts'

type Value = Readonly<Record<string, unknown>>

/** The part of a document as the values of two messages, `v2.Paths` and `v2.Definitions`. */
export function binaryPart({ paths, definitions }: SwaggerPart): {
  readonly paths: Value
  readonly definitions: Value
} {
  return {
    paths: { path: pairs(paths, pathItem) },
    definitions: { entries: pairs(definitions, schemaOf) },
  }
}

/** What stands once in a document beside paths and definitions, as a part of the value of the message `v2.Document`. */
export function binaryRest(
  parameters: Readonly<Record<string, Value>>,
  schemes: Readonly<Record<string, Value>>,
): Value {
  return {
    parameters: { entries: pairs(parameters, (one) => parameterOf(one).parameter as Value) },
    security: Object.keys(schemes).map((name) => ({ entries: [{ name, value: {} }] })),
    securityDefinitions: { entries: pairs(schemes, (key) => ({ key })) },
  }
}

/** The operations of a path, each in its own field. */
function pathItem({ parameters, ...operations }: Value): Value {
  return {
    ...Object.fromEntries(
      Object.entries(operations).map(([method, value]) => [method, operationOf(value as Value)]),
    ),
    ...(parameters !== undefined && { parameters: (parameters as Value[]).map(parameterOf) }),
  }
}

/** An operation, its responses as pairs by code. */
function operationOf(operation: Value): Value {
  const { parameters, responses } = operation
  return {
    ...operation,
    parameters: ((parameters ?? []) as Value[]).map(parameterOf),
    responses: { code: pairs(responses as Record<string, Value>, responseOf) },
    extensions: extensionsOf(operation),
  }
}

/** Body parameters, those of path and query, and references are different messages. */
function parameterOf(parameter: Value): Value {
  if (parameter.$ref !== undefined) return { reference: parameter }
  if (parameter.in === 'body') {
    return { parameter: { body: { ...parameter, schema: schemaOf(parameter.schema as Value) } } }
  }
  const place = parameter.in === 'path' ? 'path' : 'query'
  return { parameter: { other: { [place]: withoutZeros(parameter) } } }
}

/** A response, in the field that says it is no reference. */
function responseOf({ description, schema }: Value): Value {
  return {
    response: {
      description,
      ...(schema !== undefined && { schema: { schema: schemaOf(schema as Value) } }),
    },
  }
}

/** A schema: what is a map becomes pairs, what may be of several types a field each. */
function schemaOf(schema: Value): Value {
  const { type, items, properties, additionalProperties, enum: values } = schema
  const result: Record<string, unknown> = withoutZeros(schema)
  const extensions = extensionsOf(schema)
  if (extensions.length > 0) result.extensions = extensions
  if (type !== undefined) result.type = { value: [type] }
  if (items !== undefined) result.items = { schema: [schemaOf(items as Value)] }
  if (schema.default !== undefined) result.default = anyOf(schema.default)
  if (Array.isArray(values)) result.enum = values.map(anyOf)
  if (properties !== undefined) {
    result.properties = { entries: pairs(properties as Record<string, Value>, schemaOf) }
  }
  if (typeof additionalProperties === 'boolean') {
    result.additionalProperties = { boolean: additionalProperties }
  } else if (additionalProperties !== undefined) {
    result.additionalProperties = { schema: schemaOf(additionalProperties as Value) }
  }
  return result
}

/** This format does not write what is zero. */
function withoutZeros(value: Value): Record<string, unknown> {
  const kept = Object.entries(value).filter(([, one]) => one !== 0 && one !== false && one !== '')
  return Object.fromEntries(kept)
}

function extensionsOf(value: Value): readonly Value[] {
  return Object.entries(value)
    .filter(([name]) => name.startsWith('x-'))
    .map(([name, one]) => ({ name, value: anyOf(one) }))
}

/** Any value as YAML, of which JSON is a part. */
function anyOf(value: unknown): Value {
  return { yaml: `${JSON.stringify(value)}\n` }
}

function pairs<T>(
  values: Readonly<Record<string, T>>,
  change: (value: T) => Value,
): readonly Value[] {
  return Object.entries(values).map(([name, value]) => ({ name, value: change(value) }))
}
