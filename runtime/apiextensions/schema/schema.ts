/** Schemas of definitions, parsed: extension keys without their prefix, and every keyword present. */

import type { Steps } from '../../kernel/async/slices.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'

/** One node of a schema. Keywords that the document does not have are undefined or empty. */
export interface Schema {
  /** The node as it is in the document. */
  readonly raw: JsonObject
  /** Empty if there is none. */
  readonly type: string
  readonly format: string
  readonly nullable: boolean
  readonly default: Json | undefined
  readonly enum: readonly Json[]
  readonly required: readonly string[]
  readonly properties: ReadonlyMap<string, Schema>
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

/** Parses a node and everything below it. Extension keys begin with `x-<extension>-`. Yields one step for each node. */
export function* parseSchema(raw: JsonObject, extension: string): Steps<Schema> {
  const words = extensionKeys(extension)
  const { additionalProperties: more } = raw
  yield 1
  return {
    raw,
    type: text(raw.type) ?? '',
    format: text(raw.format) ?? '',
    nullable: raw.nullable === true,
    default: raw.default === null ? undefined : raw.default,
    enum: list(raw.enum),
    required: texts(raw.required),
    properties: yield* parseProperties(raw.properties, extension),
    additionalProperties: typeof more === 'boolean' ? more : yield* parseChild(more, extension),
    items: yield* parseChild(raw.items, extension),
    allOf: yield* parseChildren(raw.allOf, extension),
    anyOf: yield* parseChildren(raw.anyOf, extension),
    oneOf: yield* parseChildren(raw.oneOf, extension),
    not: yield* parseChild(raw.not, extension),
    pattern: text(raw.pattern) ?? '',
    preserveUnknownFields: raw[words.preserve] === true,
    embeddedResource: raw[words.embedded] === true,
    intOrString: raw[words.intOrString] === true,
    listType: text(raw[words.listType]),
    listMapKeys: texts(raw[words.listMapKeys]),
    mapType: text(raw[words.mapType]),
    validations: list(raw[words.validations]),
  }
}

function* parseChild(value: Json | undefined, extension: string): Steps<Schema | undefined> {
  return isObject(value) ? yield* parseSchema(value, extension) : undefined
}

function* parseChildren(value: Json | undefined, extension: string): Steps<readonly Schema[]> {
  if (value === undefined) return nothing
  const found: Schema[] = []
  for (const one of list(value)) if (isObject(one)) found.push(yield* parseSchema(one, extension))
  return found
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

function* parseProperties(
  value: Json | undefined,
  extension: string,
): Steps<ReadonlyMap<string, Schema>> {
  if (!isObject(value)) return none
  const found = new Map<string, Schema>()
  for (const name of Object.keys(value)) {
    const one = value[name]
    if (isObject(one)) found.set(name, yield* parseSchema(one, extension))
  }
  return found.size === 0 ? none : found
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
