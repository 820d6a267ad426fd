/**
 * Path elements: one step from a value to a part of it, as text. The text is the key under which FieldsV1 holds the
 * part: `f:<name>` for a property, `k:{...}` for an item of a keyed list, `v:<value>` for an item of a set, `i:<n>` for
 * a position, `.` for the value itself (supplement A-06).
 */
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { numberText } from '../../kernel/values/number-text.ts'

/** The element by which a node with parts says that it is itself in the set. */
export const selfElement = '.'

/** Elements of properties that were made before. */
const fields = new Map<string, string>()
/** The most elements that are remembered; then all are forgotten. */
const maxFields = 4096

/**
 * The element of a property. The same names come again and again, and a string that was a key before is a faster key
 * than a new one.
 */
export function fieldElement(name: string): string {
  const known = fields.get(name)
  if (known !== undefined) return known
  const element = `f:${name}`
  if (fields.size >= maxFields) fields.clear()
  if (name.length < 64) fields.set(name, element)
  return element
}

/** The property that an element names; undefined if it names an item. */
export function propertyOf(element: string): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined
}

/** The element of an item of a set. */
export function valueElement(value: Json): string {
  return `v:${scalarText(value)}`
}

/** The element of an item by its place in the list. */
export function indexElement(index: number): string {
  return `i:${index}`
}

/** The element of an item by the values of its key properties; `keys` are in order of their names. */
export function keyElement(keys: readonly (readonly [name: string, value: Json])[]): string {
  let text = ''
  for (const [name, value] of keys) {
    text += `${text === '' ? '' : ','}${scalarText(name)}:${scalarText(value)}`
  }
  return `k:{${text}}`
}

/** The key properties that the element of an item of a keyed list names; undefined for any other text. */
export function keysOfElement(element: string): JsonObject | undefined {
  const keys = element.startsWith('k:') ? readJson(element.slice(2)) : undefined
  return isObject(keys) ? keys : undefined
}

/** True for the element of an item without one of its keys. */
export function isUnidentified(element: string): boolean {
  if (!element.startsWith('k:') || !element.includes(':null')) return false
  return Object.values(keysOfElement(element) ?? {}).includes(null)
}

/** Characters that Go's JSON encoder escapes and `JSON.stringify` does not. */
const escaped: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** Texts that are their own JSON between quotes. */
const plain = /^[\w ./:@+*-]*$/

/** JSON text as Go's encoder writes it, with the characters escaped that HTML and scripts misread. */
function scalarText(value: Json): string {
  if (typeof value === 'string' && plain.test(value)) return `"${value}"`
  if (typeof value === 'bigint' || typeof value === 'number') return String(value)
  const text = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? Number(part) : part))
  return text.replace(/[<>&\u2028\u2029]/g, (c) => escaped[c]!)
}

/** The canonical form of an element that a client sent; undefined if it is none. */
export function canonicalElement(text: string): string | undefined {
  if (text === selfElement || text.startsWith('f:')) return text
  if (text.startsWith('i:')) return /^i:(0|-?[1-9]\d{0,8})$/.test(text) ? text : undefined
  const value = readJson(text.slice(2))
  if (value === undefined) return undefined
  if (text.startsWith('v:')) return valueElement(value)
  if (!text.startsWith('k:') || !isObject(value)) return undefined
  const keys = Object.entries(value) as [string, Json][]
  return keyElement(keys.sort(([a], [b]) => compareText(a, b)))
}

function readJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** The order of elements by their sort. */
const ranks: Readonly<Record<string, number>> = { '.': 0, f: 1, k: 2, v: 3, i: 4 }

/** What an element is ordered by: its sort, then its text or, for items, the value that it names. */
interface SortKey {
  readonly element: string
  /** The position of its sort: the value itself, properties, keyed items, values, positions. */
  readonly rank: number
  readonly value: Json
}

/** The sort keys of items seen before, since parsing them is expensive. */
const sortKeys = new Map<string, SortKey>()
const maxSortKeys = 4096

