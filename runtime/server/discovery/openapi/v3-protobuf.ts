/**
 * An OpenAPI 3.0 document in the shape of gnostic's messages: maps become lists of pairs, alternatives a field each. What
 * these messages have no word for, such as a default that is an object, is left out.
 */

import { yieldToEventLoop } from '../../../kernel/async/slices.ts'
import { loadProtobuf } from '../../../serializer/serializer.ts'
import { openapiMessages } from './v3-messages.ts'

type Value = Readonly<Record<string, unknown>>
type Values = Readonly<Record<string, Value>>

interface OpenApi extends Value {
  readonly paths?: Values
  readonly components?: { readonly schemas?: Values }
}

/** How many paths or schemas are encoded in one turn. */
const sliceSize = 20

/** The document as protobuf, made in slices of a few milliseconds. */
export async function openapiBinary(json: string): Promise<Uint8Array> {
  const { openapi, info, paths = {}, components } = JSON.parse(json) as OpenApi
  const codec = await loadProtobuf(openapiMessages)
  const encoded = async (
    values: Values,
    encode: (some: readonly (readonly [string, Value])[]) => Uint8Array,
  ): Promise<Uint8Array> => {
    const entries = Object.entries(values)
    const parts: Uint8Array[] = []
    for (let at = 0; at < entries.length; at += sliceSize) {
      parts.push(encode(entries.slice(at, at + sliceSize)))
      await yieldToEventLoop()
    }
    return Buffer.concat(parts)
  }
  const pathBytes = await encoded(paths, (some) =>
    codec.encodeMessage('v3.Paths', {
      path: some.map(([name, item]) => pair(name, pathItem(item))),
    }),
  )
  const schemas = await encoded(components?.schemas ?? {}, (some) =>
    codec.encodeMessage('v3.SchemasOrReferences', {
      pairs: some.map(([name, schema]) => pair(name, schemaOrReference(schema))),
    }),
  )
  const all = [
    codec.encodeMessage('v3.Document', { openapi, info }),
    codec.encodeField(4, pathBytes),
    ...(components === undefined ? [] : [codec.encodeField(5, codec.encodeField(1, schemas))]),
  ]
  return Buffer.concat(all)
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

/** The operations of a path, each in its own field. */
function pathItem(item: Value): Value {
  const operations = methods.flatMap((method) => {
    const found = item[method] as Value | undefined
    return found === undefined ? [] : [[method, operationOf(found)]]
  })
  return { ...plain(item), ...parametersOf(item), ...Object.fromEntries(operations) }
}

/** An operation, its responses and extensions as lists of pairs. */
function operationOf(operation: Value): Value {
  const body = operation.requestBody as Value | undefined
  return {
    ...plain(operation),
    tags: operation.tags ?? [],
    ...parametersOf(operation),
    ...(body !== undefined && {
      requestBody: orReference(body, 'requestBody', (one) => ({
        ...plain(one),
        content: contentOf(one),
      })),
    }),
    responses: responsesOf((operation.responses ?? {}) as Values),
  }
}

/** Parameters, each in the field that says it is no reference. */
function parametersOf({ parameters }: Value): Value {
  if (!Array.isArray(parameters)) return {}
  const one = ({ schema, ...rest }: Value): Value => ({
    ...plain(rest),
    ...(schema !== undefined && { schema: schemaOrReference(schema as Value) }),
  })
  return {
    parameters: (parameters as Value[]).map((each) => orReference(each, 'parameter', one)),
  }
}

/** Responses by code; the default one has a field of its own. */
function responsesOf({ default: usual, ...codes }: Values): Value {
  const one = (response: Value): Value =>
    orReference(response, 'response', ({ content, ...rest }) => ({
      ...plain(rest),
      ...(content !== undefined && { content: contentOf({ content }) }),
    }))
  return {
    ...(usual !== undefined && { default: one(usual) }),
    responses: pairsOf(codes, one),
  }
}

/** Bodies by media type. */
function contentOf({ content }: Value): Value {
  const one = ({ schema }: Value): Value =>
    schema === undefined ? {} : { schema: schemaOrReference(schema as Value) }
  return { pairs: pairsOf((content ?? {}) as Values, one) }
}

/** A schema, or the reference that stands for it. */
function schemaOrReference(schema: Value): Value {
  return orReference(schema, 'schema', schemaOf)
}

function orReference(value: Value, name: string, change: (value: Value) => Value): Value {
  const { $ref, description } = value
  if ($ref === undefined) return { [name]: change(value) }
  return { reference: { $ref, ...(description !== undefined && { description }) } }
}

/** A schema: what is a map becomes pairs, what may be of several types a field each. */
function schemaOf(schema: Value): Value {
  const { items, properties, additionalProperties: additional, not } = schema
  const result: Record<string, unknown> = { ...plain(schema), ...alternatives(schema) }
  if (Array.isArray(schema.required)) result.required = schema.required
  if (Array.isArray(schema.enum)) result.enum = schema.enum.map(anyOf)
  if (schema.example !== undefined) result.example = anyOf(schema.example)
  if (schema.default !== undefined) Object.assign(result, defaultOf(schema.default))
  if (items !== undefined) result.items = { schema: [schemaOrReference(items as Value)] }
  if (not !== undefined) result.not = schemaOf(not as Value)
  if (properties !== undefined) {
    result.properties = { pairs: pairsOf(properties as Values, schemaOrReference) }
  }
  if (additional !== undefined) {
    result.additionalProperties =
      typeof additional === 'boolean'
        ? { boolean: additional }
        : { schema: schemaOrReference(additional as Value) }
  }
  return result
}

/** `allOf`, `anyOf` and `oneOf` as lists. */
function alternatives(schema: Value): Value {
  const found = ['allOf', 'oneOf', 'anyOf'].flatMap((name) => {
    const list = schema[name]
    return Array.isArray(list) ? [[name, (list as Value[]).map(schemaOrReference)]] : []
  })
  return Object.fromEntries(found)
}

/** A default that is a scalar; there is no field for others. */
function defaultOf(value: unknown): Value {
  const names: Readonly<Record<string, string>> = {
    number: 'number',
    boolean: 'boolean',
    string: 'string',
  }
  const name = names[typeof value]
  return { default: name === undefined ? undefined : { [name]: value } }
}

/** The scalars of a value that are not zero, and its extensions: this format does not write what is zero. */
function plain(value: Value): Record<string, unknown> {
  const entries = Object.entries(value)
  const scalars = entries.filter(
    ([name, one]) => !name.startsWith('x-') && name !== 'default' && isScalar(one) && Boolean(one),
  )
  const extensions = entries
    .filter(([name]) => name.startsWith('x-'))
    .map(([name, one]) => pair(name, anyOf(one)))
  return { ...Object.fromEntries(scalars), ...(extensions.length > 0 && { extensions }) }
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object'
}

/** Any value as YAML, of which JSON is a part. */
function anyOf(value: unknown): Value {
  return { yaml: `${JSON.stringify(value)}\n` }
}

function pair(name: string, value: Value): Value {
  return { name, value }
}

function pairsOf(values: Values, change: (value: Value) => Value): readonly Value[] {
  return Object.entries(values).map(([name, value]) => pair(name, change(value)))
}
