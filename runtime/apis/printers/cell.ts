import type { ApiObject } from '../../kernel/meta/object.ts'

/** What a cell of a table shows; null where there is nothing to show in a column that is not of strings. */
export type Cell = string | number | boolean | null

interface Printer {
  print(object: ApiObject, now: number): Cell
}

/** Prints one cell of an object, whatever was stored; `now` is in milliseconds since 1970. */
export type CellFunction = Printer['print']
