/**
 * A schema compiled into closures that read a value: unknown fields go, absent ones get their defaults, properties stand in
 * order, and everything wrong is told, in one pass (supplement C-06 to C-12). What is refused stays in the value, so that a
 * second look finds the same.
 */
import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import { constant } from '../kernel/reading.ts'
import { type Check, checksOf, typeCheck } from './checks.ts'
import { embeddedCheck, embeddedMetadata, type ReadMetadata } from './embedded.ts'
import { uniquenessCheck } from './lists.ts'
import type { Schema } from './schema.ts'
import { ordered, put, sortedKeys, Walk } from './walk.ts'

/** What a node of a schema does with a value. */
export interface Node {
  readonly nullable: boolean
  /** In canonical form; undefined if there is none. */
  readonly default: Json | undefined
  /** The work of putting the default into one more object. */
  readonly work: number
  readonly read: (value: Json, walk: Walk) => Json
}

/**
 * Compiles a schema, each node when it is first needed: of a large one most is never looked at. A default that violates
 * its own schema is a matter of the definition's checks.
 */
export function nodeOf(schema: Schema, metadata: ReadMetadata): Node {
  let made: Structure | undefined
  const read: Structure = (value, walk) => {
    made ??= readOf(schema, metadata)
    return made(value, walk)
  }
  const { nullable, default: given } = schema
  if (given === undefined) return { nullable, read, default: undefined, work: 0 }
  let known: Json | undefined
  let work: number | undefined
  return {
    nullable,
    read,
    get default() {
      known ??= constant<Json>(read(given, idle()))
      return known
    },
    get work() {
      work ??= sizeOf(this.default as Json)
      return work
    },
  }
}

/** How many values there are in one, long texts as several. */
export function sizeOf(value: Json): number {
  if (typeof value === 'string') return 1 + value.length / 16
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((all: number, one) => all + sizeOf(one as Json), 1)
}

function readOf(schema: Schema, metadata: ReadMetadata): Structure {
  const structure = structureOf(schema, metadata)
  const checks = ownChecks(schema)
  const only = checks.length === 1 ? checks[0] : undefined
  if (checks.length === 0) return structure
  return (value, walk) => {
    const mark = walk.findings.length
    const out = structure(value, walk)
    if (only !== undefined) only(out, walk)
    else for (const check of checks) check(out, walk)
    walk.forgive(mark, out)
    return out
  }
}

function idle(): Walk {
  return new Walk({ findings: [], unknown: [] })
}

function ownChecks(schema: Schema): readonly Check[] {
  const type = typeCheck(schema)
  const unique = uniquenessCheck(schema)
  return [
    ...(type ? [type] : []),
    ...checksOf(schema),
    ...(unique ? [unique] : []),
    ...(schema.embeddedResource ? [embeddedCheck] : []),
  ]
}

type Structure = (value: Json, walk: Walk) => Json

function structureOf(schema: Schema, metadata: ReadMetadata): Structure {
  const { type } = schema
  if (type === 'array') return listOf(schema, metadata)
  if (type !== '' && type !== 'object') return (value) => ordered(value)
  const object = objectOf(propertiesOf(schema, metadata))
  const items = schema.items && listOf(schema, metadata)
  return (value, walk) => {
    if (isObject(value)) return object(value, walk)
    return items !== undefined && Array.isArray(value) ? items(value, walk) : ordered(value)
  }
}

function listOf({ items }: Schema, metadata: ReadMetadata): Structure {
  const node = items && nodeOf(items, metadata)
  if (node === undefined) return (value) => ordered(value)
  return (value, walk) => {
    if (!Array.isArray(value)) return ordered(value)
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
export interface Properties {
  readonly named: ReadonlyMap<string, Node>
  /** Those that stand in a new object although nobody wrote them. */
  readonly defaulted: readonly string[]
  readonly others: Node | undefined
  readonly keepsOthers: boolean
}

export function propertiesOf(schema: Schema, metadata: ReadMetadata): Properties {
  const { properties, additionalProperties: more, preserveUnknownFields, embeddedResource } = schema
  const named = new Map<string, Node>()
  for (const [name, one] of properties) named.set(name, nodeOf(one, metadata))
  if (embeddedResource) embed(named, schema, metadata)
  return {
    named,
    defaulted: [...named.keys()].filter((name) => named.get(name)?.default !== undefined).sort(),
    others: typeof more === 'object' ? nodeOf(more, metadata) : undefined,
    keepsOthers: preserveUnknownFields || more === true,
  }
}

/** The fields that every object has are there without being in the schema of an embedded one. */
function embed(named: Map<string, Node>, { properties }: Schema, metadata: ReadMetadata): void {
  const text: Node = { nullable: false, default: undefined, work: 0, read: (value) => value }
  for (const name of ['apiVersion', 'kind']) if (!named.has(name)) named.set(name, text)
  const schema = properties.get('metadata')
  const checks = schema === undefined ? [] : ownChecks(schema)
  named.set('metadata', {
    nullable: false,
    default: undefined,
    work: 0,
    read(value, walk) {
      if (!isObject(value)) {
        walk.wrong(value, 'must be of type object', 'FieldValueTypeInvalid')
        return ordered(value)
      }
      const out = embeddedMetadata(value, walk, metadata)
      for (const check of checks) check(out, walk)
      return out
    },
  })
}

/** Reads the properties of an object, in order. */
export function objectOf(properties: Properties): (value: JsonObject, walk: Walk) => JsonObject {
  const { defaulted } = properties
  return (value, walk) => {
    const out: Record<string, Json> = {}
    for (const key of keysOf(value, walk.may(defaulted.length / 8) ? defaulted : [])) {
      readProperty(out, key, value, properties, walk)
    }
    return out
  }
}

function readProperty(
  out: Record<string, Json>,
  key: string,
  value: JsonObject,
  { named, others, keepsOthers }: Properties,
  walk: Walk,
): void {
  const given = Object.hasOwn(value, key) ? value[key] : undefined
  const node = named.get(key) ?? others
  if (node === undefined) {
    if (given === undefined) return
    if (keepsOthers) put(out, key, ordered(given))
    else walk.strange(key)
    return
  }
  const absent = given === undefined || (given === null && !node.nullable)
  if (absent) {
    if (node.default !== undefined && walk.may(node.work)) put(out, key, node.default)
    return
  }
  walk.path.push(key)
  put(out, key, node.read(given, walk))
  walk.path.pop()
}

/** The keys of an object and those that defaults add to it, in order. */
function keysOf(value: JsonObject, defaulted: readonly string[]): readonly string[] {
  const keys = sortedKeys(value)
  const added = defaulted.filter((key) => !Object.hasOwn(value, key))
  return added.length === 0 ? keys : [...keys, ...added].sort()
}
