import type { FieldError } from '../../kernel/validation/field-error.ts'
import { forbidden, invalid, required, unsupported } from '../../kernel/validation/field-errors.ts'
import type { Schema } from './schema.ts'

/** The errors of a node's list type, map type and map keys (supplement C-12). `extension` is the prefix of extension keys. */
export function validateListTypes(schema: Schema, path: string, extension: string): FieldError[] {
  const { listType, mapType } = schema
  const errors = [...validateMapKeysUse(schema, path, extension)]
  if (listType !== undefined) {
    errors.push(...requireType(schema, path, 'array', `x-${extension}-list-type`))
    if (!['atomic', 'map', 'set'].includes(listType)) {
      errors.push(
        unsupported(`${path}.x-${extension}-list-type`, listType, ['atomic', 'map', 'set']),
      )
    }
  }
  if (mapType !== undefined) {
    errors.push(...requireType(schema, path, 'object', `x-${extension}-map-type`))
    if (!['atomic', 'granular'].includes(mapType)) {
      errors.push(unsupported(`${path}.x-${extension}-map-type`, mapType, ['atomic', 'granular']))
    }
  }
  if (listType === 'map') errors.push(...validateMapList(schema, path, extension))
  if (listType === 'set') errors.push(...validateSetList(schema, path, extension))
  return errors
}

function requireType(
  { type }: Schema,
  path: string,
  expected: string,
  keyword: string,
): readonly FieldError[] {
  if (type === expected) return []
  const reason = `must be ${expected} if ${keyword} is specified`
  return [type === '' ? required(`${path}.type`, reason) : invalid(`${path}.type`, type, reason)]
}

function validateMapKeysUse({ listType, listMapKeys }: Schema, path: string, extension: string) {
  if (listMapKeys.length === 0 || listType === 'map') return []
  const at = `${path}.x-${extension}-list-type`
  const reason = `must be map if x-${extension}-list-map-keys is non-empty`
  return [listType === undefined ? required(at, reason) : invalid(at, listType, reason)]
}

const scalars = ['boolean', 'integer', 'number', 'string']

/** Items of a map list are objects with their keys. */
function validateMapList(
  { items, listMapKeys }: Schema,
  path: string,
  extension: string,
): FieldError[] {
  const errors: FieldError[] = []
  const keysAt = `${path}.x-${extension}-list-map-keys`
  const list = `x-${extension}-list-type`
  if (listMapKeys.length === 0) {
    errors.push(required(keysAt, `must not be empty if ${list} is map`))
  }
  if (items === undefined) {
    return [...errors, required(`${path}.items`, `must have a schema if ${list} is map`)]
  }
  if (items.type !== 'object') {
    const reason = `must be object if parent array's ${list} is map`
    errors.push(invalid(`${path}.items.type`, items.type, reason))
  }
  if (items.nullable) {
    const reason = `cannot be nullable when ${list} is map`
    errors.push(forbidden(`${path}.items.nullable`, reason))
  }
  if (new Set(listMapKeys).size !== listMapKeys.length) {
    errors.push(invalid(keysAt, listMapKeys, 'must not contain duplicate entries'))
  }
  for (const key of new Set(listMapKeys))
    errors.push(...validateMapKey(items, key, path, extension))
  return errors
}

/** A key is a scalar that every item has: required, or with a default. */
function validateMapKey(
  items: Schema,
  key: string,
  path: string,
  extension: string,
): readonly FieldError[] {
  const schema = items.properties.get(key)
  const at = `${path}.items.properties[${key}]`
  if (schema === undefined) {
    const reason = 'entries must all be names of item properties'
    return [invalid(`${path}.x-${extension}-list-map-keys`, key, reason)]
  }
  const errors: FieldError[] = []
  if (!scalars.includes(schema.type) && !schema.intOrString) {
    const reason = `must be a scalar type if parent array's x-${extension}-list-type is map`
    errors.push(invalid(`${at}.type`, schema.type, reason))
  }
  if (schema.nullable) {
    const reason = `cannot be nullable if the property is in x-${extension}-list-map-keys`
    errors.push(forbidden(`${at}.nullable`, reason))
  }
  if (schema.default === undefined && !items.required.includes(key)) {
    const reason = `this property is in x-${extension}-list-map-keys, so it must have a default or be a required property`
    errors.push(required(`${at}.default`, reason))
  }
  return errors
}

/** Items of a set are compared as a whole, so that they have to be scalars or atomic. */
function validateSetList({ items }: Schema, path: string, extension: string): FieldError[] {
  if (items === undefined) return []
  const reason = `as item of a list with x-${extension}-list-type=set`
  const errors: FieldError[] = []
  if (items.nullable) {
    const must = `cannot be nullable when x-${extension}-list-type is set`
    errors.push(forbidden(`${path}.items.nullable`, must))
  }
  if (items.type === 'object' && items.mapType !== 'atomic') {
    const at = `${path}.items.x-${extension}-map-type`
    errors.push(invalid(at, items.mapType ?? null, `must be atomic ${reason}`))
  }
  if (items.type === 'array' && items.listType !== undefined && items.listType !== 'atomic') {
    const at = `${path}.items.x-${extension}-list-type`
    errors.push(invalid(at, items.listType, `must be atomic ${reason}`))
  }
  return errors
}
