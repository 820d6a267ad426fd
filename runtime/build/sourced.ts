/** Values with the lines of the program that made them. */
import { define } from '../kernel/values/define-property.ts'
import { isObject, type Json, type JsonObject } from '../kernel/values/json.ts'

/** A place in a file, counted from 1. */
export interface Spot {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Where a value was written, and each of its parts. */
export interface Places {
  readonly at?: Spot | undefined
  readonly parts?: Readonly<Record<string, Places>> | undefined
}

/** A value and its places. */
export interface Sourced<T extends Json = Json> {
  readonly value: T
  readonly places: Places
}

/** An object of a configuration. */
export type SourcedObject = Sourced<JsonObject>

/** A part of a value. */
export function partOf({ value, places }: Sourced, key: string): Sourced | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  const part = (value as unknown as Record<string, Json | undefined>)[key]
  if (part === undefined) return undefined
  const own = places.parts
  const found = own !== undefined && Object.hasOwn(own, key) ? own[key] : undefined
  return { value: part, places: found ?? (places.at === undefined ? {} : { at: places.at }) }
}

/** The items of a list; the value itself if it is none. */
export function itemsOf(sourced: Sourced): readonly Sourced[] {
  const { value } = sourced
  if (!Array.isArray(value)) return [sourced]
  return value.map((_, at) => partOf(sourced, String(at)) as Sourced)
}

/** Steps of a path: `.spec.containers[name="web"].image`, `spec.containers[0].image`, `metadata.labels[a.b/c]`. */
const steps = /\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\]|[^.[\]]+/g

/** The place of a field, or of what is closest to it. */
export function spotOf(root: Sourced, path: string): Spot | undefined {
  let here = root
  let spot = root.places.at
  for (const step of path.match(steps) ?? []) {
    const next = partOf(here, keyOf(here.value, step))
    if (next === undefined) return spot
    here = next
    spot = next.places.at ?? spot
  }
  return spot
}

/** The key that a step names: of an item that is named by its keys or its value, its index. */
function keyOf(value: Json, step: string): string {
  if (!step.startsWith('[')) return step
  const inside = step.slice(1, -1)
  if (!Array.isArray(value)) return inside
  if (inside.startsWith('=')) {
    return String(value.findIndex((item) => JSON.stringify(item) === inside.slice(1)))
  }
  const pairs = [...inside.matchAll(/([A-Za-z]+)=("(?:[^"\\]|\\.)*"|[^,]+)/g)]
  if (pairs.length === 0) return inside
  const index = value.findIndex(
    (item) =>
      isObject(item) &&
      pairs.every(([, key = '', text]) => JSON.stringify(item[key] ?? null) === text),
  )
  return String(index)
}

/** The places of a merged value: of each part those of the last source that states it. Items of lists are found by `name`. */
export function mergedPlaces(value: Json, sources: readonly Sourced[]): Places {
  const last = sources.at(-1)
  const at = sources.find(({ places }) => places.at !== undefined)?.places.at
  const own = last?.places.at ?? at
  if (typeof value !== 'object' || value === null) return own === undefined ? {} : { at: own }
  const parts: Record<string, Places> = {}
  for (const [key, part] of Object.entries(value)) {
    if (part === undefined) continue
    const stating = sources.flatMap((source) => samePart(source, value, key, part) ?? [])
    define(parts, key, mergedPlaces(part, stating))
  }
  const first = sources[0]?.places.at ?? own
  return { ...(first !== undefined && { at: first }), parts }
}

function samePart(source: Sourced, whole: Json, key: string, part: Json): Sourced | undefined {
  if (!Array.isArray(whole)) return partOf(source, key)
  if (!Array.isArray(source.value)) return undefined
  const name = isObject(part) ? part.name : part
  const index = source.value.findIndex((item) => (isObject(item) ? item.name : item) === name)
  return partOf(source, name === undefined ? key : String(index))
}
