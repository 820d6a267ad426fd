import { define } from '../../kernel/values/define-property.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import { unescapedStep } from '../../kernel/values/json-pointer.ts'
import type { PatchType } from '../contract/contract.ts'

/**
 * The order in which the public libraries write what a merge patch or JSON patch made: objects that the patch went into have their keys
 * sorted, all others are as they were.
 */
export function patchedOrder(type: PatchType, patch: Json): ((patched: Json) => Json) | undefined {
  if (type === 'merge') return (patched) => sortedAlong(patched, patch)
  if (type !== 'json' || !Array.isArray(patch)) return undefined
  return (patched) => sortedAlong(patched, touchedBy(patch))
}

/** A tree of the containers that the operations look into. */
function touchedBy(patch: readonly Json[]): Json {
  const touched = {}
  for (const operation of patch) {
    if (!isObject(operation)) continue
    for (const pointer of [operation.path, operation.from]) {
      if (typeof pointer === 'string') touch(touched, pointer.split('/').slice(1, -1))
    }
  }
  return touched
}

function touch(tree: Record<string, Json>, steps: readonly string[]): void {
  let at = tree
  for (const step of steps) {
    const key = unescapedStep(step)
    const below = Object.hasOwn(at, key) ? (at[key] as Record<string, Json>) : {}
    define(at, key, below)
    at = below
  }
}

/** The value with the keys sorted of all objects that stand where `along` has objects. */
function sortedAlong(value: Json, along: Json | undefined): Json {
  if (typeof along !== 'object' || along === null) return value
  const below = along as Readonly<Record<string, Json | undefined>>
  const next = (key: string) => (Object.hasOwn(below, key) ? below[key] : undefined)
  if (Array.isArray(value)) {
    return value.map((item: Json, index) => sortedAlong(item, next(String(index))))
  }
  if (!isObject(value) || Array.isArray(along)) return value
  const sorted: Record<string, Json> = {}
  for (const key of Object.keys(value).sort()) {
    const part = value[key]
    if (part !== undefined) define(sorted, key, sortedAlong(part, next(key)))
  }
  return sorted
}
