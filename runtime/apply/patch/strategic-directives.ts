/** Directives of a strategic merge patch where there is nothing to merge with. */

import { define } from '../../kernel/values/define-property.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import { own } from '../typed/merge-shape.ts'

/**
 * A value that the original does not have, as it is added: nothing in it is merged, not even items with one merge key.
 * Properties that are null go, and so do objects with a `$patch`; undefined if the value is one itself.
 */
export function newValue(value: Json): Json | undefined {
  return clean(value, true)
}

/** The items of a list without those that are directives, at any depth. */
export function withoutDirectives(list: readonly Json[]): readonly Json[] {
  return clean(list as Json, false) as readonly Json[]
}

function clean(value: Json, dropNulls: boolean): Json | undefined {
  if (Array.isArray(value)) {
    return value.map((item: Json) => clean(item, dropNulls)).filter((item) => item !== undefined)
  }
  if (!isObject(value)) return value
  if (own(value, '$patch') !== undefined) return undefined
  const result: Record<string, Json> = {}
  for (const [name, part] of Object.entries(value)) {
    if (part === undefined || (dropNulls && part === null)) continue
    const kept = clean(part, dropNulls)
    if (kept !== undefined) define(result, name, kept)
  }
  return result
}
