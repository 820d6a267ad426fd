import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { Connection } from '../../../../runtime/store/sqlite/connection.ts'
import {
  compareKeys,
  type Entry,
  type LogStore,
  openSqliteStore,
  type ReadAllOptions,
} from '../../../../runtime/store/store.ts'
import { createWatchCache } from '../../../../runtime/watch/watch.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { bytes, deadline, text } from '../contract.ts'

const readAll = suite('runtime/store: everything that is alive, read at once')
const directory = tempDirectory()
const path = (name: string): string => join(directory, name)
const open = (name: string): Promise<LogStore> =>
  openSqliteStore({ filename: path(name), clock: systemClock })

/** Objects whose order by key, by revision and by creation differ, some of them changed, deleted or empty. */
async function makeStore(
  name: string,
  objects: number,
  textOf: (at: number) => string,
): Promise<void> {
  const store = await open(name)
  const key = (at: number): string => `/${at % 3 === 0 ? 'a' : 'b'}/${(at * 7919) % objects}`
  const made = Array.from({ length: objects }, (_, at) => store.create(key(at), bytes(textOf(at))))
  const entries = await Promise.all(made)
  for (const [at, { key, revision }] of entries.entries()) {
    if (at % 5 === 0) await store.update(key, revision, bytes(`${textOf(at)} again`))
    else if (at % 11 === 0) await store.delete(key, revision)
  }
  await store.close()
}

const tell = (listed: { readonly entries: readonly Entry[] } | undefined): readonly string[] =>
  (listed?.entries ?? []).map(
    ({ key, revision, createRevision, value }) =>
      `${key} ${revision} ${createRevision} ${text(value)}`,
  )

readAll('it is what a list gives, and is given until something is written', async () => {
  await makeStore('all.db', 1500, (at) => (at % 13 === 0 ? '' : `value ${at}`))
  const store = await open('all.db')
  const expected = await store.list('')
  const all = await store.readAll?.({})
  assert.equal(tell(all), tell(expected))
  assert.is(all?.revision, expected.revision)
  const keys = (all?.entries ?? []).map(({ key }) => key)
  assert.equal(keys, [...keys].sort(compareKeys))
  const some = await store.readAll?.({ except: ['/a/'] })
  assert.equal(tell(some), tell(await store.list('/b/')))
  await store.create('/c', bytes('new'))
  assert.is(await store.readAll?.({}), undefined)
  await store.close()
})

readAll('values of any length are read, few at once where they are long', async () => {
  const textOf = (at: number): string => `${at} `.padEnd(at % 40 === 0 ? 1_200_000 : at, 'x')
  await makeStore('lengths.db', 400, textOf)
  const store = await open('lengths.db')
  const all = await store.readAll?.({})
  assert.equal(tell(all), tell(await store.list('')))
  await store.close()
})

readAll(
  'what is made of a value takes its place where there is room, and no other value changes',
  async () => {
    await makeStore('stamped.db', 1500, (at) => `value ${at}`)
    const store = await open('stamped.db')
    const expected = tell(await store.list(''))
    for (const more of [1, 40, 41]) {
      const stamp: ReadAllOptions['stamp'] = (value, _revision, allocate) => {
        const result = allocate?.(value.length + more) ?? Buffer.alloc(0)
        result.set(value)
        return result.fill('#', value.length)
      }
      const all = await store.readAll?.({ stamp })
      assert.equal(
        tell(all),
        expected.map((one) => one + '#'.repeat(more)),
      )
    }
    await store.close()
  },
)

readAll('a value that is refused as it is stored fails the reading', async () => {
  await makeStore('refused.db', 1500, (at) => `value ${at}`)
  const store = await open('refused.db')
  const check = (value: Uint8Array): void => {
    if (text(value) === 'value 1499') throw new Error('not this one')
  }
  assert.is(await store.readAll?.({ check }).catch(String), 'Error: not this one')
  await store.close()
})

readAll('a damaged value of a large store is told by its key whenever it is read', async () => {
  await makeStore('large.db', 600, (at) => `${at} `.padEnd(60_000, 'x'))
  const database = await Connection.open(path('large.db'))
  const [last] = await database.run('write', async (query) => {
    await query("UPDATE log SET value = x'7b7d' WHERE rev = (SELECT max(rev) FROM cur)")
    return query('SELECT key, max(rev) AS rev FROM cur')
  })
  await database.close()
  const store = await open('large.db')
  const expected = `the value of ${last?.key} at revision ${last?.rev} is not what was written; restore its file from a copy`
  const all = await store.readAll?.({})
  const damaged = all?.entries.find(({ key }) => key === last?.key)
  for (let look = 0; look < 2; look++) assert.throws(() => damaged?.value, expected)
  const sound = all?.entries.filter((entry) => entry !== damaged)
  assert.ok(sound?.every(({ value }) => value.length > 50_000))
  const cache = await createWatchCache(store, { clock: systemClock })
  assert.throws(() => cache.getCached(String(last?.key))?.value, expected)
  assert.match(String(await cache.settle(deadline()).catch(String)), expected)
  await cache.close()
})

readAll.run()
