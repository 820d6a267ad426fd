import type { DescribedKey, DescribedShape } from '../../codegen/schema/keys/shape.ts'
import type { Table } from './tables.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** The JSON Schema for editors, as text. The first table is that of a whole file. */
export function printSchema(tables: readonly Table[]): string {
  const definitions = tables.map((table) => [nameOf(table.title), schemaOf(table)] as const)
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A schema file of orch',
    $ref: referenceTo(tables[0]?.title ?? ''),
    definitions: Object.fromEntries(definitions),
  }
  return `${JSON.stringify(schema, undefined, 1)}\n`
}

function schemaOf({ about, shapes }: Table): JsonSchema {
  const [first, ...others] = shapes.map(objectOf)
  return others.length === 0
    ? { description: about, ...first }
    : { description: about, anyOf: [first, ...others] }
}

function objectOf(shape: DescribedShape): JsonSchema {
  const keys = Object.entries(shape)
  const required = keys.filter(([, { type }]) => type.endsWith('!')).map(([name]) => name)
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(keys.map(([name, key]) => [name, schemaOfValue(key)])),
    ...(required.length > 0 && { required }),
  }
}

function schemaOfValue({ type, about, values, otherwise, parts }: DescribedKey): JsonSchema {
  const description = otherwise === undefined ? about : `${about} Without it: ${otherwise}.`
  if (parts !== undefined) return { description, ...partsOf(parts) }
  const word = type.replace('!', '')
  const one = values === undefined ? { type: 'string' } : { type: 'string', enum: values }
  if (word === 'strings') return { description, type: 'array', items: one }
  if (word === 'string') return { description, ...one }
  if (word === 'any') return { description }
  return { description, type: { list: 'array', mapping: 'object' }[word] ?? word }
}

function partsOf({ of, table }: NonNullable<DescribedKey['parts']>): JsonSchema {
  const each = { $ref: referenceTo(table) }
  if (of === 'items') return { type: 'array', items: each }
  return of === 'values' ? { type: 'object', additionalProperties: each } : { allOf: [each] }
}

function nameOf(title: string): string {
  return title.replace(/^A /, '').replaceAll(' ', '-')
}

function referenceTo(title: string): string {
  return `#/definitions/${nameOf(title)}`
}
