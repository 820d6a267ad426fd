/** A database of two hosts, of which one takes over. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { openStore, StoreError } from '../../../../runtime/store/store.ts'
import {
  noPostgres,
  type Postgres,
  postgresPrograms,
  startPostgres,
} from '../../../support/postgres.ts'
import { until } from '../../../support/until.ts'
import { bytes, deadline } from '../contract.ts'

const failover = suite('runtime/store: a database that fails over')

const test: typeof failover =
  postgresPrograms === undefined
    ? (((name: string) => console.log(`SKIP ${name}: ${noPostgres}`)) as never)
    : failover

test('a store goes on with the standby that took over, and has every write that was acknowledged', async () => {
  const first = await startPostgres()
  const second = await first.standby()
  const hosts = encodeURIComponent(`${second.folder},${first.folder}`)
  const url = `postgres:///postgres?host=${hosts}&user=orch`
  const store = await openStore({ kind: 'postgres', url }, { clock: systemClock })
  const acknowledged: number[] = []
  const stop = new AbortController()
  const write = async (worker: number): Promise<void> => {
    for (let index = 0; !stop.signal.aborted; index++) {
      const key = `/w/${worker}-${index}`
      try {
        const { revision } = await store.create(key, bytes(key))
        acknowledged.push(revision)
      } catch (error) {
        if (!(error instanceof StoreError)) throw error
        assert.ok(['Unavailable', 'Unknown'].includes(error.reason), error.message)
      }
    }
  }
  const working = Promise.all([0, 1, 2, 3].map(write))
  await until('written before', () => acknowledged.length > 50)
  await first.crash()
  await second.promote()
  const before = acknowledged.length
  await until('written after', () => acknowledged.length > before + 50)
  stop.abort()
  await working

  const seen = new Set<number>()
  const end = await store.revision()
  for await (const batch of store.changes(0, deadline())) {
    for (const { revision } of batch) seen.add(revision)
    if (seen.has(end)) break
  }
  assert.is(seen.size, end)
  assert.ok(acknowledged.every((revision) => seen.has(revision)))
  await until('it is well', () => store.check().then(() => true))
  await store.close()

  await assertNone(url.replace(encodeURIComponent(second.folder), '%2Fnowhere'))
})

test('after a crash nothing is read that a standby does not have yet', async () => {
  const primary = await startPostgres()
  const standby = await primary.standby()
  const at = { kind: 'postgres', url: primary.url('orch') } as const
  const writer = await openStore(at, { clock: systemClock })
  await writer.create('/confirmed', bytes('1'))
  await standby.crash()
  const unconfirmed = writer.create('/unconfirmed', bytes('2'))
  await until('the write waits for the standby', () => isWaiting(primary, ''))
  await primary.crash()
  await primary.start()
  assert.match(await primary.sql('SELECT key FROM orch.log'), /unconfirmed/)

  const open = () => openStore(at, { clock: systemClock }).catch(() => undefined)
  const [reader] = await Promise.all([
    until('it opens', open),
    until('its reader waits for the standby', () => isWaiting(primary, 'emit_message')).then(() =>
      standby.start(),
    ),
  ])
  assert.ok(await reader.get('/unconfirmed'))
  await unconfirmed
  await reader.close()
  await writer.close()
})

/** True while a statement that has this in it waits for a standby. */
async function isWaiting(postgres: Postgres, pattern: string): Promise<boolean> {
  const waiting = `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query ~ '${pattern}'`
  return (await postgres.sql(waiting)) !== '0'
}

async function assertNone(url: string): Promise<void> {
  const error = await openStore({ kind: 'postgres', url }, { clock: systemClock }).then(
    () => undefined,
    (cause: Error) => cause,
  )
  assert.match(error?.message ?? '', /none of its hosts can be written \(\/nowhere: .*; \/.*\)/)
}

failover.run()
