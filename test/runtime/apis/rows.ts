import type { Test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Cell, cellOf } from '../../../runtime/apis/apis.ts'
import type { ApiObject } from '../../../runtime/kernel/meta/object.ts'
import { kindAt } from '../../support/registry.ts'

/** The moment at which rows are printed. */
export const now = Date.parse('2024-01-01T00:10:00Z')

/** A time before that. */
export function ago(seconds: number): string {
  return new Date(now - seconds * 1000).toISOString().replace('.000', '')
}

export type Row = Readonly<Record<string, Cell>>
export type Fields = { readonly metadata?: object; readonly [field: string]: unknown }

/** Cells of one kind: the columns that `want` names. */
export function rows(
  test: Test,
  path: string,
  table: readonly (readonly [name: string, given: Fields, want: Row])[],
): void {
  const kind = kindAt(path)
  for (const [name, given, want] of table) {
    test(`${kind.kind}: ${name}`, () => {
      const object = { apiVersion: 'v1', kind: kind.kind, metadata: {}, ...given } as ApiObject
      const columns = kind.columns.filter((column) => Object.hasOwn(want, column.name))
      const got = columns.map((column) => [column.name, cellOf(column)(object, now)])
      assert.equal(Object.fromEntries(got), want)
    })
  }
}
