/** What is wrong with a store is found, each kind of damage by its name, and what can be mended is. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { Findings, mayRepair } from '../../../runtime/store/archive/examination.ts'
import { Connection } from '../../../runtime/store/sqlite/connection.ts'
import {
  type Examination,
  openStore,
  parseStoreLocation,
  type StoreLocation,
  storeKeeper,
} from '../../../runtime/store/store.ts'
import { noPostgres, postgresPrograms, sharedPostgres } from '../../support/postgres.ts'
import { tempDirectory } from '../../support/temp.ts'
import { bytes } from './contract.ts'

const examination = suite('runtime/store: examination')
const directory = tempDirectory()
const clock = systemClock
let count = 0

/** A damaged store, and how to damage it. */
interface Place {
  readonly location: StoreLocation
  readonly sql: (...texts: readonly string[]) => Promise<void>
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  async sqlite() {
    const file = join(directory, `${++count}.db`)
    const sql = async (...texts: readonly string[]): Promise<void> => {
      const database = await Connection.open(file)
      for (const text of texts) await database.run('write', (query) => query(text))
      await database.close()
    }
    return { location: parseStoreLocation(`sqlite:${file}`)!, sql }
  },
  async postgres() {
    const schema = `examined_${++count}`
    const postgres = await sharedPostgres()
    const sql = async (...texts: readonly string[]): Promise<void> => {
      for (const text of texts) await postgres.sql(`SET search_path TO ${schema}; ${text}`)
    }
    return { location: parseStoreLocation(postgres.url(schema))!, sql }
  },
}
const kinds = postgresPrograms === undefined ? ['sqlite'] : ['sqlite', 'postgres']
if (postgresPrograms === undefined) console.log(`SKIP stores in PostgreSQL: ${noPostgres}`)

/** Ten objects at revisions 1 to 10, the first five changed at 11 to 15, the last deleted at 16, compacted to 5. */
async function fill({ location }: Place): Promise<void> {
  const store = await openStore(location, { clock })
  for (let at = 1; at <= 10; at++) await store.create(`/k/${at}`, bytes(`value ${at}`))
  await store.compact(5)
  for (let at = 1; at <= 5; at++) await store.update(`/k/${at}`, at, bytes(`later ${at}`))
  await store.delete('/k/10', 10)
  await store.close()
}

const examine = async ({ location }: Place, options = {}): Promise<Examination> =>
  (await storeKeeper(location))!.examine({ clock, ...options })

const codes = ({ findings }: Examination): readonly string[] => [
  ...new Set(findings.map(({ code, remedy }) => `${code}: ${remedy}`)),
]

interface Damage {
  readonly what: string
  readonly sql: readonly string[]
  /** What stands in a statement of PostgreSQL where it differs. */
  readonly postgres?: readonly string[]
  readonly found: readonly string[]
  /** Keys that are gone after the repair. */
  readonly gone?: readonly string[]
}

