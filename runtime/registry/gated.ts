/** What feature gates switch off in an object on its way to the store. */
import type { Gates } from '../kernel/gates.ts'
import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import type { AnyKind, Gated } from '../kernel/kind.ts'
import type { ApiObject } from '../kernel/object.ts'

/** An object as its gates leave it, and the paths of what they took away, in the form that findings use. */
export interface Gating {
  readonly object: ApiObject
  readonly dropped: readonly string[]
}

/**
 * The object without the fields whose gate is off. A field that the stored object uses at the same place of its schema, in
 * whichever item of a list, stays: what was accepted once is not taken away by a switch (A3.36).
 */
export function withoutDisabled(
  gates: Gates,
  { gated }: AnyKind,
  object: ApiObject,
  old?: ApiObject,
): Gating {
  if (gated === undefined || !switches(gated, gates)) return { object, dropped: [] }
  const dropped: string[] = []
  const walk: Walk = { gates, dropped }
  const olds = old === undefined ? [] : [old as unknown as Json]
  const kept = passed(walk, gated, object as unknown as Json, olds, '')
  return { object: kept as unknown as ApiObject, dropped }
}

/** True for the path of something that lies in what was dropped. */
export function isDropped({ dropped }: Gating, path: string): boolean {
  return dropped.some(
    (one) => path === one || (path.startsWith(one) && /[.[]/.test(path[one.length] ?? '')),
  )
}

interface Walk {
  readonly gates: Gates
  readonly dropped: string[]
}

/** The value with nothing disabled in it; the same value if there was nothing. */
function passed(walk: Walk, gated: Gated, value: Json, olds: readonly Json[], path: string): Json {
  if (gated.value !== undefined) return passed(walk, gated.value(), value, olds, path)
  if (!switches(gated, walk.gates)) return value
  if (gated.items !== undefined) return passedItems(walk, gated.items(), value, olds, path)
  return isObject(value) ? passedFields(walk, gated, value, olds.filter(isObject), path) : value
}

function passedFields(
  walk: Walk,
  { fields = {} }: Gated,
  value: JsonObject,
  olds: readonly JsonObject[],
  path: string,
): JsonObject {
  const changes = new Map<string, Json | undefined>()
  for (const [name, facts] of Object.entries(fields)) {
    const given = own(value, name)
    if (given === undefined) continue
    const before = olds.map((old) => own(old, name)).filter((one) => one !== undefined)
    const at = path === '' ? name : `${path}.${name}`
    if (facts.gate !== undefined && !walk.gates.has(facts.gate) && before.length === 0) {
      walk.dropped.push(at)
      changes.set(name, undefined)
      continue
    }
    const kept = passed(walk, facts, given, before, at)
    if (kept !== given) changes.set(name, kept)
  }
  if (changes.size === 0) return value
  const entries = Object.entries(value).map(
    ([name, given]) => [name, changes.has(name) ? changes.get(name) : given] as const,
  )
  return Object.fromEntries(entries.filter(([, given]) => given !== undefined)) as JsonObject
}

function passedItems(
  walk: Walk,
  items: Gated,
  value: Json,
  olds: readonly Json[],
  path: string,
): Json {
  const before = olds.flatMap((old) =>
    isObject(old) || Array.isArray(old) ? Object.values(old) : [],
  )
  if (Array.isArray(value)) {
    const list = value as readonly Json[]
    const kept = list.map((item, i) => passed(walk, items, item, before, `${path}[${i}]`))
    return kept.some((item, i) => item !== list[i]) ? kept : value
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value as Readonly<Record<string, Json>>)
  const kept = entries.map(
    ([key, item]) => [key, passed(walk, items, item, before, `${path}[${key}]`)] as const,
  )
  return kept.some(([key, item]) => item !== value[key]) ? Object.fromEntries(kept) : value
}

function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

const known = new WeakMap<Gates, WeakMap<Gated, boolean>>()

/** True if one of the gates that are off switches something here or below. */
function switches(gated: Gated, gates: Gates): boolean {
  const answers = known.get(gates) ?? new WeakMap<Gated, boolean>()
  known.set(gates, answers)
  const answer = answers.get(gated) ?? reachesOff(gated, gates, new Set())
  answers.set(gated, answer)
  return answer
}

function reachesOff(gated: Gated, gates: Gates, seen: Set<Gated>): boolean {
  if (seen.has(gated)) return false
  seen.add(gated)
  if (gated.gate !== undefined && !gates.has(gated.gate)) return true
  const below = [
    ...Object.values(gated.fields ?? {}),
    ...[gated.value, gated.items].map((one) => one?.()),
  ]
  return below.some((one) => one !== undefined && reachesOff(one, gates, seen))
}
