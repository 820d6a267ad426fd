/**
 * A schema compiled into closures that read a value: unknown fields go, absent ones get their defaults, properties stand in
 * order, and everything wrong is told, in one pass (supplement C-06 to C-12). What is refused stays in the value, so that a
 * second look finds the same.
 */

import { constant } from '../../kernel/validation/struct-readers.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { Schema } from '../schema/schema.ts'
import { type Check, typeCheck, valueChecks } from './checks.ts'
import { embeddedCheck, embeddedMetadata, type ReadMetadata } from './embedded.ts'
import { ReadContext, setOwnProperty, sortedKeys, sortKeysDeep } from './read-context.ts'
import { uniqueItemsCheck } from './unique-items.ts'

/** What a node of a schema does with a value. */
export interface ValueReader {
  readonly nullable: boolean
  /** In canonical form; undefined if there is none. */
  readonly default: Json | undefined
  /** The work of putting the default into one more object. */
  readonly defaultCost: number
  readonly read: (value: Json, walk: ReadContext) => Json
}

/**
 * Compiles a schema, each node when it is first needed: of a large one most is never looked at. A default that violates
 * its own schema is a matter of the definition's checks.
 */
export function compileReader(schema: Schema, metadata: ReadMetadata): ValueReader {
  let made: ReadValue | undefined
  const read: ReadValue = (value, walk) => {
    made ??= compileRead(schema, metadata)
    return made(value, walk)
  }
  const { nullable, default: given } = schema
  if (given === undefined) return { nullable, read, default: undefined, defaultCost: 0 }
  let known: Json | undefined
  let work: number | undefined
  return {
    nullable,
    read,
    get default() {
      known ??= constant<Json>(read(given, discardingContext()))
      return known
    },
    get defaultCost() {
      work ??= valueSize(this.default as Json)
      return work
    },
  }
}

/** How many values there are in one, long texts as several. */
export function valueSize(value: Json): number {
  if (typeof value === 'string') return 1 + value.length / 16
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((all: number, one) => all + valueSize(one as Json), 1)
}

function compileRead(schema: Schema, metadata: ReadMetadata): ReadValue {
  const structure = structureReader(schema, metadata)
  const checks = ownChecks(schema)
  const only = checks.length === 1 ? checks[0] : undefined
  if (checks.length === 0) return structure
  return (value, walk) => {
    const mark = walk.findings.length
    const out = structure(value, walk)
    if (only !== undefined) only(out, walk)
    else for (const check of checks) check(out, walk)
    walk.dropIfUnchanged(mark, out)
    return out
  }
}

function discardingContext(): ReadContext {
  return new ReadContext({ errors: [], unknownFields: [] })
}

function ownChecks(schema: Schema): readonly Check[] {
  const type = typeCheck(schema)
  const unique = uniqueItemsCheck(schema)
  return [
    ...(type ? [type] : []),
    ...valueChecks(schema),
    ...(unique ? [unique] : []),
    ...(schema.embeddedResource ? [embeddedCheck] : []),
  ]
}

type ReadValue = (value: Json, walk: ReadContext) => Json

function structureReader(schema: Schema, metadata: ReadMetadata): ReadValue {
  const { type } = schema
  if (type === 'array') return listReader(schema, metadata)
  if (type !== '' && type !== 'object') return (value) => sortKeysDeep(value)
  const object = objectReader(compileProperties(schema, metadata))
  const items = schema.items && listReader(schema, metadata)
  return (value, walk) => {
    if (isObject(value)) return object(value, walk)
    return items !== undefined && Array.isArray(value) ? items(value, walk) : sortKeysDeep(value)
  }
}

