/** Schemas of kinds as JSON Schemas of draft 7, for editors and validators that know nothing of ours. */
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { NamedSchema } from './placed-schema.ts'
import { boundsOf, isUnsaidForm, scalarSchema } from './published-values.ts'
import { SchemaNode } from './schema-node.ts'

/** A kind whose schema is published. */
export interface PublishedKind<At> {
  readonly apiVersion: string
  readonly kind: string
  readonly schema: NamedSchema<At>
  /** True where null stands for nothing everywhere; items of objects of definitions are null only where a schema allows it. */
  readonly nullIsAbsent: boolean
  /** True where a file has to state its required fields, even those that have defaults. */
  readonly statesRequired?: boolean
}

/** A keyword that JSON Schema has no word for: what it demands is judged by a server alone. */
export interface LeftOut {
  readonly type: string
  readonly field: string
  readonly keyword: string
}

/** A JSON Schema, and what it does not say. */
export interface PublishedSchema {
  readonly schema: JsonObject
  readonly leftOut: readonly LeftOut[]
}

/**
 * The JSON Schema of whole objects of a kind, which refers to nothing outside. It refuses no object that a server takes. `metadata` is the
 * schema of what every object has, for kinds that do not state it.
 */
export function publishedSchema<At, MetadataAt>(
  kind: PublishedKind<At>,
  metadata?: NamedSchema<MetadataAt>,
): PublishedSchema {
  const publisher = new Publisher()
  const way = { type: kind.kind, nullIsAbsent: kind.nullIsAbsent, isJudged: true }
  const root = publisher.struct(new SchemaNode(kind.schema.node, kind.schema.dialect), way)
  const {
    properties: own = {},
    required = [],
    ...rest
  } = root as {
    readonly properties?: JsonObject
    readonly required?: readonly string[]
  }
  const { apiVersion: _, kind: __, metadata: stated, ...fields } = own
  const described =
    metadata === undefined
      ? stated
      : publisher.named(metadata, { type: 'ObjectMeta', nullIsAbsent: true, isJudged: true })
  const properties = {
    apiVersion: { const: kind.apiVersion },
    kind: { const: kind.kind },
    ...(described !== undefined && { metadata: described }),
    ...fields,
  }
  const schema: JsonObject = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: `${kind.apiVersion} ${kind.kind}`,
    ...rest,
    type: 'object',
    required: [...new Set(['apiVersion', 'kind', ...required, ...requiredIn(kind)])],
    properties,
    ...(publisher.definitions.size > 0 && {
      definitions: Object.fromEntries(publisher.definitions),
    }),
  }
  return { schema, leftOut: [...publisher.leftOut, ...ofWholeObjects(kind, described)] }
}

/** The fields that every file of the kind has. */
function requiredIn<At>({ schema, statesRequired }: PublishedKind<At>): readonly string[] {
  const required = new SchemaNode(schema.node, schema.dialect).keyword('required')
  return statesRequired === true && Array.isArray(required) ? required.map(String) : []
}

/** What is judged of objects as a whole. */
function ofWholeObjects<At>(
  { kind, schema }: PublishedKind<At>,
  metadata: Json | undefined,
): readonly LeftOut[] {
  const facts = new SchemaNode(schema.node, schema.dialect).word('kind')
  const hasProgram = isObject(facts) && facts.strategies !== undefined
  return [
    ...(metadata === undefined ? [] : [{ type: 'ObjectMeta', field: '', keyword: 'metadata' }]),
    ...(hasProgram ? [{ type: kind, field: '', keyword: 'strategies' }] : []),
  ]
}

/** How a part is read. */
interface Way {
  /** The type that it is a part of, and its path from there. */
  readonly type: string
  readonly field?: string
  readonly nullIsAbsent: boolean
  /** True for a value with a name, whose null is the same as none in every object; that of an item is a value. */
  readonly isField?: boolean
  /** False where a server looks at types alone. */
  readonly isJudged: boolean
}

/** What only a server judges. */
const unsaid = ['validations', 'check', 'constraints', 'unions', 'condition-reasons']

class Publisher {
  readonly definitions = new Map<string, Json>()
  readonly leftOut: LeftOut[] = []
  /** Names by the place of a type and by what is judged of it. */
  readonly #names = new Map<string, string>()

  /** A reference to the definition of a type that is an object, and what any other is. */
  named<At>(named: NamedSchema<At>, way: Way, field?: SchemaNode<At>): JsonObject {
    const node = new SchemaNode(named.node, named.dialect, field)
    if (!node.isStruct) return this.value(node, way)
    const place = named.dialect.place(named.at)
    const key = `${place?.path ?? ''}:${place?.line}:${named.name}:${way.isJudged}`
    let name = this.#names.get(key)
    if (name === undefined) {
      name = this.#freeName(way.isJudged ? named.name : `${named.name}AnyValue`)
      this.#names.set(key, name)
      // Types contain themselves: the name is taken before its content is known.
      this.definitions.set(name, {})
      const description = node.text('description')
      const struct = this.struct(node, { ...way, type: named.name, field: '' })
      this.definitions.set(name, { ...(description !== undefined && { description }), ...struct })
    }
    return { $ref: `#/definitions/${name}` }
  }

  /** What a schema says of a value, with the words for those who write one. */
  schema<At>(node: SchemaNode<At>, way: Way): JsonObject {
    const named = node.target
    const judged = way.isJudged && node.word('unvalidated') !== true
    const own =
      named === undefined
        ? this.value(node, { ...way, isJudged: judged })
        : this.named(named, { ...way, isJudged: judged }, node)
    const description = node.text('description')
    const standard = node.keyword('default')
    const bounds = named !== undefined && judged ? boundsOf(node) : {}
    const words = {
      ...(description !== undefined && { description }),
      ...(standard !== undefined && { default: standard }),
    }
    if (named !== undefined) this.#note(node, way)
    // Nothing beside a reference counts in draft 7.
    if (own.$ref !== undefined) return { ...words, allOf: [own] }
    return { ...own, ...bounds, ...words }
  }

