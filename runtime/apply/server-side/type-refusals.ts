/** Values of a wrong type in an applied configuration, in the words of the public library that merges them. */
import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { printElement } from '../field-set/path-element.ts'
import { goText } from '../patch/strategic-errors.ts'
import { fieldShape, itemElement, itemShape, listType, own } from '../typed/merge-shape.ts'

/** A value that is none of its field's type: a path such as `spec.items[0].name`, and the type in the words of JSON. */
export interface WrongType {
  readonly path: string
  readonly type: string
}

/** Why the configuration is none of its schema; undefined for a value that the library takes, or a path that it does not have. */
export function typeRefusal(
  config: JsonObject,
  merge: MergeStrategy | undefined,
  { path, type }: WrongType,
): string | undefined {
  const found = placeOf(config, merge, path)
  if (found === undefined) return undefined
  const { value, at, keyed } = found
  if (keyed !== undefined && type === 'object')
    return `${keyed.at}: element ${keyed.index}: associative list with keys may not have non-map elements`
  const why = refusal(value, type)
  return why && `${at}: ${why}`
}

function refusal(value: Json, type: string): string | undefined {
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
    case 'integer':
    case 'number':
      return numberRefusal(value)
    default:
      return undefined
  }
}

function numberRefusal(value: Json): string | undefined {
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
  if (Array.isArray(value))
    return `[]interface {}{${value.map((item: Json) => literal(item)).join(', ')}}`
  if (!isObject(value)) return String(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  const texts = entries.map(([name, item]) => `${JSON.stringify(name)}:${literal(item)}`)
  return `map[string]interface {}{${texts.join(', ')}}`
}

/** Where a value stands, as messages state it; `keyed` if it is an item of a list whose items have keys. */
interface Place {
  readonly value: Json
  readonly at: string
  readonly keyed?: { readonly at: string; readonly index: number }
}

function placeOf(
  config: JsonObject,
  root: MergeStrategy | undefined,
  path: string,
): Place | undefined {
  let place: Place = { value: config, at: '' }
  let merge = root
  for (const [step] of path.matchAll(/\[[^\]]*\]|[^.[\]]+/g)) {
    const { value, at } = place
    const name = step.startsWith('[') ? step.slice(1, -1) : step
    if (Array.isArray(value)) {
      const index = Number(name)
      const item = value[index] as Json | undefined
      if (item === undefined) return undefined
      place = itemPlace(item, index, at, merge)
      merge = itemShape(merge)
    } else {
      const inner = isObject(value) ? own(value, name) : undefined
      if (inner === undefined) return undefined
      place = { value: inner, at: `${at}.${name}` }
      merge = fieldShape(merge, name)
    }
  }
  return place
}

function itemPlace(item: Json, index: number, at: string, merge: MergeStrategy | undefined): Place {
  const plain = { value: item, at: `${at}[${index}]` }
  if (merge === undefined || listType(merge) !== 'map') return plain
  if (!isObject(item)) return { ...plain, keyed: { at, index } }
  return { value: item, at: `${at}${printElement(itemElement(item, merge))}` }
}
