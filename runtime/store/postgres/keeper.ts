import type { StoreKeeper } from '../keeper.ts'
import { dumpDatabase } from './dump.ts'
import { examineDatabase } from './examine.ts'
import { holdDatabase, requireStore, run } from './held-database.ts'
import { loadDatabase } from './load.ts'
import type { PostgresLocation } from './location.ts'

/** Moves and keeps stores in databases. */
export const postgresKeeper: StoreKeeper<PostgresLocation> = {
  dump: dumpDatabase,
  load: loadDatabase,
  examine: examineDatabase,
  async vacuum(location, { clock }) {
    const held = await holdDatabase(location, clock, false)
    try {
      await requireStore(held)
      await run(held.query, 'VACUUM (ANALYZE) log, cur, head, compaction')
    } finally {
      await held.close()
    }
  },
  async sizes(location, { clock }) {
    const held = await holdDatabase(location, clock, false)
    try {
      await requireStore(held)
      const sql = `SELECT relname AS name, pg_total_relation_size(c.oid)::text AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1 AND c.relname IN ('log', 'cur', 'head') ORDER BY relname`
      const rows = await held.query({ sql, bindings: [held.schema] })
      return Object.fromEntries(rows.map(({ name, bytes }) => [String(name), Number(bytes)]))
    } finally {
      await held.close()
    }
  },
}
