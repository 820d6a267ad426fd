/**
 * Ratcheting: what was wrong before and has not been touched may stay wrong (supplement C-30). An object is read once more
 * beside the one that it replaces; whatever a node finds wrong with itself or below is forgiven if its value is the old one.
 */

import type { ApiObject } from '../../kernel/meta/object.ts'
import {
  createReport,
  type FieldError,
  type ObjectReader,
} from '../../kernel/validation/field-error.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import type { Schema } from '../schema/schema.ts'

type Path = readonly (string | number)[]

/** True if the old object has the same value at a place, and the place can be told to be the same one. */
export type Unchanged = (path: Path, value: Json) => boolean

/** Which findings of a reader still count when an object replaces another: those that a forgiving reading has, too. */
export type Ratchet = (object: ApiObject, old: ApiObject) => (finding: FieldError) => boolean

/** The ratchet of a kind, from the reader that forgives what is unchanged. */
export function ratchetOf(
  schema: Schema,
  reader: (unchanged: Unchanged) => ObjectReader<ApiObject>,
): Ratchet {
  return (object, old) => {
    const [now, before] = [object, old] as unknown as readonly [Json, Json]
    const report = createReport()
    reader((path, value) => {
      const was = oldValueAt(schema, now, before, path)
      return was !== undefined && deepEqual(was, value)
    })(object, report)
    const left = new Set(report.errors.map(errorKey))
    return (finding) => finding.path.startsWith('metadata') || left.has(errorKey(finding))
  }
}

function errorKey({ path, message }: FieldError): string {
  return `${path}\n${message}`
}

/** The old value of the place that a path leads to. Items correspond by their keys, and in no other lists. */
function oldValueAt(schema: Schema, now: Json, before: Json, path: Path): Json | undefined {
  let [node, value, old]: [Schema | undefined, Json | undefined, Json | undefined] = [
    schema,
    now,
    before,
  ]
  for (const step of path) {
    if (typeof step === 'number') {
      const item: Json | undefined = Array.isArray(value) ? (value[step] as Json) : undefined
      old = correspondingItem(node, item, old)
      value = item
      node = node?.items
    } else {
      old = memberOf(old, step)
      value = memberOf(value, step)
      node = node && childSchemaOf(node, step)
    }
    if (old === undefined || value === undefined) return undefined
  }
  return old
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function childSchemaOf({ properties, additionalProperties: more }: Schema, name: string) {
  return properties.get(name) ?? (typeof more === 'object' ? more : undefined)
}

function correspondingItem(
  node: Schema | undefined,
  item: Json | undefined,
  old: Json | undefined,
): Json | undefined {
  if (node?.listType !== 'map' || !Array.isArray(old) || item === undefined) return undefined
  return (old as readonly Json[]).find((one) =>
    node.listMapKeys.every((key) => deepEqual(memberOf(one, key), memberOf(item, key))),
  )
}
