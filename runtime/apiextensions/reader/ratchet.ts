/**
 * Ratcheting: an update may leave values that were invalid before and did not change (supplement C-30). The object is read once
 * more beside the old one, and the errors of a node and of everything below it are dropped if its value is the old one.
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

/** True if the old object has the same value at the corresponding path. */
export type Unchanged = (path: Path, value: Json) => boolean

/** The predicate for the errors of an object that hold in an update: those that a tolerant reading finds as well. */
export type Ratchet = (object: ApiObject, old: ApiObject) => (error: FieldError) => boolean

/** Creates the ratchet of a kind from its reader. */
export function ratchetOf(
  schema: Schema,
  reader: (unchanged: Unchanged) => ObjectReader<ApiObject>,
): Ratchet {
  return (object, old) => {
    const [value, oldValue] = [object, old] as unknown as readonly [Json, Json]
    const report = createReport()
    reader((path, part) => {
      const oldPart = oldValueAt(schema, value, oldValue, path)
      return oldPart !== undefined && deepEqual(oldPart, part)
    })(object, report)
    const remaining = new Set(report.errors.map(errorKey))
    return (error) => error.path.startsWith('metadata') || remaining.has(errorKey(error))
  }
}

/** Two readings find the same error if path and message agree. */
function errorKey({ path, message }: FieldError): string {
  return `${path}\n${message}`
}

/** The old value at a path. Items correspond by their keys in lists of the type map, and in no other lists. */
function oldValueAt(schema: Schema, root: Json, oldRoot: Json, path: Path): Json | undefined {
  let [node, value, old]: [Schema | undefined, Json | undefined, Json | undefined] = [
    schema,
    root,
    oldRoot,
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
