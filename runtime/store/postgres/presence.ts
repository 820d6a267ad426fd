/** Who has a store open: each server holds a lock that others may hold, too, over the connection by which it listens. */
import type { Database } from './database.ts'
import { OpenError } from './database-error.ts'
import type { Session } from './session.ts'

const keys = (schema: string): readonly string[] => ['orch servers', schema]

/** A session that says, until it ends, that a server has the store open. @throws OpenError while the store is being replaced. */
export async function announcedSession(database: Database): Promise<Session> {
  const { schema } = database.settings
  const session = await database.session()
  if (await holds(session, 'pg_try_advisory_lock_shared', schema)) return session
  await session.close()
  throw new OpenError(
    `${database.where}, schema ${schema}: the store is being loaded or mended: wait until that is done`,
  )
}

/** Keeps servers away until the session ends. @throws OpenError if one has the store open. */
export async function keepServersAway(
  session: Session,
  where: string,
  schema: string,
): Promise<void> {
  if (await holds(session, 'pg_try_advisory_lock', schema)) return
  throw new OpenError(`${where}, schema ${schema}: servers have this store open: stop them first`)
}

async function holds(session: Session, lock: string, schema: string): Promise<boolean> {
  const text = `SELECT ${lock}(hashtext($1), hashtext($2))::text AS held`
  const [row] = await session.query({ text, values: keys(schema) })
  return String(row?.held) === 'true'
}
