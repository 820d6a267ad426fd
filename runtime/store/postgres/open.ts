import type { StoreOptions } from '../driver.ts'
import { StoreError } from '../errors.ts'
import type { LogStore } from '../log-store.ts'
import { retentionOf } from '../retention.ts'
import type { Row } from '../sql/statement.ts'
import { Database } from './database.ts'
import { explained, OpenError } from './database-error.ts'
import type { PostgresLocation } from './location.ts'
import { migrate } from './migrations.ts'
import type { Session } from './session.ts'
import { createSharedStore } from './shared-store.ts'

/** The first release that has everything that is used here. */
const oldestVersion = 14

/**
 * Opens a store in a database, which other servers may have open, too. Its tables are made if they are not there.
 *
 * @throws Error that says what is wrong, and what to do about it.
 */
export async function openPostgresStore(
  { url }: PostgresLocation,
  options: StoreOptions,
): Promise<LogStore> {
  const { clock, maxValueBytes, onAway, onBack } = options
  const database = await Database.open(url, clock)
  try {
    const session = await database.session()
    try {
      await checkServer(session, database.where, options)
      await migrate(database, session)
    } finally {
      await session.close()
    }
    return await createSharedStore({
      database,
      clock,
      retention: retentionOf(options),
      ...(maxValueBytes !== undefined && { maxValueBytes }),
      ...(onAway && { onAway }),
      ...(onBack && { onBack }),
    })
  } catch (error) {
    await database.close()
    if (error instanceof OpenError) throw error
    if (error instanceof StoreError) throw new OpenError(error.message, { cause: error })
    const why = explained(error)
    throw new OpenError(`the database at ${database.where} cannot be opened as a store: ${why}`, {
      cause: error,
    })
  }
}

/** Refuses a database that cannot keep what a store promises, and tells what weakens it. */
async function checkServer(session: Session, where: string, options: StoreOptions): Promise<void> {
  const [row] = await session.query({
    text: `SELECT current_setting('server_version_num')::int / 10000 AS version, pg_is_in_recovery() AS standby,
      current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
      current_setting('full_page_writes') AS pages`,
  })
  const { version, standby, encoding, fsync, pages } = (row ?? {}) as Row
  if (Number(version) < oldestVersion) {
    throw new OpenError(
      `the database at ${where} is PostgreSQL ${version}: ${oldestVersion} or later is needed`,
    )
  }
  if (String(standby) === 'true') {
    throw new OpenError(
      `the database at ${where} is a standby, which can only be read: name its primary`,
    )
  }
  if (encoding !== 'UTF8') {
    throw new OpenError(
      `the database at ${where} has the encoding ${encoding}: make one with createdb --encoding=UTF8 --template=template0`,
    )
  }
  if (fsync !== 'on' || pages !== 'on') {
    options.onWeakDurability?.(
      `the database at ${where} has fsync or full_page_writes off: what was acknowledged may be lost when its machine fails`,
    )
  }
}
