/**
 * A schema compiled into a reader of values. In one pass it prunes unknown fields, sets defaults, sorts properties and
 * validates (supplement C-06 to C-12). A value with errors stays in the result, so that reading it
 * again finds the same errors.
 */
import { constant } from '../../kernel/validation/struct-readers.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { Schema } from '../schema/schema.ts'
import type { Check } from './check.ts'
import { inOrder, valueCheck } from './checks.ts'
import { embeddedCheck, embeddedMetadata, type ReadMetadata } from './embedded.ts'
import { setOwnProperty, sortedKeys, sortKeysDeep } from './json-values.ts'
import { ReadContext } from './read-context.ts'
import { uniqueItemsCheck } from './unique-items.ts'

/** Reads the values of one node of a schema. */
export interface ValueReader {
  readonly nullable: boolean
  /** The default in canonical form; undefined if there is none. */
  readonly default: Json | undefined
  /** The work of setting the default in one more object. */
  readonly defaultCost: number
  readonly read: (value: Json, context: ReadContext) => Json
}

type ReadValue = ValueReader['read']

/**
 * Compiles a schema. Each node is compiled when it is first needed, because most nodes of a large
 * schema never are. Defaults are not checked here: the validation of the definition does.
 */
export function compileReader(schema: Schema, metadata: ReadMetadata): ValueReader {
  let compiled: ReadValue | undefined
  const read: ReadValue = (value, context) => {
    compiled ??= compileRead(schema, metadata)
    return compiled(value, context)
  }
  const { default: value } = schema
  const nullable = schema.nullable || schema.isOfDefault
  if (value === undefined) return { nullable, read, default: undefined, defaultCost: 0 }
  let canonical: Json | undefined
  let cost: number | undefined
  return {
    nullable,
    read,
    get default() {
      canonical ??= constant<Json>(read(value, discardingContext()))
      return canonical
    },
    get defaultCost() {
      cost ??= valueSize(this.default as Json)
      return cost
    },
  }
}

/**
 * The size of a value as work: one for each value in it, and one more for every 16 characters of a
 * string. Names of properties do not count. The result may have a fraction.
 */
export function valueSize(value: Json): number {
  if (typeof value === 'string') return 1 + value.length / 16
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((all: number, one) => all + valueSize(one as Json), 1)
}

/**
 * The structure is read before the checks run, so that they see defaults. Errors of the structure
 * and of the checks are dropped together if the value is the old one.
 */
function compileRead(schema: Schema, metadata: ReadMetadata): ReadValue {
  const readStructure = structureReader(schema, metadata)
  const check = ownCheck(schema)
  if (check === undefined) return readStructure
  return (value, context) => {
    const errors = context.errors.length
    const read = readStructure(value, context)
    check?.(read, context)
    context.dropIfUnchanged(errors, read)
    return read
  }
}

/** For reading defaults, whose errors the validation of the definition has told already. */
function discardingContext(): ReadContext {
  return new ReadContext({ errors: [], unknownFields: [] })
}

function ownCheck(schema: Schema): Check | undefined {
  const value = valueCheck(schema)
  const uniqueItems = uniqueItemsCheck(schema)
  return inOrder([
    ...(value ? [value] : []),
    ...(uniqueItems ? [uniqueItems] : []),
    ...(schema.embeddedResource ? [embeddedCheck] : []),
  ])
}

/** Reads the parts of a value, whatever its type: a scalar has no fields that could be kept. */
function structureReader(schema: Schema, metadata: ReadMetadata): ReadValue {
  let readObject: ReturnType<typeof objectReader> | undefined
  let readList: ReadValue | undefined
  return (value, context) => {
    if (isObject(value)) {
      readObject ??= objectReader(compileProperties(schema, metadata))
      return readObject(value, context)
    }
    if (!Array.isArray(value)) return value
    readList ??= listReader(schema, metadata)
    return readList(value, context)
  }
}

/**
 * A null item takes the default of items that are not nullable; without a default it stays null,
 * and the type check tells of it: dropping it would move the others.
 */
function listReader(schema: Schema, metadata: ReadMetadata): ReadValue {
  const { items } = schema
  if (items === undefined && schema.preserveUnknownFields) return (value) => sortKeysDeep(value)
  const reader = items === undefined ? readerOf(emptied) : compileReader(items, metadata)
  return (value, context) => {
    if (!Array.isArray(value)) return sortKeysDeep(value)
    const read: Json[] = []
    const { path } = context
    for (let index = 0; index < value.length; index++) {
      path.push(index)
      const item = value[index] as Json
      const isDefaulted = item === null && !reader.nullable
      read.push(reader.read(isDefaulted ? (reader.default ?? null) : item, context))
      path.pop()
    }
    return read
  }
}

/** Prunes what no schema describes: objects lose all their fields. */
function emptied(value: Json, context: ReadContext): Json {
  if (Array.isArray(value)) {
    return value.map((item, index) => {
      context.path.push(index)
      const kept = emptied(item as Json, context)
      context.path.pop()
      return kept
    })
  }
  if (!isObject(value)) return value
  for (const key of Object.keys(value)) context.addUnknownField(key)
  return {}
}

/** `additionalProperties` that is true or false declares any name, and nothing of the value below it. */
const emptiedReader: ValueReader = {
  nullable: true,
  read: emptied,
  default: undefined,
  defaultCost: 0,
}

