/**
 * From the published OpenAPI v3 documents to one Swagger 2.0 document. What version 2 has no word for is left out: a
 * value that may be of several types becomes a string, a reference keeps its description beside it.
 */

type Value = Readonly<Record<string, unknown>>

/** A version 3 document as far as it is read here. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Value>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Value>> }
}

/** The part of a Swagger document that comes from one version 3 document. */
export interface SwaggerPart {
  readonly paths: Readonly<Record<string, Value>>
  readonly definitions: Readonly<Record<string, Value>>
}

/** The paths and definitions of one version 3 document. References are rewritten; nothing else of other documents is needed. */
export function swaggerPart({ paths, components }: OpenApi): SwaggerPart {
  return {
    paths: mapValues(paths, pathItem),
    definitions: mapValues(components?.schemas ?? {}, definitionOf),
  }
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

/** Operations and common parameters of a path. */
function pathItem({ parameters, ...item }: Value): Value {
  const operations = methods.flatMap((method) => {
    const found = item[method] as Value | undefined
    return found === undefined ? [] : [[method, operationOf(found)]]
  })
  return {
    ...Object.fromEntries(operations),
    ...(Array.isArray(parameters) && { parameters: parameters.map(parameterOf) }),
  }
}

/** A body becomes a parameter, media types become lists. */
function operationOf(operation: Value): Value {
  const { parameters = [], requestBody, responses, ...rest } = operation
  const body = requestBody as
    | (Value & { readonly content: Readonly<Record<string, Value>> })
    | undefined
  const produced = new Set<string>()
  const all = [...(body ? [bodyOf(body)] : []), ...(parameters as Value[]).map(parameterOf)]
  const answers = mapValues((responses ?? {}) as Readonly<Record<string, Value>>, (response) =>
    responseOf(response, produced),
  )
  return {
    ...rest,
    consumes: consumedBy(operation, body?.content ?? {}, [...produced]),
    produces: [...produced],
    ...(all.length > 0 && { parameters: all }),
    responses: answers,
  }
}

/** What is no operation of a kind consumes what it produces. */
function consumedBy(operation: Value, content: object, produced: readonly string[]) {
  const media = Object.keys(content)
  if (media.length > 0) return media
  const ofKind = Object.keys(operation).some((word) => word.endsWith('-action'))
  return ofKind ? ['*/*'] : produced
}

function bodyOf({ required, content }: Value & { readonly content: object }): Value {
  const [first] = Object.values(content) as Value[]
  return {
    name: 'body',
    in: 'body',
    ...(required === true && { required }),
    schema: schemaOf((first?.schema ?? {}) as Value),
  }
}

function responseOf({ description, content }: Value, produced: Set<string>): Value {
  const contents = Object.entries((content ?? {}) as Readonly<Record<string, Value>>)
  for (const [type] of contents) produced.add(type)
  const schema = contents[0]?.[1].schema as Value | undefined
  return { description, ...(schema && { schema: schemaOf(schema) }) }
}

function parameterOf({ schema, ...parameter }: Value): Value {
  return { ...parameter, ...(schema as Value | undefined) }
}

/** An object of a kind does not say that it keeps unknown fields: version 2 knows no field of it then (finding Wire 20). */
function definitionOf(schema: Value): Value {
  const words = Object.entries(schemaOf(schema))
  if (!words.some(([word]) => word.endsWith('-group-version-kind')))
    return Object.fromEntries(words)
  const known = words.filter(([word]) => !word.endsWith('-preserve-unknown-fields'))
  return { ...(schema.type !== undefined && { type: schema.type }), ...Object.fromEntries(known) }
}

const refPrefix = '#/components/schemas/'

/** Nothing in version 2 says these; alternatives are handled apart, and clients of it take a default for a value that is sent. */
const unknownWords: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'default',
  'nullable',
  'not',
  'oneOf',
])

/** A schema without the words that version 2 does not know. */
function schemaOf(schema: Value): Value {
  const result: Record<string, unknown> = {}
  for (const [word, value] of Object.entries(schema)) {
    if (word === '$ref') result.$ref = (value as string).replace(refPrefix, '#/definitions/')
    else if (word === 'properties') result.properties = mapValues(value as never, schemaOf)
    else if (word === 'items') result.items = schemaOf(value as Value)
    else if (word === 'additionalProperties') {
      result.additionalProperties = typeof value === 'object' ? schemaOf(value as Value) : value
    } else if (!unknownWords.has(word)) result[word] = value
  }
  return { ...blanked(schema, result), ...referred(schema), ...alternative(schema) }
}

/**
 * Clients of version 2 know no null, and take properties and items for all that there can be: where more is allowed, the
 * structure is left out (supplement S-15).
 */
function blanked(schema: Value, result: Value): Value {
  const keeps = Object.keys(schema).some(
    (word) => word.endsWith('-preserve-unknown-fields') && schema[word] === true,
  )
  const { items, properties, required, ...rest } = result
  const names = requiredOf(schema, keeps)
  const whole = names.length === 0 ? rest : { ...rest, required: names }
  if (schema.nullable !== true && !keeps) {
    return {
      ...whole,
      ...(items !== undefined && { items }),
      ...(properties !== undefined && { properties }),
    }
  }
  const { type, ...untyped } = whole
  return untyped
}

/** Without what may be null, and without what an embedded resource has of its own where its fields are not told. */
function requiredOf(schema: Value, keeps: boolean): readonly string[] {
  const { properties = {}, required = [] } = schema as {
    properties?: Readonly<Record<string, Value>>
    required?: readonly string[]
  }
  const embedded = Object.keys(schema).some((word) => word.endsWith('-embedded-resource'))
  const own = keeps && embedded ? ['kind', 'apiVersion'] : []
  return required.filter((name) => properties[name]?.nullable !== true && !own.includes(name))
}

/** A reference with words beside it, which version 3 writes as the only part of an `allOf`. */
function referred({ allOf }: Value): Value {
  if (!Array.isArray(allOf) || allOf.length !== 1 || !Object.hasOwn(allOf[0], '$ref')) return {}
  return schemaOf(allOf[0] as Value)
}

function alternative(schema: Value): Value {
  const { oneOf } = schema
  if (!Array.isArray(oneOf) || schema.type !== undefined) return {}
  const either = Object.keys(schema).some((word) => word.endsWith('-int-or-string'))
  return { type: 'string', ...(either && { format: 'int-or-string' }) }
}

function mapValues<T>(
  values: Readonly<Record<string, T>>,
  change: (value: T) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))
}