function listReader({ items }: Schema, metadata: ReadMetadata): ReadValue {
  const node = items && compileReader(items, metadata)
  if (node === undefined) return (value) => sortKeysDeep(value)
  return (value, walk) => {
    if (!Array.isArray(value)) return sortKeysDeep(value)
    const out: Json[] = []
    const { path } = walk
    for (let index = 0; index < value.length; index++) {
      path.push(index)
      const given = value[index] as Json
      const item = given === null && !node.nullable ? (node.default ?? null) : given
      out.push(node.read(item, walk))
      path.pop()
    }
    return out
  }
}

/** What becomes of the properties of an object. */
export interface PropertyReaders {
  readonly named: ReadonlyMap<string, ValueReader>
  /** Those that stand in a new object although nobody wrote them. */
  readonly defaulted: readonly string[]
  readonly others: ValueReader | undefined
  readonly keepsOthers: boolean
}

export function compileProperties(schema: Schema, metadata: ReadMetadata): PropertyReaders {
  const { properties, additionalProperties: more, preserveUnknownFields, embeddedResource } = schema
  const named = new Map<string, ValueReader>()
  for (const [name, one] of properties) named.set(name, compileReader(one, metadata))
  if (embeddedResource) addEmbeddedProperties(named, schema, metadata)
  return {
    named,
    defaulted: [...named.keys()].filter((name) => named.get(name)?.default !== undefined).sort(),
    others: typeof more === 'object' ? compileReader(more, metadata) : undefined,
    keepsOthers: preserveUnknownFields || more === true,
  }
}

/** The fields that every object has are there without being in the schema of an embedded one. */
function addEmbeddedProperties(
  named: Map<string, ValueReader>,
  { properties }: Schema,
  metadata: ReadMetadata,
): void {
  const text: ValueReader = {
    nullable: false,
    default: undefined,
    defaultCost: 0,
    read: (value) => value,
  }
  for (const name of ['apiVersion', 'kind']) if (!named.has(name)) named.set(name, text)
  const schema = properties.get('metadata')
  const checks = schema === undefined ? [] : ownChecks(schema)
  named.set('metadata', {
    nullable: false,
    default: undefined,
    defaultCost: 0,
    read(value, walk) {
      if (!isObject(value)) {
        walk.addInvalid(value, 'must be of type object', 'FieldValueTypeInvalid')
        return sortKeysDeep(value)
      }
      const out = embeddedMetadata(value, walk, metadata)
      for (const check of checks) check(out, walk)
      return out
    },
  })
}

/** Reads the properties of an object, in order. */
export function objectReader(
  properties: PropertyReaders,
): (value: JsonObject, walk: ReadContext) => JsonObject {
  const { defaulted } = properties
  return (value, walk) => {
    const out: Record<string, Json> = {}
    for (const key of keysWithDefaults(value, walk.spend(defaulted.length / 8) ? defaulted : [])) {
      readProperty(out, key, value, properties, walk)
    }
    return out
  }
}

function readProperty(
  out: Record<string, Json>,
  key: string,
  value: JsonObject,
  { named, others, keepsOthers }: PropertyReaders,
  walk: ReadContext,
): void {
  const given = Object.hasOwn(value, key) ? value[key] : undefined
  const node = named.get(key) ?? others
  if (node === undefined) {
    if (given === undefined) return
    if (keepsOthers) setOwnProperty(out, key, sortKeysDeep(given))
    else walk.addUnknownField(key)
    return
  }
  const absent = given === undefined || (given === null && !node.nullable)
  if (absent) {
    if (node.default !== undefined && walk.spend(node.defaultCost))
      setOwnProperty(out, key, node.default)
    return
  }
  walk.path.push(key)
  setOwnProperty(out, key, node.read(given, walk))
  walk.path.pop()
}

/** The keys of an object and those that defaults add to it, in order. */
function keysWithDefaults(value: JsonObject, defaulted: readonly string[]): readonly string[] {
  const keys = sortedKeys(value)
  const added = defaulted.filter((key) => !Object.hasOwn(value, key))
  return added.length === 0 ? keys : [...keys, ...added].sort()
}
