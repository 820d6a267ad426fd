import type { FieldError } from '../../kernel/validation/field-error.ts'
import { forbidden, invalid, required, unsupported } from '../../kernel/validation/field-errors.ts'
import type { Schema } from './schema.ts'

/** The errors of a node's list type, map type and map keys (supplement C-12). `extension` is the prefix of extension keys. */
export function validateListTypes(schema: Schema, path: string, extension: string): FieldError[] {
  const { listType, mapType, type } = schema
  const errors: FieldError[] = []
  if (mapType !== undefined) {
    errors.push(...requireType(schema, path, 'object', `x-${extension}-map-type`))
    if (!['atomic', 'granular'].includes(mapType)) {
      errors.push(unsupported(`${path}.x-${extension}-map-type`, mapType, ['atomic', 'granular']))
    }
  }
  if (listType !== undefined) {
    errors.push(...requireType(schema, path, 'array', `x-${extension}-list-type`))
    if (type === 'array' && listType === 'set') errors.push(...validateSet(schema, path, extension))
    if (!['atomic', 'map', 'set'].includes(listType)) {
      const at = `${path}.x-${extension}-list-type`
      errors.push(unsupported(at, listType, ['atomic', 'set', 'map']))
    }
  }
  errors.push(...validateMapKeysUse(schema, path, extension))
  if (listType === 'map') errors.push(...validateMapList(schema, path, extension))
  return [...errors, ...validateItems(schema, path, extension)]
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
    return [...errors, invalid(`${path}.items.type`, items.type, reason)]
  }
  const seen = new Set<string>()
  for (const key of listMapKeys) {
    errors.push(...validateMapKey(items, listMapKeys, key, path, extension))
    if (seen.has(key)) {
      errors.push(invalid(keysAt, listMapKeys, 'must not contain duplicate entries'))
    }
    seen.add(key)
  }
  return errors
}

/** A key is a scalar that every item has. The type that is shown is that of the item, as release 1.29 has it. */
function validateMapKey(
  items: Schema,
  keys: readonly string[],
  key: string,
  path: string,
  extension: string,
): readonly FieldError[] {
  const schema = items.properties.get(key)
  if (schema === undefined) {
    const reason = 'entries must all be names of item properties'
    return [invalid(`${path}.x-${extension}-list-map-keys`, keys, reason)]
  }
  if (schema.type !== 'array' && schema.type !== 'object') return []
  const reason = `must be a scalar type if parent array's x-${extension}-list-type is map`
  return [invalid(`${path}.items.properties[${key}].type`, items.type, reason)]
}

/** Items of a set are compared as a whole, so that they have to be scalars or atomic. */
function validateSet({ items }: Schema, path: string, extension: string): FieldError[] {
  if (items === undefined) return []
  const reason = `must be atomic as item of a list with x-${extension}-list-type=set`
  const shown = items.listType ?? 'null'
  if (items.type === 'object' && items.mapType !== 'atomic') {
    return [invalid(`${path}.items.x-${extension}-map-type`, shown, reason)]
  }
  if (items.type === 'array' && items.listType !== undefined && items.listType !== 'atomic') {
    return [invalid(`${path}.items.x-${extension}-list-type`, shown, reason)]
  }
  return []
}

/** Items of sets and maps are never null; keys of maps are there, or have a default. */
function validateItems(
  { listType, listMapKeys, items }: Schema,
  path: string,
  extension: string,
): FieldError[] {
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return []
  const errors: FieldError[] = []
  if (items.nullable) {
    const reason = `cannot be nullable when x-${extension}-list-type is ${listType}`
    errors.push(forbidden(`${path}.items.nullable`, reason))
  }
  if (listType === 'set') return errors
  const isRequired = new Set(items.required)
  const why = `this property is in x-${extension}-list-map-keys, so it`
  for (const key of listMapKeys) {
    const schema = items.properties.get(key)
    if (schema === undefined) continue
    const at = `${path}.items.properties[${key}]`
    if (!isRequired.has(key) && schema.default === undefined) {
      errors.push(required(`${at}.default`, `${why} must have a default or be a required property`))
    }
    if (schema.nullable) errors.push(forbidden(`${at}.nullable`, `${why} cannot be nullable`))
  }
  return errors
}
