import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { Database } from '../../../../runtime/store/postgres/database.ts'
import { valueColumns } from '../../../../runtime/store/postgres/values.ts'
import { LogStatements } from '../../../../runtime/store/sql/log-statements.ts'
import {
  type Change,
  type LogStore,
  openStore,
  StoreError,
  type StoreOptions,
} from '../../../../runtime/store/store.ts'
import { createWatchCache } from '../../../../runtime/watch/watch.ts'
import { noPostgres, postgresPrograms, sharedPostgres } from '../../../support/postgres.ts'
import { until } from '../../../support/until.ts'
import { bytes, deadline, refused, take, tell, text } from '../contract.ts'

const shared = suite('runtime/store: one database for several servers')

const test: typeof shared =
  postgresPrograms === undefined
    ? (((name: string) => console.log(`SKIP ${name}: ${noPostgres}`)) as never)
    : shared

let made = 0

/** Several stores on one schema, as of several servers. */
async function openStores(count: number, options: Partial<StoreOptions> = {}) {
  made += 1
  const schema = `shared_${made}`
  const url = (await sharedPostgres()).url(schema)
  const open = () => openStore({ kind: 'postgres', url }, { clock: systemClock, ...options })
  const stores = await Promise.all(Array.from({ length: count }, open))
  const close = () => Promise.all(stores.map((store) => store.close()))
  return { schema, stores, close }
}

/** Every change up to a revision. */
async function changesUpTo(store: LogStore, revision: number, after = 0): Promise<Change[]> {
  const seen: Change[] = []
  for await (const batch of store.changes(after, deadline())) {
    seen.push(...batch)
    if ((seen.at(-1)?.revision ?? 0) >= revision) return seen
  }
  throw new Error(`the log ended at ${seen.at(-1)?.revision}`)
}

test('servers that begin at once make the tables once, and are of one store', async () => {
  const { stores, close } = await openStores(5)
  assert.is(new Set(stores.map(({ id }) => id)).size, 1)
  await close()
})

test('a write through one is read through the others at once', async () => {
  const { stores, close } = await openStores(3)
  const [first, ...others] = stores as [LogStore, ...LogStore[]]
  for (let index = 0; index < 30; index++) {
    const { revision } = await first.create(`/k/${index}`, bytes(`${index}`))
    for (const other of others) {
      assert.is(text((await other.get(`/k/${index}`))?.value), `${index}`)
      assert.is(await other.revision(), revision)
      assert.is((await other.list('/k/')).entries.length, index + 1)
    }
  }
  await close()
})

test('a cache over one has what was written through another before it was asked', async () => {
  const { stores, close } = await openStores(2)
  const [one, other] = stores as [LogStore, LogStore]
  const cache = await createWatchCache(one, { clock: systemClock })
  for (let index = 0; index < 50; index++) {
    const { revision } = await other.create(`/k/${index}`, bytes('1'))
    assert.is((await cache.get(`/k/${index}`))?.revision, revision)
    await other.update(`/k/${index}`, revision, bytes('2'))
    const page = await cache.list('/k/')
    assert.is(text(page.entries.find(({ key }) => key === `/k/${index}`)?.value), '2')
    const event = await cache.delete(`/k/${index}`, revision + 1)
    assert.is(text(event.previous?.value), '2')
  }
  await close()
})

test('of writers who read the same revision through different servers, one wins', async () => {
  const { stores, close } = await openStores(3)
  const [first] = stores as [LogStore]
  let { revision } = await first.create('/a', bytes('0'))
  for (let round = 1; round <= 25; round++) {
    const results = await Promise.allSettled(
      stores.map((store, index) => store.update('/a', revision, bytes(`${round} ${index}`))),
    )
    const won = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const lost = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    assert.is(won.length, 1)
    for (const error of lost) {
      assert.is((error as StoreError).reason, 'Conflict')
      assert.is(text((error as StoreError).current?.value), text(won[0]?.value))
    }
    revision = won[0]?.revision ?? 0
  }
  const taken = await Promise.allSettled(stores.map((store) => store.create('/b', bytes('1'))))
  assert.is(taken.filter(({ status }) => status === 'fulfilled').length, 1)
  await close()
})

test('a watch through one yields what is written through another', async () => {
  const { stores, close } = await openStores(2)
  const [one, other] = stores as [LogStore, LogStore]
  const events = take(3, one.watch('/k/', 0, deadline()))
  await other.create('/k/a', bytes('1'))
  await other.create('/x', bytes('1'))
  await other.update('/k/a', 1, bytes('2'))
  await other.delete('/k/a', 3)
  assert.equal((await events).map(tell), ['create /k/a 1', 'update /k/a 2 (1)', 'delete /k/a (2)'])
  await close()
})

/** One writer over a few keys that all others want, too; gives what was acknowledged. */
async function contend(store: LogStore, writer: string, rounds: number): Promise<Change[]> {
  const acknowledged: Change[] = []
  for (let round = 0; round < rounds; round++) {
    const key = `/hot/${(round * 7) % 5}`
    const value = bytes(`${writer} ${round}`)
    const known = await store.get(key)
    const expected = known?.revision ?? 0
    const op = known === undefined ? 'create' : round % 4 === 0 ? 'delete' : 'update'
    try {
      const write = { op, key, expected, ...(op !== 'delete' && { value }) } as const
      acknowledged.push(await store.append(write))
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      assert.ok(['AlreadyExists', 'Conflict', 'NotFound'].includes(error.reason), error.message)
    }
  }
  return acknowledged
}

