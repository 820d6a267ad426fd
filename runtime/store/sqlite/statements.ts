import type { Knex } from 'knex'
import type { Revision } from '../contract.ts'
import { compile, type KeyRange, LogStatements } from '../sql/log-statements.ts'
import type { Statement } from '../sql/statement.ts'

/** The columns that name versions, packed. */
const pointerColumns = ['key', 'rev', 'cre'].map((name) => `json_group_array(${name}) AS ${name}s`)

/** Bytes behind each value of a page of versions but the last, so that readers can make it longer where it stands. */
export const valueRoom = 40

const room = `'${' '.repeat(valueRoom)}'`

/** Every statement that the store sends but the insertion of a batch: see `insert-log.ts`. */
export class Statements extends LogStatements {
  readonly #knex: Knex

  constructor(knex: Knex) {
    super(knex, ['value', 'sum'])
    this.#knex = knex
  }

  /** A live key whose version the log does not have has a row without value and checksum: it is noticed when it is read. */
  protected override live(): Knex.QueryBuilder {
    return this.#knex('cur as c')
      .leftJoin('log as l', (join) => join.on('l.rev', 'c.rev').on('l.key', 'c.key'))
      .select('c.key', 'c.rev', 'c.cre', 'l.value', 'l.sum')
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

  /** One row with `keys`, `revs`, `cres` of what is alive after a key, in the order of keys, each as an array in JSON. */
  packedPointers(after: string, limit: number): Statement {
    const rows = this.#knex('cur').select('key', 'rev', 'cre').where('key', '>', after)
    return this.#packed(rows.orderBy('key').limit(limit), [...pointerColumns])
  }

  /**
   * The rows of `page` in one: `keys`, `revs`, `cres`, `sums` and the `lengths` of the values, each as an array in JSON, and the
   * values as `bytes`. Of many rows the driver makes an object each, and memory of its own for each value.
   */
  packedPage(range: KeyRange, limit: number): Statement {
    return this.#packed(this.rowsOf(range, limit), [
      ...pointerColumns,
      'json_group_array(sum) AS sums',
      'json_group_array(octet_length(value)) AS lengths',
      "CAST(group_concat(value, '') AS BLOB) AS bytes",
    ])
  }

  /**
   * The versions with these revisions in one row, as far as their values have no more than so many bytes, but one at least: their
   * `revs`, `sums`, `lengths` and `bytes` as of a packed page, in the order of the revisions, with `valueRoom` bytes between values.
   * What the log does not have is left out. Of values that are too long together they are added up one by one.
   */
  packedVersions(
    revisions: readonly Revision[],
    bytes: number,
  ): Statement & { readonly kept: true } {
    const sql = `WITH wanted AS (
        SELECT l.rev, l.sum, l.value FROM json_each(?1) AS r CROSS JOIN log AS l ON l.rev = r.value)
      SELECT json_group_array(rev) AS revs, json_group_array(sum) AS sums,
        json_group_array(octet_length(value)) AS lengths,
        CAST(group_concat(value, ${room}) AS BLOB) AS bytes
      FROM (SELECT * FROM wanted LIMIT (
        SELECT CASE WHEN sum(octet_length(value)) <= ?2 THEN count(*) ELSE (
          SELECT max(1, count(*))
          FROM (SELECT sum(octet_length(value)) OVER (ROWS UNBOUNDED PRECEDING) AS total FROM wanted)
          WHERE total <= ?2) END
        FROM wanted))`
    return { sql, bindings: [JSON.stringify(revisions), bytes], kept: true }
  }

  #packed(rows: Knex.QueryBuilder, columns: readonly string[]): Statement {
    return compile(this.#knex.from(rows.as('page')).select(this.#knex.raw(columns.join(', '))))
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
