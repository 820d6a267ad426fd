import { isObject, type Json } from '../../kernel/values/json.ts'
import type { Schema } from '../schema/schema.ts'
import { type Check, costOfMany } from './check.ts'
import { formatValueWithTypes, sortKeysDeep } from './json-values.ts'
import type { ReadContext } from './read-context.ts'

/** The check of list types: items of a set, and the keys of a map, are unique (supplement C-12). Undefined for other lists. */
export function uniqueItemsCheck({ listType, listMapKeys, items }: Schema): Check | undefined {
  if (listType === 'set') return uniqueBy((item) => item, 0)
  if (listType !== 'map') return undefined
  const defaults = new Map(
    listMapKeys.map((key) => [key, items?.properties.get(key)?.default] as const),
  )
  return uniqueBy((item) => {
    if (!isObject(item)) return undefined
    const keys = listMapKeys.flatMap((key): [string, Json][] => {
      const value = Object.hasOwn(item, key) ? item[key] : defaults.get(key)
      return value === undefined ? [] : [[key, value]]
    })
    return Object.fromEntries(keys)
  }, costOfMany(listMapKeys.length))
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
  context.addError('FieldValueDuplicate', `Duplicate value: ${formatValueWithTypes(identity)}`)
  context.path.pop()
}

/** A text that equal values share. The NUL in front tells it apart from a string of the list that looks the same. */
function canonicalText(value: Json): string {
  const text = JSON.stringify(sortKeysDeep(value), (_, part: unknown) =>
    typeof part === 'bigint' ? String(part) : part,
  )
  return `\0${text}`
}
