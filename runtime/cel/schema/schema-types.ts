/**
 * Types of schema nodes (the table of api-server.md section 2). A node that rules may not see (without a type, or a
 * list or map of such nodes) has none. Values are read lazily: a date-time stays text until an expression uses it as a
 * timestamp.
 */
import { escapeName } from '../syntax/escape.ts'
import {
  type Bounds,
  boolType,
  bytesType,
  type Declared,
  doubleType,
  durationType,
  dynType,
  type Field,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  type Type,
  timestampType,
} from '../types/types.ts'
import type { Result } from '../values/values.ts'
import { resourceRoot } from './resource-root.ts'
import type { SchemaNode } from './schema-node.ts'
import { readerOf } from './value-readers.ts'

/** The type of a node, with what cost estimates need in addition. */
export interface SchemaType extends Declared<Result> {
  readonly bounds: Bounds
  /** The size of the smallest value as JSON, in bytes. */
  readonly minSize: number
}

/** The largest request, in bytes (3 MiB): it bounds whatever a schema does not. */
export const requestSize = 3 * 1024 * 1024

/**
 * The type of a node; undefined if rules may not see it. `root`: the node is the root of a resource. Object types are
 * named after their path, which begins with `name`.
 */
export function schemaType(node: SchemaNode, name: string, root = false): SchemaType | undefined {
  return new SchemaTypes().typeOf(node, name, root)
}

/** One conversion. A node that is being converted further up is not entered again. */
class SchemaTypes {
  readonly #open = new Set<SchemaNode | string>()
  readonly #named = new Map<string, SchemaType>()

  typeOf(
    node: SchemaNode,
    path: string,
    root: boolean = node.embeddedResource,
  ): SchemaType | undefined {
    const key = node.name ?? node
    if (node.intOrString) return scalar(node, dynType, textSize(node), 1)
    const name = node.name ?? path
    const known = node.name === undefined ? undefined : this.#named.get(name)
    if (known !== undefined) return known
    if (this.#open.has(key)) return undefined
    this.#open.add(key)
    try {
      const found = this.#convert(root ? resourceRoot(node) : node, name)
      if (found !== undefined && node.name !== undefined) this.#named.set(name, found)
      return found
    } finally {
      this.#open.delete(key)
    }
  }

  /** An object with `additionalProperties` is a map, even if it has `properties` too. */
  #convert(node: SchemaNode, name: string): SchemaType | undefined {
    switch (node.type) {
      case 'object':
        return node.additionalProperties === undefined
          ? this.#object(node, name)
          : this.#map(node, node.additionalProperties, name)
      case 'array':
        return node.items && this.#list(node, node.items, name)
      case 'string':
        return textType(node)
      case 'boolean':
        return scalar(node, boolType, 0, 4)
      case 'integer':
        return scalar(node, intType, 0, 1)
      case 'number':
        return scalar(node, doubleType, 0, 1)
      default:
        return undefined
    }
  }

  #list(node: SchemaNode, items: SchemaNode, name: string): SchemaType | undefined {
    const item = this.typeOf(items, `${name}.@idx`)
    if (item === undefined) return undefined
    return {
      type: listType(item.type),
      read: readerOf(node, { element: item.read }),
      bounds: lazyBounds(item, node.maxItems, 1),
      minSize: 2,
    }
  }

  #map(node: SchemaNode, values: SchemaNode, name: string): SchemaType | undefined {
    const value = this.typeOf(values, `${name}.@elem`)
    if (value === undefined) return undefined
    return {
      type: mapType(stringType, value.type),
      read: readerOf(node, { element: value.read }),
      bounds: lazyBounds(value, node.maxProperties, 6, { key: { size: 0 } }),
      minSize: 2,
    }
  }

  #object(node: SchemaNode, name: string): SchemaType {
    const properties = node.properties ?? new Map<string, SchemaNode>()
    const type = objectType(name, () =>
      [...properties].flatMap(([property, child]) => this.#field(property, child, name)),
    )
    const minSize = lazy(() => this.#objectSize(node, properties, name), 2)
    return {
      type,
      read: readerOf(node, { object: type }),
      bounds: { size: 0, field: (field) => type.field(field)?.bounds },
      get minSize() {
        return minSize()
      },
    }
  }

  /**
   * No field for a name that cannot be escaped, or whose schema rules may not see: an expression
   * that names it does not compile.
   */
  #field(property: string, child: SchemaNode, name: string): readonly Field[] {
    const escaped = escapeName(property)
    const found = escaped === undefined ? undefined : this.typeOf(child, `${name}.${escaped}`)
    if (escaped === undefined || found === undefined) return []
    const { type, read, bounds } = found
    return [{ type, read, bounds, name: escaped, property }]
  }

  /** The braces, and each required property that has no default. */
  #objectSize(node: SchemaNode, properties: ReadonlyMap<string, SchemaNode>, name: string): number {
    let size = 2
    for (const property of node.required) {
      const child = properties.get(property)
      if (child === undefined || child.hasDefault) continue
      const found = this.typeOf(child, `${name}.${property}`)
      if (found !== undefined) size += Buffer.byteLength(property) + found.minSize + 4
    }
    return size
  }
}

/** The number of members: the schema's limit, or as many of the smallest as a request can hold. */
function lazyBounds(
  member: SchemaType,
  most: number | undefined,
  around: number,
  more: Pick<Bounds, 'key'> = {},
): Bounds {
  return {
    get size() {
      return most ?? Math.floor((requestSize - 2) / (member.minSize + around))
    },
    element: member.bounds,
    ...more,
  }
}

/** Computes on first use. `inside` is the result for a use within its own computation. */
function lazy(compute: () => number, inside: number): () => number {
  let known: number | undefined
  return () => {
    if (known === undefined) {
      known = inside
      known = compute()
    }
    return known
  }
}

/** A value without parts: `size` is what comparing it looks at. */
function scalar(node: SchemaNode, type: Type, size: number, minSize: number): SchemaType {
  return { type, read: readerOf(node, {}), bounds: { size }, minSize }
}

/**
 * Sizes are the longest text of each format, in characters, and the shortest as JSON, in bytes:
 * `"2024-02-29"` takes 12.
 */
function textType(node: SchemaNode): SchemaType {
  switch (node.format) {
    case 'byte':
      return scalar(node, bytesType, node.maxLength ?? requestSize - 2, 2)
    case 'duration':
      return scalar(node, durationType, 32, 3)
    case 'date':
      return scalar(node, timestampType, 12, 12)
    case 'date-time':
    case 'datetime':
      return scalar(node, timestampType, 32, 21)
    default:
      return scalar(node, stringType, textSize(node), 2)
  }
}

/** The longest text in bytes: a character takes up to four, and an enumeration is as long as its longest value. */
function textSize(node: SchemaNode): number {
  if (node.maxLength !== undefined) return node.maxLength * 4
  if (node.enum === undefined || node.intOrString) return requestSize - 2
  return Math.max(...node.enum.map((one) => (typeof one === 'string' ? one.length : 0)))
}
