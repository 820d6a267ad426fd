import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { Connection } from '../../../../runtime/store/sqlite/connection.ts'
import { type LogStore, openSqliteStore } from '../../../../runtime/store/store.ts'
import { fakeClock } from '../../../support/clock.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { bytes, refused } from '../contract.ts'

const compaction = suite('runtime/store: compaction')
const directory = tempDirectory()

/** What a closed store left in one of its tables. */
async function rows(filename: string, sql: string): Promise<readonly unknown[]> {
  const database = await Connection.open(filename)
  const found = await database.run('read', (query) => query(sql))
  await database.close()
  return found.map((row) => Object.values(row).join(' '))
}

async function update(store: LogStore, key: string, times: number): Promise<void> {
  let { revision } = await store.create(key, bytes('0'))
  for (let time = 1; time <= times; time++) {
    revision = (await store.update(key, revision, bytes(`${time}`))).revision
  }
}

compaction('leaves what lives and what came later, and nothing else', async () => {
  const filename = join(directory, 'rows.db')
  const store = await openSqliteStore({ filename, clock: systemClock })
  await update(store, '/a', 5)
  await store.create('/b', bytes('1'))
  await store.delete('/b', 7)
  await store.create('/c', bytes('1'))
  await store.update('/c', 9, bytes('2'))
  await store.compact(9)
  await store.close()
  assert.equal(await rows(filename, 'SELECT rev, key FROM log ORDER BY rev'), [
    '6 /a',
    '9 /c',
    '10 /c',
  ])
  assert.equal(await rows(filename, 'SELECT key, rev FROM cur ORDER BY key'), ['/a 6', '/c 10'])
})

compaction('goes on after a restart where it was cut off', async () => {
  const filename = join(directory, 'cut.db')
  const store = await openSqliteStore({ filename, clock: systemClock })
  await update(store, '/a', 899)
  const cut = store.compact(900).catch(() => {})
  await store.close()
  await cut
  const again = await openSqliteStore({ filename, clock: systemClock })
  assert.is(again.compactedRevision(), 900)
  await again.compact(900)
  await again.close()
  assert.equal(await rows(filename, 'SELECT rev FROM log'), ['900'])
  assert.equal(await rows(filename, "SELECT value FROM meta WHERE name = 'trimmed'"), ['900'])
})

compaction('writes go on between its slices', async () => {
  const store = await openSqliteStore({ filename: ':memory:', clock: systemClock })
  await update(store, '/a', 3000)
  let running = true
  const pass = store.compact(3001).then(() => {
    running = false
  })
  let writes = 0
  while (running) await store.create(`/b/${writes++}`, bytes('1'))
  await pass
  assert.ok(writes >= 6, `${writes} writes in 7 slices`)
  await store.close()
})

compaction('keeps the file within twice what is kept while two hundred write', async () => {
  const filename = join(directory, 'writers.db')
  const [writers, rounds, valueBytes, retainedBytes] = [200, 40, 8000, 8 * 1024 * 1024]
  const store = await openSqliteStore({ filename, clock: systemClock, retainedBytes })
  const stop = new AbortController()
  const running = store.run(stop.signal)
  const kept = writers * valueBytes + retainedBytes
  const sizes: number[] = []
  const value = new Uint8Array(valueBytes)
  const write = async (writer: number): Promise<void> => {
    let { revision } = await store.create(`/k/${writer}`, value)
    for (let round = 1; round < rounds; round++) {
      revision = (await store.update(`/k/${writer}`, revision, value)).revision
      await store.check()
      sizes.push((await stat(filename)).size)
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  stop.abort()
  await running
  await store.compact(await store.revision())
  await store.close()
  const last = (await stat(filename)).size
  assert.ok(Math.max(...sizes) < 2 * kept, `${Math.max(...sizes)} bytes for ${kept}`)
  assert.ok(last < 2 * writers * valueBytes, `${last} bytes at the end`)
})

compaction('runs every minute, to the revision of five minutes ago', async () => {
  const clock = fakeClock()
  const store = await openSqliteStore({ filename: ':memory:', clock })
  const stop = new AbortController()
  const running = store.run(stop.signal)
  for (let minute = 0; minute < 8; minute++) {
    await store.create(`/k/${minute}`, bytes('1'))
    while (clock.waiting === 0) await store.list('')
    clock.advance(60_000)
  }
  while (clock.waiting === 0) await store.list('')
  assert.is(store.compactedRevision(), 3)
  await refused(store.list('', { revision: 2 }), 'Expired')
  stop.abort()
  await running
  assert.is(clock.waiting, 0)
  await store.close()
})

compaction('ends when the store closes', async () => {
  const store = await openSqliteStore({ filename: ':memory:', clock: fakeClock() })
  const running = store.run(new AbortController().signal)
  await store.close()
  await running
})

compaction.run()