/** The readers of an object's properties. */
export interface PropertyReaders {
  readonly named: ReadonlyMap<string, ValueReader>
  /** The names of properties with defaults, sorted. */
  readonly defaulted: readonly string[]
  /** The reader of other properties (`additionalProperties`). */
  readonly others: ValueReader | undefined
  /** True if other properties are kept without a schema. */
  readonly keepsOthers: boolean
}

/**
 * Compiles the property readers of an object schema. A name that is declared goes to its own reader
 * even where unknown fields are preserved, and prunes again below (C-07).
 */
export function compileProperties(schema: Schema, metadata: ReadMetadata): PropertyReaders {
  const { properties, additionalProperties, preserveUnknownFields, embeddedResource } = schema
  const named = new Map<string, ValueReader>()
  for (const [name, one] of properties) named.set(name, compileReader(one, metadata))
  if (embeddedResource) addEmbeddedProperties(named, schema, metadata)
  const undeclared = typeof additionalProperties === 'boolean' && !schema.isOfDefault
  const others =
    typeof additionalProperties === 'object'
      ? compileReader(additionalProperties, metadata)
      : undeclared
        ? emptiedReader
        : undefined
  return {
    named,
    defaulted: [...named.keys()].filter((name) => named.get(name)?.default !== undefined).sort(),
    others,
    keepsOthers: preserveUnknownFields,
  }
}

/**
 * Adds `apiVersion`, `kind` and `metadata`, which an embedded resource has without declaring them.
 * Metadata is always read as metadata, and what the schema declares of it can only restrict it; a
 * declared `apiVersion` or `kind` keeps its reader.
 */
function addEmbeddedProperties(
  named: Map<string, ValueReader>,
  { properties }: Schema,
  metadata: ReadMetadata,
): void {
  for (const name of ['apiVersion', 'kind']) {
    if (!named.has(name)) named.set(name, { ...readerOf(readTypeName), nullable: true })
  }
  const schema = properties.get('metadata')
  const check = schema && ownCheck(schema)
  const readMetadata: ReadValue = (value, context) => {
    if (!isObject(value)) {
      if (value === null) return {}
      context.refuseType(value, 'must be of type object', true)
      context.addInvalid(value, 'must be of type object', 'FieldValueTypeInvalid')
      return sortKeysDeep(value)
    }
    const read = embeddedMetadata(value, context, metadata)
    check?.(read, context)
    return read
  }
  named.set('metadata', { ...readerOf(readMetadata), nullable: true })
}

function readerOf(read: ReadValue): ValueReader {
  return { nullable: false, default: undefined, defaultCost: 0, read }
}

/** An `apiVersion` or `kind` is a text, and null is none. */
function readTypeName(value: Json, context: ReadContext): Json {
  if (typeof value !== 'string') context.refuseType(value, 'must be a string')
  return value
}

/** A reader of objects with these properties. The result has its properties sorted. */
export function objectReader(
  readers: PropertyReaders,
): (value: JsonObject, context: ReadContext) => JsonObject {
  const { defaulted } = readers
  return (value, context) => {
    const read: Record<string, Json> = {}
    const setsDefaults = context.spend(defaulted.length)
    for (const key of keysWithDefaults(value, setsDefaults ? defaulted : [])) {
      const given = Object.hasOwn(value, key) ? value[key] : undefined
      const property = readProperty(key, given, readers, context)
      if (property !== undefined) setOwnProperty(read, key, property)
    }
    return read
  }
}

/** Reads one property; undefined if it is pruned, or absent without a default. Null counts as absent unless nullable. */
function readProperty(
  key: string,
  given: Json | undefined,
  { named, others, keepsOthers }: PropertyReaders,
  context: ReadContext,
): Json | undefined {
  const reader = named.get(key) ?? others
  if (reader === undefined) {
    if (given === undefined) return undefined
    if (keepsOthers) return sortKeysDeep(given)
    context.addUnknownField(key)
    return undefined
  }
  if (given === undefined || (given === null && !reader.nullable)) {
    if (reader.default !== undefined)
      return context.spend(reader.defaultCost) ? reader.default : undefined
    if (given === undefined || !context.keepsNulls) return undefined
  }
  const isMapKey = reader === others
  if (isMapKey) context.mapKeys.push(context.path.length)
  context.path.push(key)
  const read = reader.read(given, context)
  context.path.pop()
  if (isMapKey) context.mapKeys.pop()
  return read
}

/**
 * The sorted keys of an object and of the defaults that it lacks. Keys whose value is null are
 * among the first; `readProperty` decides whether they are defaulted.
 */
function keysWithDefaults(value: JsonObject, defaulted: readonly string[]): readonly string[] {
  const keys = sortedKeys(value)
  const added =
    keys.length === 0 ? defaulted : defaulted.filter((key) => !Object.hasOwn(value, key))
  if (added.length === 0) return keys
  return keys.length === 0 ? added : merged(keys, added)
}

/** The keys of two sorted lists, sorted. */
function merged(a: readonly string[], b: readonly string[]): readonly string[] {
  const all: string[] = []
  let at = 0
  for (const key of b) {
    while (at < a.length && (a[at] as string) < key) all.push(a[at++] as string)
    all.push(key)
  }
  while (at < a.length) all.push(a[at++] as string)
  return all
}
