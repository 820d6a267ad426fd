import type { Knex } from 'knex'
import type { Revision } from '../contract.ts'
import type { SqlValue, Statement } from './statement.ts'

/** Keys greater than `after` (or equal to `from`, if there is no `after`) and less than `end`, as of a revision or now. */
export interface KeyRange {
  readonly from: string
  readonly after: string | undefined
  readonly end: string | undefined
  readonly revision: Revision | undefined
}

const deletion = 2

/**
 * Statements about the tables that every SQL driver has: `log` with a row for each version (`rev`, `key`, `prev`, `cre`, `op` and its
 * value), and `cur` with `key`, `rev`, `cre` of the newest one of each live key.
 */
export class LogStatements {
  readonly #knex: Knex
  readonly #valueColumns: readonly string[]

  /** `valueColumns`: where a row of the log keeps its value. */
  constructor(knex: Knex, valueColumns: readonly string[]) {
    this.#knex = knex
    this.#valueColumns = valueColumns
  }

  /** The row `key`, `rev`, `cre` and value of a live key. */
  entry(key: string): Statement {
    return compile(this.live().where('c.key', key))
  }

  /** Rows `key`, `rev`, `cre` and value in key order. */
  page(range: KeyRange, limit: number | undefined): Statement {
    return compile(this.rowsOf(range, limit).orderBy('key'))
  }

  /** One row with `count`. */
  count(range: KeyRange): Statement {
    const count = { count: '*' }
    return range.revision === undefined
      ? compile(withKeys(this.#knex('cur').count(count), 'key', range))
      : compile(this.#knex.from(this.#versionsIn(range).as('versions')).count(count))
  }

  /** One row with the number of rows of `page` as `count`, and the bytes of their values as `bytes`. */
  pageSize(range: KeyRange, limit: number): Statement {
    const size = this.#knex.raw(`count(*) AS count, coalesce(sum(${this.lengths}), 0) AS bytes`)
    return compile(this.#knex.from(this.rowsOf(range, limit).as('page')).select(size))
  }

  /** Log rows after a revision, in order. */
  logAfter(after: Revision, limit: number): Statement {
    return compile(this.#rows().where('rev', '>', after).orderBy('rev').limit(limit))
  }

  /** Rows `rev`, `bytes` of the log after a revision, in order: how long the values are. */
  logSizes(after: Revision, limit: number): Statement {
    const bytes = this.#knex.raw(`${this.lengths} as bytes`)
    const rows = this.#knex('log').select('rev', bytes).where('rev', '>', after)
    return compile(rows.orderBy('rev').limit(limit))
  }

  /** Log rows after `after`, up to `to`, in order. */
  logBetween(after: Revision, to: Revision): Statement {
    return compile(this.#rows().where('rev', '>', after).where('rev', '<=', to).orderBy('rev'))
  }

  /** Rows `key`, `rev`, `cre` of what is alive, in the order of keys. */
  pointers(after: string, limit: number): Statement {
    const rows = this.#knex('cur').select('key', 'rev', 'cre').where('key', '>', after)
    return compile(rows.orderBy('key').limit(limit))
  }

  /** Log rows of exactly these revisions. */
  logRows(revisions: readonly Revision[]): Statement {
    return compile(this.#rows().whereIn('rev', revisions))
  }

  /** Deletes what the log rows after `after`, up to `to`, made obsolete. */
  deleteObsolete(after: Revision, to: Revision): Statement {
    const rows = () => this.#knex('log').where('rev', '>', after).where('rev', '<=', to)
    const replaced = rows().where('prev', '>', 0).select('prev')
    const deletions = rows().where('op', deletion).select('rev')
    return compile(this.#knex('log').whereIn('rev', replaced.unionAll(deletions)).delete())
  }

  #rows(): Knex.QueryBuilder {
    return this.#knex('log').select('rev', 'key', 'prev', 'cre', 'op', ...this.#valueColumns)
  }

  /** Rows `key`, `rev`, `cre` and value of what is alive: tables `cur as c`, `log as l`. */
  protected live(): Knex.QueryBuilder {
    return this.#knex('cur as c')
      .join('log as l', 'l.rev', 'c.rev')
      .select('c.key', 'c.rev', 'c.cre', ...this.#valuesOf('l'))
  }

  /** The rows of a page, in any order. */
  protected rowsOf(range: KeyRange, limit: number | undefined): Knex.QueryBuilder {
    const rows = this.#knex
      .from(this.#versionsIn(range, limit).as('versions'))
      .select('key', 'rev', 'cre', ...this.#valueColumns)
    return limit === undefined ? rows : rows.orderBy('key').limit(limit)
  }

  /** The length of a value, in the words of SQL. */
  protected get lengths(): string {
    return this.#valueColumns
      .filter((column) => column !== 'sum')
      .map((column) => `coalesce(octet_length(${column}), 0)`)
      .join(' + ')
  }

  /**
   * A key's version at R is its current one if that is not younger, or what the one log row that ended it replaced. With a limit, each
   * of both has no more rows than a page: a database sorts all that it joins with others before it takes the first ones.
   */
  #versionsIn(range: KeyRange, limit?: number): Knex.QueryBuilder {
    const { revision } = range
    const current = withKeys(this.live(), 'c.key', range)
    if (revision === undefined) return current
    const ended = this.#knex('log as n')
      .join('log as o', 'o.rev', 'n.prev')
      .select('o.key', 'o.rev', 'o.cre', ...this.#valuesOf('o'))
      .where('n.rev', '>', revision)
      .whereBetween('n.prev', [1, revision])
    const unchanged = current.where('c.rev', '<=', revision)
    const changed = withKeys(ended, 'n.key', range)
    if (limit === undefined) return unchanged.unionAll(changed)
    const first = (rows: Knex.QueryBuilder, key: string) =>
      this.#knex.from(rows.orderBy(key).limit(limit).as('first')).select('*')
    return first(unchanged, 'c.key').unionAll(first(changed, 'o.key'))
  }

  #valuesOf(table: string): readonly string[] {
    return this.#valueColumns.map((column) => `${table}.${column}`)
  }
}

function withKeys<Q extends Knex.QueryBuilder>(
  query: Q,
  column: string,
  { from, after, end }: KeyRange,
): Q {
  if (after === undefined) query.where(column, '>=', from)
  else query.where(column, '>', after)
  if (end !== undefined) query.where(column, '<', end)
  return query
}

/** The statement that a builder stands for, with the placeholders of its database. */
export function compile(builder: Knex.QueryBuilder): Statement {
  const { sql, bindings } = builder.toSQL().toNative()
  return { sql, bindings: bindings as readonly SqlValue[] }
}
