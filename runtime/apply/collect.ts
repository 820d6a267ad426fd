/** The fields that a value holds, as sets. */
import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import type { Merge } from '../kernel/kind.ts'
import { fieldElement, itself, printElement as printItem } from './elements.ts'
import { type FieldSet, isEmpty, leaf, nodeOf } from './field-set.ts'
import {
  fieldShape,
  formOf,
  indexItems,
  isNestedMap,
  itemShape,
  keyValue,
  listKeys,
  listType,
  Repeated,
} from './shape.ts'

type Growing = Record<string, FieldSet>

/** Every field of a value, the ones in between included: what comes into being, or goes, with it. */
export function everyField(value: Json, merge: Merge | undefined): FieldSet {
  const form = formOf(value, merge)
  if (form === 'leaf') return leaf
  const parts: Growing = {}
  if (form === 'object') {
    for (const [name, part] of Object.entries(value as JsonObject)) {
      if (part !== undefined) parts[fieldElement(name)] = everyField(part, fieldShape(merge, name))
    }
  } else {
    for (const [element, item] of indexItems(value as readonly Json[], merge!)) {
      parts[element] = item instanceof Repeated ? leaf : everyField(item, itemShape(merge))
    }
  }
  return nodeOf(parts, true)
}

/** What is wrong with an applied configuration, as a message that begins with the path. */
export type Problems = string[]

/**
 * The fields that an applied configuration states: leaves, atomic values, empty objects and every item of a list, but not
 * the objects on the way to them. Items that cannot be told apart are problems (supplement A-02).
 */
export function statedFields(config: Json, merge: Merge | undefined, problems: Problems): FieldSet {
  return isObject(config) ? statedParts(config, merge, '', problems) : leaf
}

function statedParts(
  config: JsonObject,
  merge: Merge | undefined,
  path: string,
  problems: Problems,
): FieldSet {
  const parts: Growing = {}
  const entries = isNestedMap(merge)
  for (const [name, value] of Object.entries(config)) {
    if (value === undefined) continue
    const node = stated(value, fieldShape(merge, name), `${path}.${name}`, problems)
    if (node !== undefined) parts[fieldElement(name)] = entries ? asMember(node) : node
    else if (entries) parts[fieldElement(name)] = leaf
  }
  return nodeOf(parts, false)
}

function stated(
  value: Json,
  merge: Merge | undefined,
  path: string,
  problems: Problems,
): FieldSet | undefined {
  const form = formOf(value, merge)
  if (form === 'leaf') return leaf
  if (form === 'object') return statedParts(value as JsonObject, merge, path, problems)
  return statedItems(value as readonly Json[], merge!, path, problems)
}

function statedItems(
  list: readonly Json[],
  merge: Merge,
  path: string,
  problems: Problems,
): FieldSet | undefined {
  const parts: Growing = {}
  list.forEach((item, index) => {
    const why = unidentified(item, merge)
    if (why !== undefined) problems.push(`${path}: element ${index}: ${why}`)
  })
  if (list.length === 0 || problems.length > 0) return undefined
  for (const [element, item] of indexItems(list, merge)) {
    const at = `${path}${printItem(element)}`
    if (item instanceof Repeated) {
      problems.push(`${path}: duplicate entries for key ${printItem(element)}`)
    } else {
      parts[element] = asMember(stated(item, itemShape(merge), at, problems) ?? leaf)
    }
  }
  return nodeOf(parts, false)
}

/** Why an item has no identity, undefined if it has one. */
function unidentified(item: Json, merge: Merge): string | undefined {
  if (listType(merge) === 'set') {
    return typeof item === 'object' && item !== null ? 'a set may hold scalars only' : undefined
  }
  if (!isObject(item)) return 'associative list with keys may not have non-map elements'
  const missing = listKeys(merge).find((name) => keyValue(item, name, merge) === undefined)
  if (missing === undefined) return undefined
  const name = JSON.stringify(missing)
  return `associative list with keys has an element that omits key field ${name} (and doesn't have default value)`
}

function asMember(node: FieldSet): FieldSet {
  return isEmpty(node) || node[itself] !== undefined ? node : { [itself]: leaf, ...node }
}
