/** Schemas of definitions, parsed: extension keys without their prefix, and every keyword present. */

import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'

/** One node of a schema. Keywords that the document does not have are undefined or empty. */
export interface Schema {
  /** The node as it is in the document. */
  readonly raw: JsonObject
  /** Empty if there is none. */
  readonly type: string
  readonly format: string
  /** True for the schema of a default, whose value is judged as it is: nothing is pruned, and no null left out. */
  readonly isOfDefault: boolean
  readonly nullable: boolean
  readonly default: Json | undefined
  readonly enum: readonly Json[]
  readonly required: readonly string[]
  readonly properties: ReadonlyMap<string, Schema>
  /** The schema of one property, without a look at the others. */
  property(name: string): Schema | undefined
  readonly additionalProperties: Schema | boolean | undefined
  readonly items: Schema | undefined
  readonly allOf: readonly Schema[]
  readonly anyOf: readonly Schema[]
  readonly oneOf: readonly Schema[]
  readonly not: Schema | undefined
  readonly pattern: string
  readonly preserveUnknownFields: boolean
  readonly embeddedResource: boolean
  readonly intOrString: boolean
  readonly listType: string | undefined
  readonly listMapKeys: readonly string[]
  readonly mapType: string | undefined
  /** Validation rules in CEL, as they are in the document. */
  readonly validations: readonly Json[]
}

/**
 * A node and everything below it, looked at where it is: nothing of it is copied, so that a schema that
 * is kept costs no more than its document. Extension keys begin with `x-<extension>-`.
 */
export function schemaOf(raw: JsonObject, extension: string): Schema {
  return new SchemaNode(raw, extensionKeys(extension))
}

/**
 * The schema as that by which a default is judged, which is as it is written: nothing in it is pruned or set, and formats without a
 * check count when its types are judged.
 */
export function schemaOfDefault({ raw }: Schema, extension: string): Schema {
  return new SchemaNode(raw, { ...extensionKeys(extension), ofDefault: true })
}

/** The same node with other values of some keywords. */
export function changedSchema(schema: Schema, changes: Partial<Schema>): Schema {
  const values = Object.entries(changes).map(([key, value]) => [key, { value }] as const)
  return Object.create(schema, Object.fromEntries(values)) as Schema
}

class SchemaNode implements Schema {
  readonly raw: JsonObject
  readonly words: ExtensionKeys

  constructor(raw: JsonObject, words: ExtensionKeys) {
    this.raw = raw
    this.words = words
  }

  get type(): string {
    return text(this.raw.type) ?? ''
  }

  get format(): string {
    return text(this.raw.format) ?? ''
  }

  get isOfDefault(): boolean {
    return this.words.ofDefault
  }

  get nullable(): boolean {
    return this.raw.nullable === true
  }

  get default(): Json | undefined {
    return this.raw.default === null || this.isOfDefault ? undefined : this.raw.default
  }

  get enum(): readonly Json[] {
    return list(this.raw.enum)
  }

  get required(): readonly string[] {
    return texts(this.raw.required)
  }

  get properties(): ReadonlyMap<string, Schema> {
    const { properties } = this.raw
    if (!isObject(properties)) return none
    const found = new Map<string, Schema>()
    for (const name of Object.keys(properties)) {
      const one = this.child(properties[name])
      if (one !== undefined) found.set(name, one)
    }
    return found
  }

  property(name: string): Schema | undefined {
    const { properties } = this.raw
    return isObject(properties) && Object.hasOwn(properties, name)
      ? this.child(properties[name])
      : undefined
  }

  get additionalProperties(): Schema | boolean | undefined {
    const { additionalProperties: more } = this.raw
    return typeof more === 'boolean' ? more : this.child(more)
  }

  get items(): Schema | undefined {
    return this.child(this.raw.items)
  }

  get allOf(): readonly Schema[] {
    return this.children(this.raw.allOf)
  }

  get anyOf(): readonly Schema[] {
    return this.children(this.raw.anyOf)
  }

  get oneOf(): readonly Schema[] {
    return this.children(this.raw.oneOf)
  }

  get not(): Schema | undefined {
    return this.child(this.raw.not)
  }

  get pattern(): string {
    return text(this.raw.pattern) ?? ''
  }

  get preserveUnknownFields(): boolean {
    return this.raw[this.words.preserve] === true || this.isOfDefault
  }

  get embeddedResource(): boolean {
    return this.raw[this.words.embedded] === true
  }

  get intOrString(): boolean {
    return this.raw[this.words.intOrString] === true
  }

  get listType(): string | undefined {
    return text(this.raw[this.words.listType])
  }

  get listMapKeys(): readonly string[] {
    return texts(this.raw[this.words.listMapKeys])
  }

  get mapType(): string | undefined {
    return text(this.raw[this.words.mapType])
  }

  get validations(): readonly Json[] {
    return list(this.raw[this.words.validations])
  }

  child(value: Json | undefined): Schema | undefined {
    return isObject(value) ? new SchemaNode(value, this.words) : undefined
  }

  children(value: Json | undefined): readonly Schema[] {
    if (value === undefined) return nothing
    return list(value).flatMap((one) => this.child(one) ?? nothing)
  }
}

/** Bound on the errors of one schema. */
export const maxSchemaErrors = 10_000

/** A child of a node, and its step in paths: `properties[spec]`, `anyOf[0]`. */
export interface ChildSchema {
  readonly step: string
  readonly schema: Schema
}

/** The children of a node, alternatives included. */
export function childSchemas(schema: Schema): ChildSchema[] {
  const { items, additionalProperties: more } = schema
  const found: ChildSchema[] = []
  if (typeof more === 'object') found.push({ step: 'additionalProperties', schema: more })
  for (const [name, one] of schema.properties) {
    found.push({ step: `properties[${name}]`, schema: one })
  }
  for (const one of alternativeSchemas(schema)) found.push(one)
  if (items) found.push({ step: 'items', schema: items })
  return found
}

/** The schemas in `allOf`, `anyOf`, `oneOf` and `not` of a node. */
export function alternativeSchemas(schema: Schema): readonly ChildSchema[] {
  const found: ChildSchema[] = []
  for (const word of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, one] of schema[word].entries()) {
      found.push({ step: `${word}[${index}]`, schema: one })
    }
  }
  if (schema.not) found.push({ step: 'not', schema: schema.not })
  return found
}

interface ExtensionKeys {
  readonly ofDefault: boolean
  readonly preserve: string
  readonly embedded: string
  readonly intOrString: string
  readonly listType: string
  readonly listMapKeys: string
  readonly mapType: string
  readonly validations: string
}

const known = new Map<string, ExtensionKeys>()

/** The extension keys of a prefix, created once for each. */
function extensionKeys(extension: string): ExtensionKeys {
  const before = known.get(extension)
  if (before !== undefined) return before
  const word = (name: string): string => `x-${extension}-${name}`
  const words = {
    ofDefault: false,
    preserve: word('preserve-unknown-fields'),
    embedded: word('embedded-resource'),
    intOrString: word('int-or-string'),
    listType: word('list-type'),
    listMapKeys: word('list-map-keys'),
    mapType: word('map-type'),
    validations: word('validations'),
  }
  known.set(extension, words)
  return words
}

const none: ReadonlyMap<string, Schema> = new Map()
const nothing: readonly never[] = []

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : nothing
}

function texts(value: Json | undefined): readonly string[] {
  return value === undefined ? nothing : list(value).filter((one) => typeof one === 'string')
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
