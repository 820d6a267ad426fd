/** The schema of a kind that a definition among the documents makes. */
import { followPath, type LocatedValue, type TextRange } from '../../serializer/serializer.ts'
import { jsonSchema } from './json-schema.ts'
import type { NamedSchema } from './placed-schema.ts'
import type { FieldSchema, ValueSchema } from './value-schema.ts'

/** The document of a definition. */
export interface DefinitionDocument {
  readonly file: string
  readonly root: LocatedValue<TextRange>
}

/** The schema of a version; `metadata` is what every object has. Undefined for a version that the document does not have. */
export function definedSchema(
  document: DefinitionDocument,
  version: string,
  metadata: FieldSchema | undefined,
): ValueSchema | undefined {
  const found = statedSchema(document, version)
  if (found === undefined) return undefined
  const own = jsonSchema(found.node, found.dialect)
  const isImplied = ({ name }: FieldSchema) => ['apiVersion', 'kind', 'metadata'].includes(name)
  const fields = own.fields.filter((one) => !isImplied(one))
  return withFields(own, metadata === undefined ? fields : [metadata, ...fields])
}

/** The schema of a version as the document states it. */
export function statedSchema(
  { file, root }: DefinitionDocument,
  version: string,
): NamedSchema<TextRange> | undefined {
  const versions = followPath(root, 'spec.versions').node
  const items = versions.is === 'list' ? versions.items : []
  const found = items.find((one) => {
    const name = followPath(one, 'name').node
    return name.is === 'scalar' && name.value === version
  })
  const schema = found && followPath(found, 'schema.openAPIV3Schema')
  if (schema === undefined || !schema.complete) return undefined
  const { node } = schema
  const dialect = {
    prefix: prefixIn(node),
    place: ({ line }: TextRange) => ({ file, path: file, line }),
    resolve: () => undefined,
  }
  return { name: version, node, at: node.at, dialect }
}

/** The schema with other fields. */
function withFields(schema: ValueSchema, fields: readonly FieldSchema[]): ValueSchema {
  const { type, description, place, rules, isDeprecated } = schema
  return {
    ...{ shape: 'object', type, description, place, rules, isDeprecated, fields },
    ...{
      default: undefined,
      gate: undefined,
      since: undefined,
      typePlace: undefined,
      part: undefined,
    },
    ...{ values: [], isOpen: true, constraints: [] },
  }
}

/** What the vendor keywords of a schema begin with: `x-orch-`, or that of the public ecosystem. */
function prefixIn(node: LocatedValue<TextRange>): string {
  if (node.is === 'list') return node.items.map(prefixIn).find((one) => one !== '') ?? ''
  if (node.is !== 'map') return ''
  for (const { key, value } of node.entries) {
    const [prefix] = /^x-[a-z]+-/.exec(key) ?? []
    const found = prefix ?? prefixIn(value)
    if (found !== '') return found
  }
  return ''
}