  /** An object with fields, and no others. */
  struct<At>(node: SchemaNode<At>, way: Way): JsonObject {
    this.#note(node, way)
    const fields = node.fields()
    const properties = Object.fromEntries(
      fields.map(({ name, schema }) => [
        name,
        this.schema(schema, { ...way, isField: true, field: below(way.field, name) }),
      ]),
    )
    const required = way.isJudged
      ? fields.filter((one) => isNeeded(one)).map(({ name }) => name)
      : []
    const isOpen = node.word('preserve-unknown-fields') === true || node.hasFreeFields
    for (const name of required) properties[name] = withoutNull(properties[name] as JsonObject)
    return {
      type: typed('object', node, way),
      ...(required.length > 0 && { required }),
      properties,
      ...(!isOpen && { additionalProperties: false }),
      ...(way.isJudged && node.conditions()),
    }
  }

  /** A value of any type, without words. */
  value<At>(node: SchemaNode<At>, way: Way): JsonObject {
    if (node.isStruct) return this.struct(node, way)
    this.#note(node, way)
    const members = node.members
    if (members.length > 0) return { anyOf: members.map((one) => this.schema(one, way)) }
    const conditions = way.isJudged ? node.conditions() : {}
    const { items, values } = node
    if (items !== undefined) {
      const part = this.#part(
        this.schema(items, { ...way, isField: false, field: `${way.field ?? ''}[]` }),
      )
      const type = typed('array', node, way)
      return { type, items: part, ...(way.isJudged && listBounds(node)), ...conditions }
    }
    if (values !== undefined) {
      const part = this.#part(
        this.schema(values, { ...way, isField: true, field: `${way.field ?? ''}{}` }),
      )
      const type = typed('object', node, way)
      return {
        type,
        additionalProperties: part,
        ...(way.isJudged && boundsOf(node)),
        ...conditions,
      }
    }
    const { type, field = '' } = way
    // It has no fields, or any: which of the two, schemas do not say alike.
    if (node.text('type') === 'object') this.leftOut.push({ type, field, keyword: 'fields' })
    return { ...scalarSchema(node, acceptsNull(node, way), way.isJudged), ...conditions }
  }

  /** An item, or a value of a map. Where it is null, a server takes it for an empty object, which lacks the fields that are needed. */
  #part(schema: JsonObject): JsonObject {
    const [own = schema] = (schema.allOf ?? []) as readonly JsonObject[]
    const name = typeof own.$ref === 'string' ? own.$ref.slice('#/definitions/'.length) : ''
    const target = (this.definitions.get(name) ?? own) as JsonObject
    return target.required === undefined ? schema : withoutNull(schema)
  }

  #note<At>(node: SchemaNode<At>, { type, field = '', isJudged }: Way): void {
    if (!isJudged) return
    for (const keyword of unsaid)
      if (node.word(keyword) !== undefined) this.leftOut.push({ type, field, keyword })
    if (isUnsaidForm(node)) this.leftOut.push({ type, field, keyword: 'format' })
    const isMap = node.word('list-type') === 'map' && node.word('accept-duplicates') !== true
    if (isMap) this.leftOut.push({ type, field, keyword: 'list-map-keys' })
  }

  #freeName(name: string): string {
    let free = name
    for (let number = 2; this.definitions.has(free); number++) free = `${name}${number}`
    return free
  }
}

function below(field: string | undefined, name: string): string {
  return field === undefined || field === '' ? name : `${field}.${name}`
}

/** A required field that may be absent all the same has a default, or is judged as its zero value. */
function isNeeded<At>({
  isRequired,
  schema,
}: {
  readonly isRequired: boolean
  readonly schema: SchemaNode<At>
}): boolean {
  if (schema.keyword('default') !== undefined) return false
  // What is not written while it is empty may be absent, and is refused where it is there and empty.
  if (schema.word('missing') !== undefined) return isRequired || schema.word('zero') !== 'omit'
  if (!isRequired) return false
  if (!schema.dialect.absentIsZero || schema.word('zero') === 'tracked') return true
  const { minLength, minItems, enum: values } = schema.resolved()
  return minLength !== undefined || minItems !== undefined || values !== undefined
}

function acceptsNull<At>(node: SchemaNode<At>, { nullIsAbsent, isField }: Way): boolean {
  if (nullIsAbsent || isField === true) return true
  return node.keyword('nullable') === true || node.keyword('default') !== undefined
}

function typed<At>(type: string, node: SchemaNode<At>, way: Way): Json {
  return acceptsNull(node, way) ? [type, 'null'] : type
}

/** What is needed is not null. */
function withoutNull(schema: JsonObject): JsonObject {
  if (schema.allOf !== undefined)
    return { ...schema, allOf: [...(schema.allOf as Json[]), { not: { type: 'null' } }] }
  const { type, enum: values } = schema
  return {
    ...schema,
    ...(Array.isArray(type) && {
      type: type.length === 2 ? (type[0] as Json) : type.filter((one) => one !== 'null'),
    }),
    ...(Array.isArray(values) && { enum: values.filter((one) => one !== null) }),
  }
}

function listBounds<At>(node: SchemaNode<At>): JsonObject {
  const isSet = node.word('list-type') === 'set' && node.word('accept-duplicates') !== true
  const needed = node.word('missing') === undefined ? {} : { minItems: 1 }
  return { ...boundsOf(node), ...needed, ...(isSet && { uniqueItems: true }) }
}
