/** What a column holds and a binding may be. */
export type SqlValue = string | number | Uint8Array | null

/** A row by column names. */
export type Row = Readonly<Record<string, SqlValue>>

/** A statement as text and bindings. */
export interface Statement {
  readonly sql: string
  readonly bindings: readonly SqlValue[]
}
