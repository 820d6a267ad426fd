import type { Knex } from 'knex'
import type { Database } from './database.ts'
import { OpenError } from './database-error.ts'
import type { Session } from './session.ts'

/** A step from one format of the tables to the next; its name begins with the number of the format that it leaves. */
interface Migration {
  readonly name: string
  up(knex: Knex): Promise<void>
}

/**
 * `head` has one row: the latest revision, which a commit locks first, so that revisions are in the order of commits and without gaps.
 * `log` holds every version, `cur` points to the newest one of each live key, `compaction` says from where on history is complete and
 * up to where obsolete rows are gone. A value that is text stands in `value`, any other in `bytes`; `sum` is the checksum of key and
 * value, `batch` names the call that wrote the row.
 *
 * `head` is rewritten by every commit: room in its page lets all of its versions stay there.
 */
const first: Migration = {
  name: '1-log',
  async up(knex) {
    const lz4 = await hasLz4(knex)
    const compression = lz4 ? 'COMPRESSION lz4' : ''
    await knex.raw(`CREATE TABLE head (id int PRIMARY KEY CHECK (id = 1), rev bigint NOT NULL, store uuid NOT NULL)
      WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`)
    await knex.raw(`CREATE TABLE compaction
      (id int PRIMARY KEY CHECK (id = 1), bound bigint NOT NULL, trimmed bigint NOT NULL) WITH (fillfactor = 10)`)
    await knex.raw(`CREATE TABLE log (rev bigint PRIMARY KEY, key text COLLATE "C" NOT NULL, prev bigint NOT NULL,
      cre bigint NOT NULL, op smallint NOT NULL, value text ${compression}, bytes bytea ${compression}, sum bigint, batch bigint NOT NULL)`)
    await knex.raw(`CREATE TABLE cur (key text COLLATE "C" PRIMARY KEY, rev bigint NOT NULL, cre bigint NOT NULL)
      WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)`)
    await knex.raw('INSERT INTO head (id, rev, store) VALUES (1, 0, gen_random_uuid())')
    await knex.raw('INSERT INTO compaction (id, bound, trimmed) VALUES (1, 0, 0)')
    await knex.raw(commitBatch)
  },
}

/**
 * One call is one transaction. It locks the head row, and each later statement in it sees what was committed before: that is what
 * READ COMMITTED means, and what preconditions are compared with. A write that loses is a negative number in `revs`.
 */
export const commitBatch = `
CREATE FUNCTION commit_batch(k text[], p bigint[], o smallint[], v text[], b bytea[], s bigint[], batch_key bigint, channel text,
  OUT revs bigint[], OUT cres bigint[]) LANGUAGE plpgsql AS $$
DECLARE r bigint; r0 bigint; c bigint;
BEGIN
  SELECT rev INTO STRICT r FROM head WHERE id = 1 FOR UPDATE;
  r0 := r;
  FOR j IN 1 .. cardinality(k) LOOP
    IF o[j] = 0 THEN
      c := r + 1;
      INSERT INTO cur (key, rev, cre) VALUES (k[j], r + 1, r + 1) ON CONFLICT (key) DO NOTHING;
    ELSIF o[j] = 2 THEN
      DELETE FROM cur WHERE key = k[j] AND rev = p[j] RETURNING cre INTO c;
    ELSE
      UPDATE cur SET rev = r + 1 WHERE key = k[j] AND rev = p[j] RETURNING cre INTO c;
    END IF;
    IF FOUND THEN
      r := r + 1;
      revs[j] := r;
      cres[j] := c;
      INSERT INTO log (rev, key, prev, cre, op, value, bytes, sum, batch) VALUES (r, k[j], p[j], c, o[j], v[j], b[j], s[j], batch_key);
    ELSE
      cres[j] := 0;
      PERFORM 1 FROM cur WHERE key = k[j];
      revs[j] := CASE WHEN o[j] = 0 THEN -1 WHEN FOUND THEN -2 ELSE -3 END;
    END IF;
  END LOOP;
  IF r > r0 THEN
    UPDATE head SET rev = r WHERE id = 1;
    PERFORM pg_notify(channel, r::text);
  END IF;
END $$`

