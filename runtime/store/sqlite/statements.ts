import type { Knex } from 'knex'
import { compile, LogStatements } from '../sql/log-statements.ts'
import type { Statement } from '../sql/statement.ts'

/** Every statement that the store sends but the insertion of a batch: see `insert-log.ts`. */
export class Statements extends LogStatements {
  readonly #knex: Knex

  constructor(knex: Knex) {
    super(knex, ['value', 'sum'])
    this.#knex = knex
  }

  /** Rows `name`, `value`: see the table in `schema.ts`. */
  meta(): Statement {
    return compile(this.#knex('meta').select('name', 'value'))
  }

  setMeta(name: string, value: string): Statement {
    return compile(this.#knex('meta').where({ name }).update({ value }))
  }

  /** Writes some pages, and removes them: whether the database can be written. */
  probe(): readonly Statement[] {
    return [
      {
        sql: "INSERT OR REPLACE INTO meta (name, value) VALUES ('probe', zeroblob(262144))",
        bindings: [],
      },
      compile(this.#knex('meta').where({ name: 'probe' }).delete()),
    ]
  }

  /** One row with the greatest revision in the log as `tip`; null in an empty log. */
  latestRevision(): Statement {
    return compile(this.#knex('log').max({ tip: 'rev' }))
  }

  /** Rows `key`, `rev`, `cre` of everything alive. */
  latestRevisions(): Statement {
    return compile(this.#knex('cur').select('key', 'rev', 'cre'))
  }

  /** Gives that many free pages back. */
  vacuum(pages: number): Statement {
    return { sql: `PRAGMA incremental_vacuum(${pages})`, bindings: [] }
  }

  /** One row with the number of live keys whose version the log does not have as `lost`. */
  lostVersions(): Statement {
    const sql =
      'SELECT count(*) AS lost FROM cur c LEFT JOIN log l ON l.rev = c.rev WHERE l.key IS NOT c.key'
    return { sql, bindings: [] }
  }
}
