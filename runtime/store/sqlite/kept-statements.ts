import type { Row, SqlValue, Statement } from '../sql/statement.ts'

/** The part of a database of the package `sqlite3` that is used here. */
export interface PreparingDatabase {
  prepare(sql: string, prepared: (error: Error | null) => void): PreparedStatement
}

interface PreparedStatement {
  all(
    bindings: readonly SqlValue[],
    done: (error: Error | null, rows: readonly Row[]) => void,
  ): unknown
  finalize(done: () => void): unknown
}

/**
 * Statements of one connection that stay prepared: to prepare the insertion of a row, with the triggers behind it, takes longer
 * than to insert it. They keep their last bindings.
 */
export class KeptStatements {
  readonly #database: PreparingDatabase
  /** Those that are not in use, by their text. */
  readonly #free = new Map<string, PreparedStatement[]>()

  constructor(database: PreparingDatabase) {
    this.#database = database
  }

  /** Its rows. Errors are those of the driver. */
  async run({ sql, bindings }: Statement): Promise<readonly Row[]> {
    const free = this.#free.get(sql) ?? []
    this.#free.set(sql, free)
    const statement = free.pop() ?? (await this.#prepare(sql))
    try {
      return await new Promise((resolve, reject) => {
        statement.all(bindings, (error, rows) => (error ? reject(error) : resolve(rows)))
      })
    } finally {
      free.push(statement)
    }
  }

  /** A database with statements cannot be closed. */
  async close(): Promise<void> {
    const statements = [...this.#free.values()].flat()
    this.#free.clear()
    for (const one of statements) await new Promise<void>((resolve) => one.finalize(resolve))
  }

  #prepare(sql: string): Promise<PreparedStatement> {
    return new Promise((resolve, reject) => {
      const made = this.#database.prepare(sql, (error) => (error ? reject(error) : resolve(made)))
    })
  }
}
