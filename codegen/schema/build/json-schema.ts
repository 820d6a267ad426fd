/** One JSON Schema of a schema file, its keywords read once into typed data. */

import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import type { Report } from '../finding.ts'
import type { Marker } from '../ir.ts'
import { schemaKeywords } from '../keys/file-keys.ts'
import type { ValueType } from '../keys/shape.ts'
import type { NumberBounds, StringBounds } from '../named-type.ts'
import type { Position } from '../position.ts'
import {
  type Entry,
  entries,
  get,
  items,
  plain,
  text,
  texts,
  typeName,
  type YamlNode,
} from '../yaml/node.ts'
import { hintForKeyword } from './known-elsewhere.ts'
import { checkValue } from './mapping-shape.ts'
import { keywordPrefix } from './markers.ts'

/** How a schema is used by the one around it. */
export type SchemaContext = 'definition' | 'field' | 'items' | 'values' | 'inline' | 'member'

/** A schema. A keyword that is absent, or whose value is of the wrong type, is not there. */
export interface Schema {
  readonly at: Position
  readonly context: SchemaContext
  readonly description: string
  /** `$ref`. */
  readonly ref?: Located<string>
  readonly type?: Located<string>
  readonly format?: Located<string>
  readonly properties?: readonly Property[]
  readonly required: readonly Located<string>[]
  readonly items?: Schema
  readonly values?: Schema
  /** `allOf`: structs whose fields are the schema's own. */
  readonly inline: readonly Schema[]
  /** The members of a union. */
  readonly oneOf: readonly Schema[]
  readonly enum?: readonly string[]
  readonly default?: Located<unknown>
  /** Bounds of a text, those of numbers and lists in the next two: only one of the three applies. */
  readonly string: StringBounds
  readonly number: NumberBounds
  readonly list: { readonly minItems?: number; readonly maxItems?: number }
  /** Vendor keywords by their name without prefix. */
  readonly markers: ReadonlyMap<string, LocatedMarker>
}

/** A value with its position; `keyAt` is the position of its key. */
export interface Located<T> {
  readonly value: T
  readonly at: Position
  readonly keyAt: Position
}

/** The value of a marker, with its node for positions inside the value. */
export interface LocatedMarker extends Located<unknown> {
  readonly node: YamlNode
}

/** A property of a struct. */
export interface Property {
  readonly name: string
  readonly at: Position
  readonly schema: Schema
}

/** The types of the values of vendor keywords, as `markers.yaml` names them. */
const valueTypes: Readonly<Record<Marker['value'], ValueType>> = {
  string: 'string',
  strings: 'strings',
  boolean: 'boolean',
  integer: 'integer',
  list: 'list',
  object: 'mapping',
}

/** The type of the value of a keyword of JSON Schema; undefined for another key. */
function keywordType(key: string): ValueType | undefined {
  return Object.hasOwn(schemaKeywords, key) ? (schemaKeywords[key]?.type as ValueType) : undefined
}

/**
 * A reader of schemas that knows these markers. Unknown keywords and values of the wrong type are findings and left
 * out.
 */
export function schemaReader(
  markers: readonly Marker[],
  report: Report,
): (node: YamlNode, context: SchemaContext) => Schema {
  const reader = new SchemaReader(markers, report)
  return (node, context) => reader.read(node, context)
}

/**
 * Reads a schema and all schemas in it. Findings stand at the key for unknown keywords, at the
 * value for values of the wrong type.
 */
class SchemaReader {
  readonly #report: Report
  readonly #markers: ReadonlyMap<string, Marker>
  readonly #known: readonly string[]

  constructor(markers: readonly Marker[], report: Report) {
    this.#report = report
    this.#markers = new Map(markers.map((marker) => [keywordPrefix + marker.keyword, marker]))
    this.#known = [...Object.keys(schemaKeywords), ...this.#markers.keys()]
  }

