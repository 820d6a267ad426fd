/**
 * Ratcheting: what was wrong before and has not been touched may stay wrong (supplement C-30). An object is read once more
 * beside the one that it replaces; whatever a node finds wrong with itself or below is forgiven if its value is the old one.
 */
import { equal } from '../kernel/equal.ts'
import { isObject, type Json } from '../kernel/json.ts'
import type { ApiObject } from '../kernel/object.ts'
import { createReport, type Finding, type Read } from '../kernel/read.ts'
import type { Schema } from './schema.ts'

type Path = readonly (string | number)[]

/** True if the old object has the same value at a place, and the place can be told to be the same one. */
export type Unchanged = (path: Path, value: Json) => boolean

/** Which findings of a reader still count when an object replaces another: those that a forgiving reading has, too. */
export type Ratchet = (object: ApiObject, old: ApiObject) => (finding: Finding) => boolean

/** The ratchet of a kind, from the reader that forgives what is unchanged. */
export function ratchetOf(
  schema: Schema,
  reader: (unchanged: Unchanged) => Read<ApiObject>,
): Ratchet {
  return (object, old) => {
    const [now, before] = [object, old] as unknown as readonly [Json, Json]
    const report = createReport()
    reader((path, value) => {
      const was = counterpart(schema, now, before, path)
      return was !== undefined && equal(was, value)
    })(object, report)
    const left = new Set(report.findings.map(keyOf))
    return (finding) => finding.path.startsWith('metadata') || left.has(keyOf(finding))
  }
}

function keyOf({ path, message }: Finding): string {
  return `${path}\n${message}`
}

/** The old value of the place that a path leads to. Items correspond by their keys, and in no other lists. */
function counterpart(schema: Schema, now: Json, before: Json, path: Path): Json | undefined {
  let [node, value, old]: [Schema | undefined, Json | undefined, Json | undefined] = [
    schema,
    now,
    before,
  ]
  for (const step of path) {
    if (typeof step === 'number') {
      const item: Json | undefined = Array.isArray(value) ? (value[step] as Json) : undefined
      old = itemLike(node, item, old)
      value = item
      node = node?.items
    } else {
      old = memberOf(old, step)
      value = memberOf(value, step)
      node = node && partOf(node, step)
    }
    if (old === undefined || value === undefined) return undefined
  }
  return old
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function partOf({ properties, additionalProperties: more }: Schema, name: string) {
  return properties.get(name) ?? (typeof more === 'object' ? more : undefined)
}

function itemLike(
  node: Schema | undefined,
  item: Json | undefined,
  old: Json | undefined,
): Json | undefined {
  if (node?.listType !== 'map' || !Array.isArray(old) || item === undefined) return undefined
  return (old as readonly Json[]).find((one) =>
    node.listMapKeys.every((key) => equal(memberOf(one, key), memberOf(item, key))),
  )
}
