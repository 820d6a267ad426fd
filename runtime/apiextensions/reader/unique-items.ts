import { isObject, type Json } from '../../kernel/values/json.ts'
import type { Schema } from '../schema/schema.ts'
import { type Check, costOfMany } from './check.ts'
import { formatValueWithTypes, sortKeysDeep } from './json-values.ts'
import type { ReadContext } from './read-context.ts'

/**
 * The check of list types: items of a set, and the keys of a map, are unique (supplement C-12).
 * Undefined for other lists. An item without a key has the default of that key as its identity.
 */
export function uniqueItemsCheck({ listType, listMapKeys, items }: Schema): Check | undefined {
  if (listType === 'set') return uniqueBy((item) => item, 0)
  if (listType !== 'map') return undefined
  const defaults = new Map(
    listMapKeys.map((key) => [key, items?.properties.get(key)?.default] as const),
  )
  const unique = uniqueBy((item) => {
    if (!isObject(item)) return {}
    const keys = listMapKeys.flatMap((key): [string, Json][] => {
      const value = Object.hasOwn(item, key) ? item[key] : defaults.get(key)
      return value === undefined ? [] : [[key, value]]
    })
    return Object.fromEntries(keys)
  }, costOfMany(listMapKeys.length))
  return (value, context) => {
    if (!hasOddItem(value, context)) unique(value, context)
  }
}

/** What is wrong with an item of a map that is no object. */
export const notAnObjectInMap = 'must be an object for an array of list-type map'

/** Reports the first item of a map that is neither an object nor null. */
function hasOddItem(value: Json, context: ReadContext): boolean {
  if (!Array.isArray(value)) return false
  const index = (value as readonly Json[]).findIndex((item) => item !== null && !isObject(item))
  if (index < 0) return false
  context.path.push(index)
  const item = formatValueWithTypes(value[index])
  const message = `Invalid value: ${item}: ${notAnObjectInMap}`
  context.addListError('FieldValueInvalid', message)
  context.path.pop()
  return true
}

/** Reports each duplicate identity once, at its second item. */
function uniqueBy(identityOf: (item: Json) => Json | undefined, costOfItem: number): Check {
  return (value, context) => {
    if (!Array.isArray(value) || value.length < 2) return
    if (!context.spend(value.length * costOfItem)) return
    const seen = new Set<unknown>()
    const reported = new Set<unknown>()
    for (const [index, item] of value.entries()) {
      const identity = identityOf(item as Json)
      if (identity === undefined) continue
      const key = typeof identity === 'object' ? canonicalText(identity) : identity
      if (seen.has(key) && !reported.has(key)) {
        reported.add(key)
        addDuplicateError(context, index, identity)
      }
      seen.add(key)
    }
  }
}

function addDuplicateError(context: ReadContext, index: number, identity: Json): void {
  context.path.push(index)
  context.addListError('FieldValueDuplicate', `Duplicate value: ${formatValueWithTypes(identity)}`)
  context.path.pop()
}

/** A text that equal values share. The NUL in front tells it apart from a string of the list that looks the same. */
function canonicalText(value: Json): string {
  const text = JSON.stringify(sortKeysDeep(value), (_, part: unknown) =>
    typeof part === 'bigint' ? String(part) : part,
  )
  return `\0${text}`
}
