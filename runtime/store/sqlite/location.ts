/** A store in a file that the process owns while the store is open. */
export interface SqliteLocation {
  readonly kind: 'sqlite'
  readonly file: string
}
