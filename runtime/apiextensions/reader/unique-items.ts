import { isObject, type Json } from '../../kernel/values/json.ts'
import type { Schema } from '../schema/schema.ts'
import type { Check } from './checks.ts'
import { formatValueWithTypes, type ReadContext, sortKeysDeep } from './read-context.ts'

/** Tells of items that stand twice in a list whose type forbids it (supplement C-12). */
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
  }, listMapKeys.length >> 3)
}

function uniqueBy(identityOf: (item: Json) => Json | undefined, workOfItem: number): Check {
  return (value, walk) => {
    if (!Array.isArray(value) || value.length < 2) return
    if (!walk.spend(value.length * workOfItem)) return
    const seen = new Set<unknown>()
    const told = new Set<unknown>()
    for (const [index, item] of value.entries()) {
      const identity = identityOf(item as Json)
      if (identity === undefined) continue
      const key = typeof identity === 'object' ? canonicalText(identity) : identity
      if (seen.has(key) && !told.has(key)) {
        told.add(key)
        addDuplicateError(walk, index, identity)
      }
      seen.add(key)
    }
  }
}

function addDuplicateError(walk: ReadContext, index: number, identity: Json): void {
  walk.path.push(index)
  walk.addError('FieldValueDuplicate', `Duplicate value: ${formatValueWithTypes(identity)}`)
  walk.path.pop()
}

/** Equal values have equal texts; a marker keeps them apart from texts that look the same. */
function canonicalText(value: Json): string {
  const text = JSON.stringify(sortKeysDeep(value), (_, part: unknown) =>
    typeof part === 'bigint' ? String(part) : part,
  )
  return `\0${text}`
}
