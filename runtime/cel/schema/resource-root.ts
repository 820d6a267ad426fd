/** The schema of a resource's root, as rules see it. */
import type { SchemaNode } from './schema-node.ts'

const text = leaf('string')
const metadata: SchemaNode = {
  ...leaf('object'),
  properties: new Map([
    ['name', text],
    ['generateName', text],
  ]),
}

/** A node without limits, rules or children. */
function leaf(type: string): SchemaNode {
  return {
    type,
    format: '',
    nullable: false,
    intOrString: false,
    embeddedResource: false,
    preserveUnknownFields: false,
    listMapKeys: [],
    hasDefault: false,
    required: new Set(),
    validations: [],
    properties: undefined,
    additionalProperties: undefined,
    items: undefined,
  }
}

const rooted = new WeakMap<SchemaNode, SchemaNode>()

/**
 * The node as the root of a resource: rules see `apiVersion`, `kind`, `metadata.name` and `metadata.generateName`, and
 * nothing else of the metadata. The result is cached for each node.
 */
export function resourceRoot(node: SchemaNode): SchemaNode {
  const known = rooted.get(node)
  if (known !== undefined) return known
  const properties = new Map(node.properties)
  properties.set('apiVersion', text).set('kind', text).set('metadata', metadata)
  const root = withProperties(node, properties)
  rooted.set(node, root)
  return root
}

/**
 * Copied member by member, because nodes over JSON have getters, which a spread would not take
 * along.
 */
function withProperties(node: SchemaNode, properties: ReadonlyMap<string, SchemaNode>): SchemaNode {
  const { listType, mapType, maxLength, maxItems, maxProperties } = node
  return {
    ...leaf('object'),
    ...(node.name === undefined ? {} : { name: node.name }),
    ...(listType === undefined ? {} : { listType }),
    ...(mapType === undefined ? {} : { mapType }),
    maxLength,
    maxItems,
    maxProperties,
    nullable: node.nullable,
    embeddedResource: node.embeddedResource,
    preserveUnknownFields: node.preserveUnknownFields,
    hasDefault: node.hasDefault,
    required: node.required,
    validations: node.validations,
    properties,
  }
}