  read(node: YamlNode, context: SchemaContext): Schema {
    if (node.is !== 'map') {
      this.#report(node.at, 'wrong-value', `a schema must be a mapping, not ${typeName(node)}`)
      return emptySchema(node, context)
    }
    const accepted = entries(node).filter((entry) => this.#accepts(entry))
    const found = new Map(accepted.map((each) => [each.key, each]))
    return defined({
      at: node.at,
      context,
      ...this.#children(found),
      ...valuesOf(found),
      markers: this.#markersOf(accepted),
    })
  }

  /** Whether an entry has a known keyword and a value of the right type; the rest is reported. */
  #accepts({ key, keyAt, value }: Entry): boolean {
    const marker = this.#markers.get(key)
    const type = marker === undefined ? keywordType(key) : valueTypes[marker.value]
    if (type === undefined) {
      const near = hintForKeyword(key, this.#known) || didYouMean(key, this.#known)
      this.#report(keyAt, 'unknown-keyword', `"${key}" is not a keyword of a schema${near}`)
      return false
    }
    if (!checkValue(value, `"${key}"`, type, this.#report)) return false
    return this.#isAllowed(key, value, marker)
  }

  /** Whether a marker with a list of values has one of them. */
  #isAllowed(key: string, value: YamlNode, marker: Marker | undefined): boolean {
    const word = text(value)
    if (marker?.values === undefined || word === undefined) return true
    if (marker.values.includes(word)) return true
    const wanted = marker.values.map((each) => `"${each}"`).join(', ')
    const message = `"${key}" must be one of ${wanted}, not "${word}"`
    this.#report(value.at, 'marker-value', message + didYouMean(word, marker.values))
    return false
  }

  /** The schemas below. */
  #children(found: ReadonlyMap<string, Entry>) {
    const nodeAt = (key: string) => found.get(key)?.value
    const child = (key: string, context: SchemaContext) => {
      const node = nodeAt(key)
      return node && this.read(node, context)
    }
    return {
      properties: found.has('properties')
        ? entries(nodeAt('properties')).map((each) => ({
            name: each.key,
            at: each.keyAt,
            schema: this.read(each.value, 'field'),
          }))
        : undefined,
      items: child('items', 'items'),
      values: child('additionalProperties', 'values'),
      inline: items(nodeAt('allOf')).map((each) => this.read(each, 'inline')),
      oneOf: items(nodeAt('oneOf')).map((each) => this.read(each, 'member')),
    }
  }

  /** Markers are kept by their keyword without prefix: `list-type` of `x-orch-list-type`. */
  #markersOf(accepted: readonly Entry[]): Schema['markers'] {
    return new Map(
      accepted
        .filter(({ key }) => this.#markers.has(key))
        .map((each) => [
          each.key.slice(keywordPrefix.length),
          { ...locatedValue(each), node: each.value },
        ]),
    )
  }
}

/** The keywords of JSON Schema that hold no schemas. */
function valuesOf(found: ReadonlyMap<string, Entry>) {
  const nodeAt = (key: string) => found.get(key)?.value
  const valueAt = (key: string) => {
    const entry = found.get(key)
    return entry && locatedValue(entry)
  }
  return {
    description: text(nodeAt('description')) ?? '',
    ref: valueAt('$ref') as Located<string> | undefined,
    type: valueAt('type') as Located<string> | undefined,
    format: valueAt('format') as Located<string> | undefined,
    required: items(nodeAt('required')).map((each) => ({
      value: text(each) ?? '',
      at: each.at,
      keyAt: each.at,
    })),
    enum: found.has('enum') ? texts(nodeAt('enum')) : undefined,
    default: valueAt('default'),
    string: pick(found, ['minLength', 'maxLength', 'pattern']),
    number: pick(found, ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']),
    list: pick(found, ['minItems', 'maxItems']),
  }
}

/** What a node that is no mapping is read as: with a type, so that no further finding asks for one. */
function emptySchema({ at }: YamlNode, place: SchemaContext): Schema {
  const type = { value: 'string', at, keyAt: at }
  const empty = {
    description: '',
    required: [],
    inline: [],
    oneOf: [],
    string: {},
    number: {},
    list: {},
  }
  return { at, context: place, type, ...empty, markers: new Map() }
}

/** The value of a marker on a schema; its type is what `markers.yaml` says. */
export function marker<T>(schema: Schema, keyword: string): T | undefined {
  return schema.markers.get(keyword)?.value as T | undefined
}

/** The value as plain data; its position is that of the value, not of its key. */
function locatedValue({ value, keyAt }: Entry): Located<unknown> {
  return { value: plain(value), at: value.at, keyAt }
}

/** Those of the named keywords that are there, as plain values. */
function pick(found: ReadonlyMap<string, Entry>, names: readonly string[]): object {
  return Object.fromEntries(
    names.flatMap((name) => {
      const entry = found.get(name)
      return entry === undefined ? [] : [[name, plain(entry.value)]]
    }),
  )
}

/** The value without its undefined properties. */
function defined<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  const given: Partial<T> = {}
  for (const key of Object.keys(value) as (keyof T)[]) {
    const part = value[key]
    if (part !== undefined) given[key] = part
  }
  return given as T
}

/** The node of a definition's `x-orch-kind`, for positions in it. */
export function kindBlock(definition: YamlNode): YamlNode | undefined {
  return get(definition, `${keywordPrefix}kind`)
}

/**
 * Calls `visit` for a schema and for every schema inside it, the outer one first.
 * References are not followed, so the walk ends.
 */
export function walkSchema(schema: Schema, visit: (schema: Schema) => void): void {
  visit(schema)
  const { properties, items, values, inline, oneOf } = schema
  if (properties !== undefined) for (const each of properties) walkSchema(each.schema, visit)
  if (items !== undefined) walkSchema(items, visit)
  if (values !== undefined) walkSchema(values, visit)
  for (const each of inline) walkSchema(each, visit)
  for (const each of oneOf) walkSchema(each, visit)
}

/**
 * True for a schema that declares fields.
 * In a definition, a bare `type: object` is a struct without fields; in a field it is a map that
 * lacks the type of its values.
 */
export function isStruct(schema: Schema): boolean {
  if (schema.properties !== undefined || schema.inline.length > 0) return true
  const bare = schema.values === undefined && schema.ref === undefined && schema.oneOf.length === 0
  return bare && schema.type?.value === 'object' && schema.context === 'definition'
}
