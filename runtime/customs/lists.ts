import { isObject, type Json } from '../kernel/json.ts'
import type { Check } from './checks.ts'
import type { Schema } from './schema.ts'
import { ordered, shown, type Walk } from './walk.ts'

/** Tells of items that stand twice in a list whose type forbids it (supplement C-12). */
export function uniquenessCheck({ listType, listMapKeys, items }: Schema): Check | undefined {
  if (listType === 'set') return unique((item) => item, 0)
  if (listType !== 'map') return undefined
  const defaults = new Map(
    listMapKeys.map((key) => [key, items?.properties.get(key)?.default] as const),
  )
  return unique((item) => {
    if (!isObject(item)) return undefined
    const keys = listMapKeys.flatMap((key): [string, Json][] => {
      const value = Object.hasOwn(item, key) ? item[key] : defaults.get(key)
      return value === undefined ? [] : [[key, value]]
    })
    return Object.fromEntries(keys)
  }, listMapKeys.length >> 3)
}

function unique(identityOf: (item: Json) => Json | undefined, workOfItem: number): Check {
  return (value, walk) => {
    if (!Array.isArray(value) || value.length < 2) return
    if (!walk.may(value.length * workOfItem)) return
    const seen = new Set<unknown>()
    const told = new Set<unknown>()
    for (const [index, item] of value.entries()) {
      const identity = identityOf(item as Json)
      if (identity === undefined) continue
      const key = typeof identity === 'object' ? jsonText(identity) : identity
      if (seen.has(key) && !told.has(key)) {
        told.add(key)
        duplicate(walk, index, identity)
      }
      seen.add(key)
    }
  }
}

function duplicate(walk: Walk, index: number, identity: Json): void {
  walk.path.push(index)
  walk.tell('FieldValueDuplicate', `Duplicate value: ${shown(identity)}`)
  walk.path.pop()
}

/** Equal values have equal texts; a marker keeps them apart from texts that look the same. */
function jsonText(value: Json): string {
  const text = JSON.stringify(ordered(value), (_, part: unknown) =>
    typeof part === 'bigint' ? String(part) : part,
  )
  return `\0${text}`
}
