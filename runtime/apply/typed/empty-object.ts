/** What every object of a kind has, whatever it says. */
import type { AnyKind, MergeStrategy } from '../../kernel/descriptors/kind.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { define } from '../../kernel/values/define-property.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { fieldShape } from './merge-shape.ts'

const blanks = new WeakMap<AnyKind, JsonObject>()

/**
 * An object of a kind of which nothing has been said: the structs that are always written, empty, and zeros. They have no
 * manager, since they are there whatever a client sends.
 */
export function emptyObjectOf(kind: AnyKind): JsonObject {
  let blank = blanks.get(kind)
  if (blank === undefined) {
    blank = skeleton(kind.read({}, createReport()) as unknown as Json, kind.merge) as JsonObject
    blanks.set(kind, blank)
  }
  return blank
}

/** The structs and lists of a value and the zeros in it, without what defaults fill in. */
function skeleton(value: Json | undefined, merge: MergeStrategy | undefined): Json | undefined {
  if (merge?.defaulted === true) return undefined
  if (value === null) return null
  if (Array.isArray(value)) return []
  if (value === 0 || value === '') return value
  if (!isObject(value)) return undefined
  const result: Record<string, Json> = {}
  for (const [name, part] of Object.entries(value)) {
    const below = skeleton(part, fieldShape(merge, name))
    if (below !== undefined) define(result, name, below)
  }
  return result
}
