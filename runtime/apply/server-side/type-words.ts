/** Values of a wrong type, in the words of the public library that merges configurations. */
import { isObject, type Json } from '../../kernel/values/json.ts'
import { goNumber, goText } from '../patch/strategic-errors.ts'

/** A type of values as schemas name them; `scalar` is any of the scalars. */
export type ValueType =
  | 'array'
  | 'boolean'
  | 'integer'
  | 'map'
  | 'number'
  | 'object'
  | 'scalar'
  | 'string'

/** Why the value is none of the type; undefined if it is one, or if the type is none of schemas. */
export function typeMismatch(value: Json, type: ValueType | string): string | undefined {
  switch (type) {
    case 'object':
    case 'map':
      return isObject(value) ? undefined : `expected map, got &{${goText(value)}}`
    case 'array':
      return Array.isArray(value) ? undefined : `expected list, got &{${goText(value)}}`
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goText(value)}}`
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${literal(value)}}`
    case 'scalar':
      return typeof value === 'object' && value !== null
        ? `expected any scalar, got &{${goText(value)}}`
        : undefined
    case 'integer':
    case 'number':
      return numberMismatch(value)
    default:
      return undefined
  }
}

function numberMismatch(value: Json): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return undefined
  const found = Array.isArray(value)
    ? '[]interface {}'
    : isObject(value)
      ? 'map[string]interface {}'
      : typeof value === 'boolean'
        ? 'bool'
        : 'string'
  return `expected numeric (int or float), got ${found}`
}

/** A value as a literal of Go. */
function literal(value: Json | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)'
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number' || typeof value === 'bigint') return goNumber(value)
  if (Array.isArray(value))
    return `[]interface {}{${value.map((item: Json) => literal(item)).join(', ')}}`
  if (!isObject(value)) return String(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  const texts = entries.map(([name, item]) => `${JSON.stringify(name)}:${literal(item)}`)
  return `map[string]interface {}{${texts.join(', ')}}`
}
