/**
 * Fields of disabled feature gates, dropped from objects on their way to the store.
 *
 * A schema names the gate of a field (`Gated`); objects are walked along those facts only, so that an object costs nothing
 * where no disabled gate can occur. What a walk leaves is the same value, not an equal one, where nothing was dropped.
 */
import type { EnabledGates } from '../../kernel/descriptors/enabled-gates.ts'
import type { AnyKind, GatedFields } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'

/** An object as its gates leave it, and the paths of what they took away, as field errors name them. */
export interface GateResult {
  readonly object: ApiObject
  readonly dropped: readonly string[]
}

/**
 * The object without the fields whose gate is off. A field that the stored object uses at the same place of its schema, in
 * whichever item of a list, stays: what was accepted once is not taken away by a switch (A3.5, A3.6).
 */
export function dropDisabledFields(
  gates: EnabledGates,
  { gatedFields: gated }: AnyKind,
  object: ApiObject,
  old?: ApiObject,
): GateResult {
  if (gated === undefined || !hasDisabled(gated, gates)) return { object, dropped: [] }
  const dropped: string[] = []
  const used = once(() => disabledFieldsInUse(gates, gated, old))
  const walk = new FieldWalk(gates, (place, path) => {
    if (used().has(place)) return true
    dropped.push(path)
    return false
  })
  const kept = walkValue(walk, gated, object as unknown as Json)
  return { object: kept as unknown as ApiObject, dropped }
}

/** The places of a schema at which an object uses fields whose gate is off. */
function disabledFieldsInUse(
  gates: EnabledGates,
  gated: GatedFields,
  object: ApiObject | undefined,
): ReadonlySet<string> {
  const used = new Set<string>()
  const walk = new FieldWalk(gates, (place) => used.add(place) !== undefined)
  if (object !== undefined) walkValue(walk, gated, object as unknown as Json)
  return used
}

/** A value that is made when it is first needed. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** True for the path of something that lies in what was dropped. */
export function isDropped({ dropped }: GateResult, path: string): boolean {
  return dropped.some(
    (one) => path === one || (path.startsWith(one) && /[.[]/.test(path[one.length] ?? '')),
  )
}

/** The path of a walk through an object. Its texts are made only where a field is disabled. */
class FieldWalk {
  readonly gates: EnabledGates
  readonly steps: (string | readonly [item: string | number])[] = []
  readonly #keeps: (place: string, path: string) => boolean

  /** `keeps` decides about a field whose gate is off, by its place in the schema and its path in the object. */
  constructor(gates: EnabledGates, keeps: (place: string, path: string) => boolean) {
    this.gates = gates
    this.#keeps = keeps
  }

  /** Whether a disabled field at the current path is kept. */
  keeps(name: string): boolean {
    const steps = [...this.steps, name]
    const text = (item: (key: string | number) => string) =>
      steps.reduce<string>((path, step) => {
        if (typeof step !== 'string') return `${path}${item(step[0])}`
        return path === '' ? step : `${path}.${step}`
      }, '')
    return this.#keeps(
      text(() => '[]'),
      text((key) => `[${key}]`),
    )
  }
}

/** The value with nothing disabled in it; the same value if there was nothing. */
function walkValue(walk: FieldWalk, gated: GatedFields, value: Json): Json {
  if (gated.value !== undefined) return walkValue(walk, gated.value(), value)
  if (!hasDisabled(gated, walk.gates)) return value
  if (gated.items !== undefined) return walkItems(walk, gated.items(), value)
  return isObject(value) ? walkFields(walk, gated, value) : value
}

/** The object with its walked fields; properties that the facts do not name are not looked at. */
function walkFields(walk: FieldWalk, { fields = {} }: GatedFields, value: JsonObject): JsonObject {
  let changes: Map<string, Json | undefined> | undefined
  for (const name in fields) {
    const given = own(value, name)
    if (given === undefined) continue
    const kept = walkField(walk, fields[name] as GatedFields, name, given)
    if (kept !== given) changes = (changes ?? new Map()).set(name, kept)
  }
  if (changes === undefined) return value
  const entries = Object.entries(value).map(
    ([name, given]) => [name, changes.has(name) ? changes.get(name) : given] as const,
  )
  return Object.fromEntries(entries.filter(([, given]) => given !== undefined)) as JsonObject
}

/** The value of one field, or what it says without its gate; undefined if it is dropped. */
function walkField(
  walk: FieldWalk,
  facts: GatedFields,
  name: string,
  given: Json,
): Json | undefined {
  const { gate, off } = facts
  const isOff = gate !== undefined && !walk.gates.has(gate) && given !== off
  if (isOff && !walk.keeps(name)) return off
  walk.steps.push(name)
  const kept = walkValue(walk, facts, given)
  walk.steps.pop()
  return kept
}

/** The items of a list, or the values of a map, each walked by the same facts. */
function walkItems(walk: FieldWalk, items: GatedFields, value: Json): Json {
  const item = (key: string | number, given: Json): Json => {
    walk.steps.push([key])
    const kept = walkValue(walk, items, given)
    walk.steps.pop()
    return kept
  }
  if (Array.isArray(value)) {
    const list = value as readonly Json[]
    const kept = list.map((given, index) => item(index, given))
    return kept.some((one, index) => one !== list[index]) ? kept : value
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value as Readonly<Record<string, Json>>)
  const kept = entries.map(([key, given]) => [key, item(key, given)] as const)
  return kept.some(([key, one]) => one !== value[key]) ? Object.fromEntries(kept) : value
}

function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Whether facts hold a disabled gate, by the gates of a server: facts are shared by all servers of a process. */
const known = new WeakMap<EnabledGates, WeakMap<GatedFields, boolean>>()

/** True if one of the gates that are off switches something here or below. */
function hasDisabled(gated: GatedFields, gates: EnabledGates): boolean {
  const answers = known.get(gates) ?? new WeakMap<GatedFields, boolean>()
  known.set(gates, answers)
  const answer = answers.get(gated) ?? findDisabled(gated, gates, new Set())
  answers.set(gated, answer)
  return answer
}

/** Facts may contain themselves, as schemas do; `seen` ends the search. */
function findDisabled(gated: GatedFields, gates: EnabledGates, seen: Set<GatedFields>): boolean {
  if (seen.has(gated)) return false
  seen.add(gated)
  if (gated.gate !== undefined && !gates.has(gated.gate)) return true
  const below = [
    ...Object.values(gated.fields ?? {}),
    ...[gated.value, gated.items].map((one) => one?.()),
  ]
  return below.some((one) => one !== undefined && findDisabled(one, gates, seen))
}
