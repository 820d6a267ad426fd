/**
 * A place in a schema file: line and column count from 1, `file` is relative to the schema root that it was found under. Both are 0
 * where the file as a whole is meant.
 */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** The place of what a file does not have: no line of it is shown. */
export function wholeFile(file: string): Position {
  return { file, line: 0, column: 0 }
}
