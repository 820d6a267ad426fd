import type { Knex } from 'knex'
import type { Revision } from '../contract.ts'
import type { SqlValue, Statement } from './connection.ts'

/** Keys greater than `after` (or equal to `from`, if there is no `after`) and less than `end`, as of a revision or now. */
export interface KeyRange {
  readonly from: string
  readonly after: string | undefined
  readonly end: string | undefined
  readonly revision: Revision | undefined
}

const columns = ['rev', 'key', 'prev', 'cre', 'op', 'value', 'sum']
const deletion = 2

/** Every statement that the store sends but the insertion of a batch: see `insert-log.ts`. */
export class Statements {
  readonly #knex: Knex

  constructor(knex: Knex) {
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

  /** The row `key`, `rev`, `cre`, `value`, `sum` of a live key. */
  entry(key: string): Statement {
    return compile(this.#live().where('c.key', key))
  }

  /** Rows `key`, `rev`, `cre`, `value`, `sum` in key order. */
  page(range: KeyRange, limit: number | undefined): Statement {
    const page = this.#knex
      .from(this.#versionsIn(range).as('versions'))
      .select('key', 'rev', 'cre', 'value', 'sum')
      .orderBy('key')
    return compile(limit === undefined ? page : page.limit(limit))
  }

  /** One row with `count`. */
  count(range: KeyRange): Statement {
    const count = { count: '*' }
    return range.revision === undefined
      ? compile(withKeys(this.#knex('cur').count(count), 'key', range))
      : compile(this.#knex.from(this.#versionsIn(range).as('versions')).count(count))
  }

  /** Log rows after a revision, in order. */
  logAfter(after: Revision, limit: number): Statement {
    return compile(
      this.#knex('log').select(columns).where('rev', '>', after).orderBy('rev').limit(limit),
    )
  }

  /** Log rows of exactly these revisions. */
  logRows(revisions: readonly Revision[]): Statement {
    return compile(this.#knex('log').select(columns).whereIn('rev', revisions))
  }

  /** Deletes what the log rows after `after`, up to `to`, made obsolete. */
  deleteObsolete(after: Revision, to: Revision): Statement {
    const rows = () => this.#knex('log').where('rev', '>', after).where('rev', '<=', to)
    const replaced = rows().where('prev', '>', 0).select('prev')
    const deletions = rows().where('op', deletion).select('rev')
    return compile(this.#knex('log').whereIn('rev', replaced.unionAll(deletions)).delete())
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

  #live(): Knex.QueryBuilder {
    return this.#knex('cur as c')
      .join('log as l', 'l.rev', 'c.rev')
      .select('c.key', 'c.rev', 'c.cre', 'l.value', 'l.sum')
  }

  /** A key's version at R is its current one if that is not younger, or what the one log row that ended it replaced. */
  #versionsIn(range: KeyRange): Knex.QueryBuilder {
    const { revision } = range
    const current = withKeys(this.#live(), 'c.key', range)
    if (revision === undefined) return current
    const ended = this.#knex('log as n')
      .join('log as o', 'o.rev', 'n.prev')
      .select('o.key', 'o.rev', 'o.cre', 'o.value', 'o.sum')
      .where('n.rev', '>', revision)
      .whereBetween('n.prev', [1, revision])
    return current.where('c.rev', '<=', revision).unionAll(withKeys(ended, 'n.key', range))
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

function compile(builder: Knex.QueryBuilder): Statement {
  const { sql, bindings } = builder.toSQL()
  return { sql, bindings: bindings as readonly SqlValue[] }
}
