/**
 * Shapes of mappings in schema files, as data: which keys, which types of values. One function checks a mapping against
 * its shape, so that a misspelt key and a wrong value read the same in every file.
 */

import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import type { Report } from '../finding.ts'
import type { Shape, ValueType } from '../keys/shape.ts'
import { entries, items, type MapNode, typeName, type YamlNode } from '../yaml/node.ts'
import { hintForKey } from './known-elsewhere.ts'

const typeNames: Readonly<Record<ValueType, string>> = {
  string: 'a string',
  strings: 'a list of strings',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  mapping: 'a mapping',
  list: 'a list',
  any: 'a value',
}

/**
 * Reports unknown keys, values of the wrong type and missing keys; `what` names the mapping in messages. False if
 * `node` is no mapping.
 */
export function checkShape(
  node: YamlNode,
  what: string,
  shape: Shape,
  report: Report,
): node is MapNode {
  if (node.is !== 'map') {
    report(node.at, 'wrong-value', `${what} must be a mapping, not ${typeName(node)}`)
    return false
  }
  const known = keysOf(shape)
  for (const { key, keyAt, value } of entries(node)) {
    const type = known.get(key)
    if (type === undefined) {
      const hint = hintForKey(key) || didYouMean(key, known.keys())
      report(keyAt, 'unknown-keyword', `"${key}" is not a keyword of ${what}${hint}`)
    } else {
      checkValue(value, `"${key}"`, type.type, report)
    }
  }
  for (const [key, { required }] of known) {
    if (!required || node.entries.some((each) => each.key === key)) continue
    report(node.at, 'missing-keyword', `${what} needs "${key}"`)
  }
  return true
}

/** Reports a value of another type than the one expected, at the item that is wrong in a list of texts. */
export function checkValue(node: YamlNode, name: string, type: ValueType, report: Report): boolean {
  if (fits(node, type)) return true
  const at =
    type === 'strings' ? (items(node).find((item) => !fits(item, 'string')) ?? node).at : node.at
  report(at, 'wrong-value', `${name} must be ${typeNames[type]}, not ${typeName(node)}`)
  return false
}

/** Null fits nothing but `any`: an empty value in YAML is reported. */
function fits(node: YamlNode, type: ValueType): boolean {
  switch (type) {
    case 'any':
      return true
    case 'mapping':
      return node.is === 'map'
    case 'list':
      return node.is === 'list'
    case 'strings':
      return node.is === 'list' && node.items.every((item) => fits(item, 'string'))
    case 'integer':
      return node.is === 'scalar' && Number.isInteger(node.value)
    default:
      return node.is === 'scalar' && typeof node.value === type
  }
}

interface Key {
  readonly type: ValueType
  readonly required: boolean
}

/** By identity: shapes are constants, except few that are put together where they are used. */
const keysOfShapes = new WeakMap<Shape, ReadonlyMap<string, Key>>()

/** The keys of a shape, parsed once for each shape. */
function keysOf(shape: Shape): ReadonlyMap<string, Key> {
  const known = keysOfShapes.get(shape)
  if (known !== undefined) return known
  const keys = Object.entries(shape).map(([key, described]): [string, Key] => {
    const type = typeof described === 'string' ? described : described.type
    return [key, { type: type.replace('!', '') as ValueType, required: type.endsWith('!') }]
  })
  const found = new Map(keys)
  keysOfShapes.set(shape, found)
  return found
}

/** The value with its keys in the shape's order: the order in a document must not show in the output. */
export function inOrder<T extends object>(value: T, shape: Shape): T {
  const has = Object.keys(shape).filter((key) => Object.hasOwn(value, key))
  return Object.fromEntries(has.map((key) => [key, value[key as keyof T]])) as T
}

/** The value with the keys of its objects sorted: their order in a document must not show in the output. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, part]) => [key, canonical(part)]))
}