/** In the order in which they are applied. A change of the tables is another entry at the end. */
const migrations: readonly Migration[] = [first]

/**
 * Brings the tables into this code's format, through Knex, all steps or none. One server at a time does it.
 *
 * @throws Error if they are of a later format, DatabaseError
 */
export async function migrate(database: Database, session: Session): Promise<void> {
  const { knex, settings, where } = database
  const { schema } = settings
  const completed = await completedMigrations(session, schema)
  checkFormat(completed, `${where}, schema ${schema}`)
  if (completed?.length === migrations.length) return
  const lock = ['orch migration', schema]
  await session.query({
    text: 'SELECT pg_advisory_lock(hashtext($1), hashtext($2))',
    values: lock,
  })
  try {
    // Now that no other server makes them.
    await checkRecord(session, schema, where)
    if (completed === undefined) await makeSchema(session, schema)
    await knex.migrate.latest({
      tableName: 'migrations',
      schemaName: schema,
      migrationSource: {
        getMigrations: async () => [...migrations],
        getMigrationName: ({ name }: Migration) => name,
        getMigration: async ({ up }: Migration) => ({ up, down: refuseDown }),
      },
    })
  } finally {
    await session
      .query({ text: 'SELECT pg_advisory_unlock(hashtext($1), hashtext($2))', values: lock })
      .catch(() => {})
  }
}

/** @throws OpenError if there are tables of which the table `migrations` does not say what they have been through. */
async function checkRecord(session: Session, schema: string, where: string): Promise<void> {
  const completed = await completedMigrations(session, schema)
  if (completed?.length !== 0 || !(await hasTables(session, schema))) return
  throw new OpenError(
    `the store at ${where}, schema ${schema} has tables, but its table migrations is gone or empty: orch store doctor --repair mends it`,
  )
}

/** The names of the steps that the tables are said to have; undefined where there are no tables. */
export async function completedMigrations(
  session: Session,
  schema: string,
): Promise<readonly string[] | undefined> {
  const recorded = await hasTable(session, schema, ['migrations'])
  if (!recorded) return (await hasTables(session, schema)) ? [] : undefined
  const rows = await session.query({ text: `SELECT name FROM "${schema}".migrations ORDER BY id` })
  return rows.map(({ name }) => String(name))
}

const hasTables = (session: Session, schema: string): Promise<boolean> =>
  hasTable(session, schema, ['head', 'log', 'cur', 'compaction'])

/** True if the schema has any of these tables. */
async function hasTable(
  session: Session,
  schema: string,
  names: readonly string[],
): Promise<boolean> {
  const text = 'SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = ANY ($2) LIMIT 1'
  return (await session.query({ text, values: [schema, names] })).length > 0
}

/** The names of the steps that tables of this format have. */
export const migrationNames: readonly string[] = migrations.map(({ name }) => name)

/** @throws OpenError if the tables are of a later format than this program knows. */
export function checkFormat(completed: readonly string[] = [], where: string): void {
  const known = new Set(migrations.map(({ name }) => name))
  const later = completed.filter((name) => !known.has(name))
  if (later.length === 0) return
  throw new OpenError(
    `the store at ${where} has a later format (${later.join(', ')}) than this program knows (${migrations.at(-1)?.name}): start a later program`,
  )
}

/** Asked for only where it is not there: who may use a schema may not always make one. */
async function makeSchema(session: Session, schema: string): Promise<void> {
  const [found] = await session.query({
    text: 'SELECT to_regnamespace($1) IS NOT NULL AS found',
    values: [schema],
  })
  if (String(found?.found) !== 'true') {
    await session.query({ text: `CREATE SCHEMA IF NOT EXISTS "${schema}"` })
  }
}

async function hasLz4(knex: Knex): Promise<boolean> {
  const { rows } = await knex.raw(
    "SELECT 'lz4' = ANY (enumvals) AS lz4 FROM pg_settings WHERE name = 'default_toast_compression'",
  )
  return rows[0]?.lz4 === true
}

async function refuseDown(): Promise<void> {
  throw new Error('the tables of a store are not taken back')
}
