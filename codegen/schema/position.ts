/** A place in a schema file: line and column count from 1, `file` is relative to the schema root that it was found under. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}
