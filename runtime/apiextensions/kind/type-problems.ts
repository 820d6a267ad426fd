/**
 * What keeps the fields of a custom object from being managed, in the words of the public library that merges objects: values of
 * another type than the schema says, fields that it does not declare, items that cannot be told apart.
 */
import {
  fieldElement,
  keyElement,
  printElement,
  readerProblems,
  typeMismatch,
  unidentifiedItem,
  valueElement,
} from '../../apply/apply.ts'
import type { CustomResourceFacts, MergeStrategy } from '../../kernel/descriptors/kind.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { ReadMetadata } from '../reader/embedded.ts'
import { childSchemas, type Schema } from '../schema/schema.ts'

/** How metadata is read and merged, whatever a schema says of it. */
export interface MetadataFacts {
  readonly readMetadata: ReadMetadata
  readonly metadataMerge: MergeStrategy | undefined
}

/** The most problems that are found in one object. */
const maxProblems = 100

/**
 * The problems of the objects of a schema, each beginning with its path. A field that is not declared ends the look at the object
 * that it stands in, and an item that cannot be identified the look at its list.
 */
export function typeProblemsOf(
  schema: Schema,
  metadata: MetadataFacts,
): CustomResourceFacts['typeProblems'] {
  let isUnmergeable: boolean | undefined
  return (object, { repeats = false, valid = false } = {}) => {
    if (valid) {
      isUnmergeable ??= hasSetsOfParts(schema)
      if (!isUnmergeable) return []
    }
    const walk = new Walk(metadata, repeats)
    walk.fields(object, schema, schema.preserveUnknownFields, true)
    return walk.problems
  }
}

/** True if a set holds objects or lists: such a set can be stored, but not merged. */
function hasSetsOfParts(schema: Schema): boolean {
  const { listType, items } = schema
  if (listType === 'set' && (items?.type === 'object' || items?.type === 'array')) return true
  return childSchemas(schema).some((child) => hasSetsOfParts(child.schema))
}

/** One look at an object. */
class Walk {
  readonly problems: string[] = []
  readonly #metadata: MetadataFacts
  readonly #repeats: boolean
  /** The elements of the path to the current value. */
  readonly #path: string[] = []

  constructor(metadata: MetadataFacts, repeats: boolean) {
    this.#metadata = metadata
    this.#repeats = repeats
  }

  /** Looks at a value; `keeps` is true below a schema that keeps what it does not declare. */
  value(value: Json, schema: Schema, above: boolean): void {
    if (value === null || this.problems.length >= maxProblems) return
    const keeps = above || schema.preserveUnknownFields
    const type = mergedType(schema)
    const why = typeMismatch(value, type)
    if (why !== undefined) this.#add(`: ${why}`)
    else if (isObject(value)) this.fields(value, schema, keeps, schema.embeddedResource)
    else if (Array.isArray(value)) this.#items(value as readonly Json[], schema, keeps)
  }

  /** Looks at the fields of an object. Where it is one of the API, its metadata is that of all objects. */
  fields(object: JsonObject, schema: Schema, keeps: boolean, isApiObject: boolean): void {
    for (const name of Object.keys(object)) {
      const value = object[name]
      if (value === undefined) continue
      if (isApiObject && this.#isOfApi(name, value)) continue
      const declared = schema.property(name) ?? schema.additionalProperties
      if (typeof declared === 'object') this.#below(fieldElement(name), value, declared, keeps)
      else if (declared !== true && !keeps && (isApiObject || schema.properties.size > 0)) {
        this.#add(`.${name}: field not declared in schema`)
        return
      }
    }
  }

  /** Looks at what every object of the API has; false for another field. */
  #isOfApi(name: string, value: Json): boolean {
    if (name === 'apiVersion' || name === 'kind') {
      const why = value === null ? undefined : typeMismatch(value, 'string')
      if (why !== undefined) this.#add(`.${name}: ${why}`)
      return true
    }
    if (name !== 'metadata') return false
    this.#metadataProblems(value)
    return true
  }

  #metadataProblems(metadata: Json): void {
    if (metadata === null) return
    const { readMetadata, metadataMerge } = this.#metadata
    const report = createReport()
    readMetadata(metadata, report)
    const merge = metadataMerge && { fields: { metadata: metadataMerge } }
    for (const problem of readerProblems({ metadata }, merge, report)) this.#add(problem)
  }

  #items(list: readonly Json[], schema: Schema, keeps: boolean): void {
    const { items, listType } = schema
    const keys = listType === 'map' ? schema.listMapKeys : undefined
    const identified = keys !== undefined || listType === 'set'
    const seen = new Set<string>()
    for (const [index, item] of list.entries()) {
      const default_ = (key: string): Json | undefined => items?.property(key)?.default
      const why = identified ? unidentifiedItem(item, keys, default_) : undefined
      if (why !== undefined) {
        this.#add(`: element ${index}: ${why}`)
        return
      }
      const element = identified ? elementOf(item, keys, default_) : `i:${index}`
      if (identified && seen.has(element) && !this.#repeats) {
        this.#add(`: duplicate entries for key ${printElement(element)}`)
      }
      seen.add(element)
      if (items !== undefined) this.#below(element, item, items, keeps)
    }
  }

  #below(element: string, value: Json, schema: Schema, keeps: boolean): void {
    this.#path.push(element)
    this.value(value, schema, keeps)
    this.#path.pop()
  }

  #add(problem: string): void {
    if (this.problems.length >= maxProblems) return
    this.problems.push(this.#path.map(printElement).join('') + problem)
  }
}

/** The type by which a value merges: a text of a known form may be any scalar, and without a type everything fits. */
function mergedType({ type, format }: Schema): string {
  return type === 'string' && format !== '' && format !== 'byte' ? 'scalar' : type
}

function elementOf(
  item: Json,
  keys: readonly string[] | undefined,
  defaultOf: (key: string) => Json | undefined,
): string {
  if (keys === undefined || !isObject(item)) return valueElement(item)
  const values = [...keys].sort().map((key): [string, Json] => {
    const own = Object.hasOwn(item, key) ? item[key] : undefined
    return [key, own ?? defaultOf(key) ?? null]
  })
  return keyElement(values)
}