test('under many writers all servers see one log without gaps, in which every write stands where it was acknowledged', async () => {
  const { stores, close } = await openStores(3)
  const live = stores.map(async (store) => {
    const seen: Change[] = []
    for await (const batch of store.changes(0, deadline())) {
      seen.push(...batch)
      if (batch.some(({ key }) => key === '/end')) return seen
    }
    throw new Error('the log ended')
  })
  const written = await Promise.all(
    stores.flatMap((store, at) =>
      Array.from({ length: 12 }, (_, writer) => contend(store, `${at}-${writer}`, 20)),
    ),
  )
  const end = await (stores[0] as LogStore).create('/end', bytes('end'))
  const logs = await Promise.all(live)
  const [log = []] = logs
  assert.equal(
    log.map(({ revision }) => revision),
    Array.from({ length: end.revision }, (_, index) => index + 1),
  )
  const told = (changes: readonly Change[]) =>
    changes.map(
      (it) =>
        `${it.revision} ${it.key} ${it.previousRevision} ${it.createRevision} ${text(it.value)}`,
    )
  for (const other of logs) assert.equal(told(other), told(log))
  const read = await changesUpTo(stores[1] as LogStore, end.revision)
  assert.equal(told(read), told(log))
  const acknowledged = written.flat()
  for (const change of acknowledged) {
    assert.equal(told([change]), told(log.slice(change.revision - 1, change.revision)))
  }
  assert.is(acknowledged.length, log.length - 1, 'nothing else was written')
  const latest = new Map<string, Change>()
  for (const change of log) {
    const before = latest.get(change.key)
    assert.is(change.previousRevision, before?.revision ?? 0, 'each change replaces the one before')
    if (change.value === undefined) latest.delete(change.key)
    else latest.set(change.key, change)
  }
  const { entries } = await (stores[2] as LogStore).list('')
  assert.equal(
    entries.map(({ key, revision }) => `${key} ${revision}`),
    [...latest.values()].map(({ key, revision }) => `${key} ${revision}`).sort(),
  )
  await close()
})

test('one server compacts for all, and all refuse what is gone', async () => {
  const { schema, stores, close } = await openStores(2, {
    retentionMs: 1,
    compactionIntervalMs: 20,
  })
  const { sql } = await sharedPostgres()
  const [one, other] = stores as [LogStore, LogStore]
  const stop = new AbortController()
  const runs = stores.map((store) => store.run(stop.signal))
  let { revision } = await one.create('/a', bytes('0'))
  for (let round = 0; round < 20; round++) {
    revision = (await one.update('/a', revision, bytes(`${round}`))).revision
  }
  await until('what was replaced is gone', async () => {
    return (await sql(`SELECT count(*) FROM ${schema}.log`)) === '1'
  })
  for (const store of stores) {
    await store.revision()
    assert.is(store.compactedRevision(), revision)
    await refused(store.list('', { revision: 1 }), 'Expired')
    await refused(take(1, store.watch('', 1, deadline())), 'Expired')
    assert.is((await store.list('')).entries.length, 1)
  }
  await other.update('/a', revision, bytes('last'))
  stop.abort()
  await Promise.all(runs)
  await close()
})

test('who may not compact leaves it to the one that does', async () => {
  let passes = 0
  const clock: typeof systemClock = {
    ...systemClock,
    after(ms, run) {
      if (ms === 20) passes += 1
      return systemClock.after(ms, run)
    },
  }
  const { schema, stores, close } = await openStores(1, {
    clock,
    retentionMs: 1,
    compactionIntervalMs: 20,
  })
  const { sql } = await sharedPostgres()
  const [store] = stores as [LogStore]
  const lock = `pg_advisory_lock(hashtext('orch compaction'), hashtext('${schema}'))`
  const holder = sql(`SELECT ${lock}, pg_sleep(3600)`).catch(() => {})
  const isHeld = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted
    AND classid::bigint = hashtext('orch compaction')::bigint & 4294967295`
  await until('another one compacts', async () => (await sql(isHeld)) === '1')
  const stop = new AbortController()
  for (let index = 0; index < 20; index++) await store.create(`/${index}`, bytes('1'))
  const run = store.run(stop.signal)
  await until('it has tried many times', () => passes > 10)
  const bound = `SELECT bound FROM ${schema}.compaction`
  assert.is(await sql(bound), '0')
  await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE query LIKE '%pg_sleep(3600)%' AND pid <> pg_backend_pid()`)
  await holder
  await until('it compacts', async () => (await sql(bound)) === '20')
  stop.abort()
  await run
  await close()
})

test('a page of the past takes the rows of a page from the database, however many there are', async () => {
  const [keys, limit] = [2000, 10]
  const key = (index: number) => `/k/${String(index).padStart(4, '0')}`
  const postgres = await sharedPostgres()
  const url = postgres.url('pages_of_the_past')
  const store = await openStore({ kind: 'postgres', url }, { clock: systemClock })
  const each = Array.from({ length: keys }, (_, index) => store.create(key(index), bytes('1')))
  const entries = await Promise.all(each)
  const revision = await store.revision()
  await store.update(key(3), (entries[3] as { revision: number }).revision, bytes('2'))
  await postgres.sql('ANALYZE pages_of_the_past.log, pages_of_the_past.cur')
  const database = await Database.open(url, systemClock)
  const range = { from: '/k/', after: undefined, end: '/k0', revision }
  const { sql, bindings } = new LogStatements(database.knex, valueColumns).page(range, limit)
  const rows = await database.snapshot((query) =>
    query({ sql: `EXPLAIN (ANALYZE, TIMING OFF) ${sql}`, bindings }),
  )
  await Promise.all([database.close(), store.close()])
  const plan = rows.map((row) => String(row['QUERY PLAN']))
  const most = Math.max(...plan.map((line) => Number(/actual rows=(\d+)/.exec(line)?.[1] ?? 0)))
  assert.ok(most > 0 && most <= 2 * limit, plan.join('\n'))
})

shared.run()