const damages: readonly Damage[] = [
  {
    what: 'a pointer that is gone',
    sql: ["DELETE FROM cur WHERE key = '/k/3'"],
    found: ['pointers: repair'],
  },
  {
    what: 'a pointer to an earlier version',
    sql: ["UPDATE cur SET rev = 2 WHERE key = '/k/2'"],
    found: ['pointers: repair'],
  },
  {
    what: 'a pointer of an object that was deleted',
    sql: ["INSERT INTO cur (key, rev, cre) VALUES ('/k/10', 10, 10)"],
    found: ['pointers: repair'],
  },
  {
    what: 'a value of the past that is not what was written',
    sql: ["UPDATE log SET value = x'00' WHERE rev = 10"],
    postgres: ["UPDATE log SET value = 'x' WHERE rev = 10"],
    found: ['history: repair'],
  },
  {
    what: 'the value of an object that is not what was written',
    sql: ["UPDATE log SET value = x'00' WHERE rev = 7"],
    postgres: ["UPDATE log SET value = 'x' WHERE rev = 7"],
    found: ['lost: accept loss'],
    gone: ['/k/7'],
  },
  {
    what: 'a row of an object that is gone',
    sql: ['DELETE FROM log WHERE rev = 8'],
    found: ['log: repair', 'lost: accept loss'],
    gone: ['/k/8'],
  },
  {
    what: 'a row of the past that is gone',
    sql: ['DELETE FROM log WHERE rev = 10'],
    found: ['log: repair'],
  },
  {
    what: 'a row that names another version than it replaced',
    sql: ['UPDATE log SET prev = 4 WHERE rev = 11'],
    found: ['log: repair'],
  },
  {
    what: 'a row that should have been compacted',
    sql: ["INSERT INTO log (rev, key, prev, cre, op) VALUES (-3, '/k/1', 0, -3, 1)"],
    postgres: ["INSERT INTO log (rev, key, prev, cre, op, batch) VALUES (-3, '/k/1', 0, -3, 1, 0)"],
    found: ['log: repair'],
  },
  {
    what: 'numbers that contradict each other',
    sql: ["UPDATE meta SET value = '9' WHERE name = 'trimmed'"],
    postgres: ['UPDATE compaction SET trimmed = 9'],
    found: ['state: repair'],
  },
  {
    what: 'what keeps the pointers being gone',
    sql: ['DROP TRIGGER log_del'],
    postgres: ['DROP FUNCTION commit_batch'],
    found: ['tables: repair'],
  },
]

/** What keeps rows away from the log. */
const keepsAway = [
  "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
  'CREATE TRIGGER stranger BEFORE INSERT ON log FOR EACH ROW EXECUTE FUNCTION nothing()',
]

/** What can be wrong in a database alone. */
const databaseDamages: readonly Damage[] = [
  { what: 'a trigger that keeps rows away', sql: keepsAway, found: ['tables: repair'] },
  {
    what: 'a rule that keeps rows away',
    sql: ['CREATE RULE "Odd one" AS ON INSERT TO cur DO INSTEAD NOTHING'],
    found: ['tables: repair'],
  },
  { what: 'the pointers being gone', sql: ['DROP TABLE cur'], found: ['tables: repair'] },
  {
    what: 'a table without its key',
    sql: ['ALTER TABLE cur DROP CONSTRAINT cur_pkey'],
    found: ['tables: repair'],
  },
  { what: 'the head being gone', sql: ['DELETE FROM head'], found: ['state: repair'] },
  { what: 'the bound being gone', sql: ['DELETE FROM compaction'], found: ['state: repair'] },
  {
    what: 'a table of migrations that was emptied',
    sql: ['DELETE FROM migrations'],
    found: ['tables: repair'],
  },
  {
    what: 'a table of migrations that is gone',
    sql: ['DROP TABLE migrations'],
    found: ['tables: repair'],
  },
  { what: 'a head that went back', sql: ['UPDATE head SET rev = 12'], found: ['log: repair'] },
]

for (const kind of kinds) {
  examination(`a sound store of ${kind} has no findings`, async () => {
    const place = await places[kind]!()
    await fill(place)
    const { count, rows, objects, state } = await examine(place)
    assert.equal([count, objects, state?.revision], [0, 9, 16])
    assert.ok(rows >= 9)
  })

  for (const { what, sql, postgres, found, gone = [] } of [
    ...damages,
    ...(kind === 'postgres' ? databaseDamages : []),
  ]) {
    examination(`${what} is found and mended in ${kind}`, async () => {
      const place = await places[kind]!()
      await fill(place)
      const statements = (kind === 'postgres' && postgres) || sql
      const isPointer = statements.some((text) => text.startsWith('INSERT INTO log'))
      await place.sql(
        ...(isPointer && kind === 'sqlite' ? ['DROP TRIGGER log_put'] : []),
        ...statements,
      )
      const first = await examine(place)
      const named = codes(first)
      for (const code of found) assert.ok(named.includes(code), `${code} among ${named}`)
      assert.not.ok(first.repaired)
      const needsLoss = named.some((code) => code.endsWith('accept loss'))
      const careful = await examine(place, { repair: true })
      assert.is(careful.repaired, !needsLoss)
      if (needsLoss) assert.ok((await examine(place, { repair: true, acceptLoss: true })).repaired)
      assert.equal(codes(await examine(place)), [])
      const store = await openStore(place.location, { clock })
      const keys = (await store.list('/')).entries.map(({ key }) => key)
      const expected = Array.from({ length: 9 }, (_, at) => `/k/${at + 1}`)
      assert.equal(
        keys,
        expected.filter((key) => !gone.includes(key)),
      )
      const { revision } = await store.create('/next', bytes('1'))
      assert.ok(revision > 16)
      await store.close()
    })
  }
}