/** The sort key of an element. Those of items are parsed, so 4096 of them are remembered. */
function sortKeyOf(element: string): SortKey {
  const rank = ranks[element[0] as string]!
  if (rank < 2) return { element, rank, value: element }
  let key = sortKeys.get(element)
  if (key === undefined) {
    key = { element, rank, value: JSON.parse(element.slice(2)) as Json }
    if (sortKeys.size >= maxSortKeys) sortKeys.clear()
    if (element.length < 256) sortKeys.set(element, key)
  }
  return key
}

/** Items that are named by one text without escapes, of one key property or as items of a set. */
const textItem = /^(?:k:\{"\w+":|v:)"[\w./:@+*-]*"\}?$/

/** True if the elements are ordered as their texts are: properties only, or items named by texts of one key. */
export function areOrderedAsTexts(elements: readonly string[]): boolean {
  const first = elements[0] ?? 'f:'
  if (first.startsWith('f:')) return elements.every((element) => element.startsWith('f:'))
  const head = first.slice(0, first.indexOf('"', 4) + 2)
  const start = first.startsWith('v:') ? 'v:"' : head
  return elements.every((element) => element.startsWith(start) && textItem.test(element))
}

/** Elements in the order in which FieldsV1 writes the parts of one value. */
export function sortElements(elements: readonly string[]): readonly string[] {
  if (areOrderedAsTexts(elements)) return [...elements].sort()
  return elements
    .map(sortKeyOf)
    .sort(compareSortKeys)
    .map(({ element }) => element)
}

/** The order of two elements: by sort, then by what they name. */
export function compareElements(a: string, b: string): number {
  if (a[0] === 'f' && b[0] === 'f') return compareText(a, b)
  return a === b ? 0 : compareSortKeys(sortKeyOf(a), sortKeyOf(b))
}

function compareSortKeys(a: SortKey, b: SortKey): number {
  if (a.rank !== b.rank) return a.rank - b.rank
  if (a.rank === ranks.k) return compareKeys(a.value, b.value)
  return compareValues(a.value, b.value)
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Key by key: names first, then values; the shorter list of keys comes first. */
function compareKeys(a: Json, b: Json): number {
  const left = Object.entries(a as object) as [string, Json][]
  const right = Object.entries(b as object) as [string, Json][]
  for (const [index, [name, value]] of left.entries()) {
    const other = right[index]
    if (other === undefined) return 1
    const order = compareText(name, other[0]) || compareValues(value, other[1])
    if (order !== 0) return order
  }
  return left.length - right.length
}

/** The order of values by their JavaScript type. */
const types = ['number', 'string', 'boolean', 'object']

/** Numbers before strings before booleans before everything else. */
function compareValues(a: Json, b: Json): number {
  const type = typeof a
  if (type !== typeof b) return types.indexOf(type) - types.indexOf(typeof b)
  if (type === 'number') return (a as number) - (b as number)
  if (type === 'object') return compareText(JSON.stringify(a), JSON.stringify(b))
  return compareText(String(a), String(b))
}

/** The element as messages state it: `.name`, `[name="web"]`, `[="value"]`, `[3]` (supplement A-12). */
export function printElement(element: string): string {
  const rest = element.slice(2)
  switch (element[0]) {
    case 'f':
      return `.${rest}`
    case 'k':
      return `[${Object.entries(JSON.parse(rest) as object)
        .map(([name, value]) => `${name}=${printValue(value as Json)}`)
        .join(',')}]`
    case 'v':
      return `[=${wholeNumber.test(rest) ? rest : printValue(JSON.parse(rest) as Json)}]`
    default:
      return `[${rest}]`
  }
}

/** An integer of 64 bits, most of which JSON.parse would round. */
const wholeNumber = /^-?\d{1,18}$/

/** A value as the public library prints it: lists in brackets, maps as `a=1`. */
function printValue(value: Json): string {
  if (typeof value === 'number') return numberText(value)
  if (Array.isArray(value)) return `[${value.map((item: Json) => printValue(item)).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  return Object.entries(value)
    .map(([name, inner]) => `${name}=${printValue(inner as Json)}`)
    .join('')
}
