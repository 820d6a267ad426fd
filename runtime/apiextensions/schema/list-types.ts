import type { FieldError } from '../../kernel/validation/field-error.ts'
import { forbidden, invalid, required, unsupported } from '../../kernel/validation/field-errors.ts'
import type { Schema } from './schema.ts'

/** What is wrong with how a node says that it merges: list types, map types and the keys of lists (C-12). */
export function validateListTypes(schema: Schema, place: string, x: string): FieldError[] {
  const { listType, mapType } = schema
  const found = [...validateMapKeysUse(schema, place, x)]
  if (listType !== undefined) {
    found.push(...requireType(schema, place, 'array', `x-${x}-list-type`))
    if (!['atomic', 'map', 'set'].includes(listType)) {
      found.push(unsupported(`${place}.x-${x}-list-type`, listType, ['atomic', 'map', 'set']))
    }
  }
  if (mapType !== undefined) {
    found.push(...requireType(schema, place, 'object', `x-${x}-map-type`))
    if (!['atomic', 'granular'].includes(mapType)) {
      found.push(unsupported(`${place}.x-${x}-map-type`, mapType, ['atomic', 'granular']))
    }
  }
  if (listType === 'map') found.push(...validateMapList(schema, place, x))
  if (listType === 'set') found.push(...validateSetList(schema, place, x))
  return found
}

function requireType(
  { type }: Schema,
  place: string,
  want: string,
  word: string,
): readonly FieldError[] {
  if (type === want) return []
  const why = `must be ${want} if ${word} is specified`
  return [type === '' ? required(`${place}.type`, why) : invalid(`${place}.type`, type, why)]
}

function validateMapKeysUse({ listType, listMapKeys }: Schema, place: string, x: string) {
  if (listMapKeys.length === 0 || listType === 'map') return []
  const at = `${place}.x-${x}-list-type`
  const why = `must be map if x-${x}-list-map-keys is non-empty`
  return [listType === undefined ? required(at, why) : invalid(at, listType, why)]
}

const scalars = ['boolean', 'integer', 'number', 'string']

function validateMapList({ items, listMapKeys }: Schema, place: string, x: string): FieldError[] {
  const found: FieldError[] = []
  const keysAt = `${place}.x-${x}-list-map-keys`
  const list = `x-${x}-list-type`
  if (listMapKeys.length === 0) {
    found.push(required(keysAt, `must not be empty if ${list} is map`))
  }
  if (items === undefined) {
    return [...found, required(`${place}.items`, `must have a schema if ${list} is map`)]
  }
  if (items.type !== 'object') {
    const why = `must be object if parent array's ${list} is map`
    found.push(invalid(`${place}.items.type`, items.type, why))
  }
  if (items.nullable) {
    const why = `cannot be nullable when ${list} is map`
    found.push(forbidden(`${place}.items.nullable`, why))
  }
  if (new Set(listMapKeys).size !== listMapKeys.length) {
    found.push(invalid(keysAt, listMapKeys, 'must not contain duplicate entries'))
  }
  for (const key of new Set(listMapKeys)) found.push(...validateMapKey(items, key, place, x))
  return found
}

function validateMapKey(
  items: Schema,
  key: string,
  place: string,
  x: string,
): readonly FieldError[] {
  const schema = items.properties.get(key)
  const at = `${place}.items.properties[${key}]`
  if (schema === undefined) {
    const why = 'entries must all be names of item properties'
    return [invalid(`${place}.x-${x}-list-map-keys`, key, why)]
  }
  const found: FieldError[] = []
  if (!scalars.includes(schema.type) && !schema.intOrString) {
    const why = `must be a scalar type if parent array's x-${x}-list-type is map`
    found.push(invalid(`${at}.type`, schema.type, why))
  }
  if (schema.nullable) {
    const why = `cannot be nullable if the property is in x-${x}-list-map-keys`
    found.push(forbidden(`${at}.nullable`, why))
  }
  if (schema.default === undefined && !items.required.includes(key)) {
    const why = `this property is in x-${x}-list-map-keys, so it must have a default or be a required property`
    found.push(required(`${at}.default`, why))
  }
  return found
}

function validateSetList({ items }: Schema, place: string, x: string): FieldError[] {
  if (items === undefined) return []
  const why = `as item of a list with x-${x}-list-type=set`
  const found: FieldError[] = []
  if (items.nullable) {
    const must = `cannot be nullable when x-${x}-list-type is set`
    found.push(forbidden(`${place}.items.nullable`, must))
  }
  if (items.type === 'object' && items.mapType !== 'atomic') {
    const at = `${place}.items.x-${x}-map-type`
    found.push(invalid(at, items.mapType ?? null, `must be atomic ${why}`))
  }
  if (items.type === 'array' && items.listType !== undefined && items.listType !== 'atomic') {
    const at = `${place}.items.x-${x}-list-type`
    found.push(invalid(at, items.listType, `must be atomic ${why}`))
  }
  return found
}
