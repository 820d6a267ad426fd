import type { Json } from '../kernel/json.ts'
import type { Column } from '../kernel/kind.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { ColumnDefinition } from './definition.ts'
import { type JsonPath, parseJsonPath, valuesAt } from './json-path.ts'

const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object.',
  cell: '.metadata.name',
}

const ageColumn: Column = {
  name: 'Age',
  type: 'date',
  description: 'When the object was created.',
  cell: '$.metadata.creationTimestamp',
}

/** The columns of a version: the name, then its own, or the age if it has none (supplement C-18, D-24). */
export function columnsOf(own: readonly ColumnDefinition[] = []): readonly Column[] {
  if (own.length === 0) return [nameColumn, ageColumn]
  return [
    nameColumn,
    ...own.map(({ name, type, format, description, priority, jsonPath }) => ({
      name,
      type: type as Column['type'],
      ...(format && { format }),
      description: description || `Column of a custom resource definition, by the path ${jsonPath}`,
      ...(priority && { priority }),
      cell: `$${jsonPath}`,
    })),
  ]
}

/** What a cell whose path begins with `$` shows of an object. `age` prints how long ago a time was. */
export function columnCell(
  { cell, type }: Column,
  age: (time: string, now: number) => string,
): (object: ApiObject, now: number) => string | number | boolean | null {
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
  return valuesAt(object as unknown as Json, path)[0]
}

function asNumber(value: Json): number | null {
  return typeof value === 'bigint' ? Number(value) : null
}

function dated(time: string, now: number, age: (time: string, now: number) => string): string {
  return Number.isNaN(Date.parse(time)) ? '<invalid>' : age(time, now)
}

function text(value: Json): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? String(part) : part,
  )
}
