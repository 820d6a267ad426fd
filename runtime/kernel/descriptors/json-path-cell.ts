/** Cells of columns that a definition brings: a JSON path into the object. */

import type { ApiObject } from '../meta/object.ts'
import type { Json } from '../values/json.ts'
import { type JsonPath, parseJsonPath, valuesAtJsonPath } from '../values/json-path.ts'
import type { Column } from './kind.ts'

/** Prints a cell of an object; `now` is in milliseconds since 1970. */
type PrintCell = (object: ApiObject, now: number) => string | number | boolean | null

/**
 * What a cell whose path begins with `$` shows of an object. `age` prints how long ago a time was.
 * Null where the path leads nowhere or the value does not have the type of the column (C-18). Of
 * several values the first is shown. The path is parsed once for a column, not for each row.
 */
export function jsonPathCell(
  { cell, type }: Column,
  age: (time: string, now: number) => string,
): PrintCell {
  const path = parseJsonPath(cell.slice(1))
  return (object, now) => {
    const value = path && first(object, path)
    if (value === undefined || value === null) return null
    switch (type) {
      case 'string':
        return typeof value === 'string' ? value : text(value)
      case 'integer':
        return typeof value === 'number' ? Math.trunc(value) : asNumber(value)
      case 'number':
        return typeof value === 'number' ? value : asNumber(value)
      case 'boolean':
        return typeof value === 'boolean' ? value : null
      case 'date':
        return typeof value === 'string' ? dated(value, now, age) : null
    }
  }
}

function first(object: ApiObject, path: JsonPath): Json | undefined {
  return valuesAtJsonPath(object as unknown as Json, path)[0]
}

/** Integers beyond 2^53 lose digits here: a cell is a number in the JSON of a table. */
function asNumber(value: Json): number | null {
  return typeof value === 'bigint' ? Number(value) : null
}

/** A text that is no time shows as `<invalid>`, unlike an absent one, which is null. */
function dated(time: string, now: number, age: (time: string, now: number) => string): string {
  return Number.isNaN(Date.parse(time)) ? '<invalid>' : age(time, now)
}

/**
 * Objects, lists and other scalars in a column of strings show as their JSON; the standard encoder
 * has no form for large integers.
 */
function text(value: Json): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? String(part) : part,
  )
}
