/** Values of a wrong type in an applied configuration, in the words of the public library that merges them. */
import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { printElement } from '../field-set/path-element.ts'
import { fieldShape, itemElement, itemShape, listType, own } from '../typed/merge-shape.ts'
import { typeMismatch } from './type-words.ts'

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
  const why = typeMismatch(value, type)
  return why && `${at}: ${why}`
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
