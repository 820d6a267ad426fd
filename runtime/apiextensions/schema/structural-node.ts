import type { FieldError } from '../../kernel/validation/field-error.ts'
import { forbidden, invalid, required } from '../../kernel/validation/field-errors.ts'
import type { Schema } from './schema.ts'

/** Where a node stands: at the root, as the items of a list, or as a field of an object. */
export type Level = 'root' | 'item' | 'field'

/** The errors of one node of the structure, without its children and alternatives. */
export function validateNode(
  schema: Schema,
  level: Level,
  path: string,
  extension: string,
): readonly FieldError[] {
  const errors: FieldError[] = []
  if (schema.type === 'array' && schema.items === undefined) {
    errors.push(required(`${path}.items`, 'must be specified'))
  }
  if (schema.additionalProperties !== undefined && level === 'root') {
    errors.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'))
  }
  if (schema.intOrString) errors.push(...validateIntOrString(schema, path, extension))
  errors.push(...validateType(schema, level, path, extension))
  if (schema.embeddedResource) errors.push(...validateEmbedded(schema, path, extension))
  if (level === 'root' || schema.embeddedResource) {
    errors.push(...validateObjectFields(schema, level, path))
  }
  return errors
}

function validateIntOrString(schema: Schema, path: string, extension: string): FieldError[] {
  const reason = `must be false if x-${extension}-int-or-string is true`
  const errors: FieldError[] = []
  if (schema.preserveUnknownFields) {
    errors.push(invalid(`${path}.x-${extension}-preserve-unknown-fields`, true, reason))
  }
  if (schema.embeddedResource) {
    errors.push(invalid(`${path}.x-${extension}-embedded-resource`, true, reason))
  }
  return errors
}

const emptyType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function validateType(
  { type, embeddedResource, intOrString, preserveUnknownFields }: Schema,
  level: Level,
  nodePath: string,
  extension: string,
): readonly FieldError[] {
  const path = `${nodePath}.type`
  const errors: FieldError[] = []
  if (embeddedResource && type !== 'object') {
    const reason = `must be object if x-${extension}-embedded-resource is true`
    errors.push(type === '' ? required(path, reason) : invalid(path, type, reason))
  } else if (type === '' && !intOrString && !preserveUnknownFields) {
    errors.push(required(path, emptyType[level]))
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalid(path, type, 'must be object at the root'))
  }
  return errors
}

function validateEmbedded(schema: Schema, path: string, extension: string): FieldError[] {
  const { additionalProperties, preserveUnknownFields, properties } = schema
  const errors: FieldError[] = []
  if (additionalProperties !== undefined) {
    const reason = `must not be used if x-${extension}-embedded-resource is set`
    errors.push(forbidden(`${path}.additionalProperties`, reason))
  }
  if (!preserveUnknownFields && properties.size === 0) {
    const reason = `must not be empty if x-${extension}-embedded-resource is true without x-${extension}-preserve-unknown-fields`
    errors.push(required(`${path}.properties`, reason))
  }
  return errors
}

/** A schema may declare `kind`, `apiVersion` and `metadata`, but at the root restrict nothing but the name. */
function validateObjectFields({ properties }: Schema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['kind', 'apiVersion']) {
    const field = properties.get(name)
    if (field === undefined || field.type === 'string') continue
    errors.push(invalid(`${path}.properties[${name}].type`, field.type, 'must be string'))
  }
  const metadata = properties.get('metadata')
  if (metadata === undefined) return errors
  const metadataPath = `${path}.properties[metadata]`
  if (metadata.type !== 'object') {
    errors.push(invalid(`${metadataPath}.type`, metadata.type, 'must be object'))
  }
  if (level === 'root' && restrictsMoreThanNames(metadata)) {
    const reason =
      'must not specify anything other than name and generateName, but metadata is implicitly specified'
    errors.push(forbidden(metadataPath, reason))
  }
  return errors
}

/** The keywords of metadata at the root that are judged elsewhere. */
const ownWords: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'default',
  'dependencies',
  'example',
  'externalDocs',
])

/** Descriptions are allowed if they are empty, as clients with typed structs send them. */
function restrictsMoreThanNames({ raw, properties }: Schema): boolean {
  const keywords = Object.keys(raw).filter((one) => !ownWords.has(one))
  const fields = [...properties.keys()].filter((one) => one !== 'name' && one !== 'generateName')
  const hasKeyword = keywords.some((one) => one !== 'description' || raw[one] !== '')
  return hasKeyword || fields.length > 0
}
