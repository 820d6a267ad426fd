import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { Connection } from '../../../../runtime/store/sqlite/connection.ts'
import { createSingleOwnerStore } from '../../../../runtime/store/sqlite/single-owner-store.ts'
import { Statements } from '../../../../runtime/store/sqlite/statements.ts'
import { type LogStore, openSqliteStore } from '../../../../runtime/store/store.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { bytes, deadline, refused, take } from '../contract.ts'

const trouble = suite('runtime/store: trouble')
const directory = tempDirectory()

const connect = (filename: string) => Connection.open(filename)

async function withDatabase(name: string): Promise<{ store: LogStore; database: Connection }> {
  const filename = join(directory, name)
  await (await openSqliteStore({ filename, clock: systemClock })).close()
  const database = await connect(filename)
  const retention = {
    clock: systemClock,
    retentionMs: 300_000,
    retainedBytes: Number.POSITIVE_INFINITY,
    intervalMs: 60_000,
    onFailure: () => {},
  }
  const store = await createSingleOwnerStore({
    connection: database,
    statements: new Statements(database.knex),
    retention,
    closeables: [database],
  })
  return { store, database }
}

trouble('a full disk refuses the batch, and revisions go on without a gap', async () => {
  const { store, database } = await withDatabase('full.db')
  const value = new Uint8Array(100_000)
  await store.create('/k/first', value)
  await database.run('write', (query) => query('PRAGMA max_page_count = 60'))
  const keys = Array.from({ length: 20 }, (_, index) => `/k/${index}`)
  const results = await Promise.allSettled(keys.map((key) => store.create(key, value)))
  const refusals = results.filter((result) => result.status === 'rejected')
  assert.ok(refusals.length > 0)
  for (const { reason } of refusals)
    assert.match(String(reason), 'the store cannot write: SQLITE_FULL')

  await database.run('write', (query) => query('PRAGMA max_page_count = 100000'))
  const before = await store.revision()
  for (const [index, key] of keys.entries()) {
    if (results[index]?.status === 'rejected') await store.create(key, value)
    else await refused(store.create(key, value), 'AlreadyExists')
  }
  assert.is(await store.revision(), before + refusals.length)
  const events = await take(21, store.watch('', 0, deadline()))
  assert.equal(
    events.map((event) => event.revision),
    events.map((_, index) => index + 1),
  )
  await store.close()
})

trouble('nobody is refused because of a write that then fails', async () => {
  const { store, database } = await withDatabase('refused.db')
  await database.run('write', (query) => query('PRAGMA max_page_count = 40'))
  const large = store.create('/a', new Uint8Array(1_000_000))
  const small = store.create('/a', bytes('1'))
  assert.match(String(await large.catch((error: unknown) => error)), 'SQLITE_FULL')
  assert.is((await small).revision, 1)
  await store.close()
})

trouble('a foreign writer ends the store instead of a guess', async () => {
  const { store } = await withDatabase('foreign.db')
  await store.create('/a', bytes('1'))
  const foreign = await connect(join(directory, 'foreign.db'))
  await foreign.run('write', (query) =>
    query("INSERT INTO log (rev, key, prev, cre, op, value) VALUES (2, '/b', 0, 2, 0, x'')"),
  )
  await foreign.close()
  const running = store.run(deadline()).catch((error: unknown) => error)
  const watching = take(1, store.watch('/', 1, deadline())).catch((error: unknown) => error)
  const write = await store.create('/c', bytes('1')).catch((error: unknown) => error)
  for (const error of [write, await running, await watching]) {
    assert.match(String(error), 'the store cannot write: SQLITE_CONSTRAINT')
  }
  const later = await store.get('/a').catch((error: unknown) => error)
  assert.is(later, write)
  await store.close()
})

trouble('a reader far behind is served from the log', async () => {
  const store = await openSqliteStore({ filename: ':memory:', clock: systemClock })
  const reading = store.watch('/', 0, deadline())[Symbol.asyncIterator]()
  const first = reading.next()
  const value = new Uint8Array(1_500_000)
  const writes = 40
  for (let index = 0; index < writes; index++) await store.create(`/k/${index}`, value)
  const revisions = ((await first).value ?? []).map((event: { revision: number }) => event.revision)
  while (revisions.length < writes) {
    const { value = [] } = await reading.next()
    revisions.push(...value.map((event: { revision: number }) => event.revision))
  }
  assert.equal(
    revisions,
    Array.from({ length: writes }, (_, index) => index + 1),
  )
  await store.close()
})

trouble('reads under load see whole revisions', async () => {
  const store = await openSqliteStore({ filename: join(directory, 'load.db'), clock: systemClock })
  const writes = Array.from({ length: 40 }, async (_, writer) => {
    for (let index = 0; index < 25; index++) {
      const { revision } = await store.create(`/k/${writer}-${index}`, bytes('1'))
      const entry = await store.get(`/k/${writer}-${index}`)
      assert.is(entry?.revision, revision)
    }
  })
  for (let revision = 0; revision < 1000; ) {
    const page = await store.list('/k/')
    revision = page.revision
    const seen = page.entries.map((entry) => entry.revision).sort((a, b) => a - b)
    assert.equal(
      seen,
      Array.from({ length: revision }, (_, index) => index + 1),
    )
  }
  await Promise.all(writes)
  await store.close()
})

trouble.run()