examination(
  'of more faults than are listed the one that loses an object still needs a word',
  () => {
    const findings = new Findings()
    for (let at = 0; at < 20; at++) findings.add('pointers', `${at}`, 'repair')
    findings.add('pointers', 'a lost one', 'accept loss')
    assert.is(findings.listed.length, 20)
    assert.not.ok(mayRepair(findings, { repair: true }))
    assert.ok(mayRepair(findings, { repair: true, acceptLoss: true }))
  },
)

if (postgresPrograms !== undefined) {
  examination('a table without a column is found, and nothing pretends to mend it', async () => {
    const place = await places.postgres!()
    await fill(place)
    await place.sql('ALTER TABLE log DROP COLUMN batch')
    const examined = await examine(place, { repair: true, acceptLoss: true })
    assert.equal(codes(examined), ['tables: restore'])
    assert.not.ok(examined.repaired)
  })

  for (const sql of ['DELETE FROM migrations', 'DROP TABLE migrations']) {
    examination(
      `a start and a load refuse a store after ${sql}, and keep what it has`,
      async () => {
        const [from, place] = [await places.sqlite!(), await places.postgres!()]
        await fill(from)
        await fill(place)
        await place.sql(sql)
        const dump = await (await storeKeeper(from.location))!.dump({ clock })
        const keeper = (await storeKeeper(place.location))!
        const load = () => keeper.load(dump, { clock, replace: true })
        for (const refused of [() => openStore(place.location, { clock }), load]) {
          const refusal = await refused().then(() => 'none', String)
          assert.match(refusal, 'is gone or empty: orch store doctor --repair mends it')
        }
        await dump.close()
        assert.equal((await examine(place, { repair: true })).objects, 9)
        await (await openStore(place.location, { clock })).close()
      },
    )
  }

  examination(
    'a database that does not keep what is loaded is refused, and keeps what it had',
    async () => {
      const [from, to] = [await places.sqlite!(), await places.postgres!()]
      await fill(from)
      await fill(to)
      await to.sql(...keepsAway)
      const dump = await (await storeKeeper(from.location))!.dump({ clock })
      const load = (await storeKeeper(to.location))!.load(dump, { clock, replace: true })
      const error = await load.then(
        () => undefined,
        (reason: Error) => reason,
      )
      await dump.close()
      assert.match(String(error), 'keeps 0 of')
      assert.equal((await examine(to)).objects, 9)
    },
  )
}

examination('damaged pages are found, and nothing pretends to mend them', async () => {
  const place = await places.sqlite!()
  await fill(place)
  const { file } = place.location as { readonly file: string }
  const whole = readFileSync(file)
  const damaged: readonly Buffer[] = [
    Buffer.from(whole).fill(0, 2048, 4096),
    Buffer.from(whole).fill(0x5a, 4096, 6144),
    whole.subarray(0, whole.length - 2048),
    Buffer.concat([Buffer.alloc(100), whole.subarray(100)]),
  ]
  for (const file_ of damaged) {
    writeFileSync(file, file_)
    const found = await examine(place, { repair: true, acceptLoss: true }).catch(String)
    if (typeof found === 'string') assert.match(found, /Error/)
    else {
      assert.ok(found.count > 0)
      assert.not.ok(found.repaired)
    }
  }
})

examination.run()
