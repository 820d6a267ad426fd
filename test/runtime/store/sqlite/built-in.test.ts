/** The contract and the model of the store over the SQLite of Node itself, which serves where the package `sqlite3` was not built. */
import * as nodeModule from 'node:module'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { builtInSqlite } from '../../../../runtime/store/sqlite/built-in-driver.ts'
import { Connection, type DriverError } from '../../../../runtime/store/sqlite/connection.ts'
import { openSqliteStore } from '../../../../runtime/store/store.ts'
import { createWatchCache } from '../../../../runtime/watch/watch.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { storeContract } from '../contract.ts'
import { storeModel } from '../model.ts'

interface Hooks {
  resolve(
    name: string,
    context: unknown,
    next: (name: string, context: unknown) => unknown,
  ): unknown
}

const { registerHooks } = nodeModule as { registerHooks?: (hooks: Hooks) => void }
const test = suite('runtime/store/sqlite: the built-in driver')

if (builtInSqlite() === undefined || registerHooks === undefined) {
  const why = `Node ${process.versions.node} has none, or no way to hide the package (22.15 has both)`
  console.log(`SKIP the built-in SQLite: ${why}`)
} else {
  registerHooks({
    resolve(name, context, next) {
      if (name === 'sqlite3') throw new Error("Cannot find package 'sqlite3'")
      return next(name, context)
    },
  })
  const directory = tempDirectory()
  let made = 0
  const open = () => {
    made += 1
    const filename = join(directory, `${made}.db`)
    return openSqliteStore({ filename, clock: { ...systemClock, now: () => 0 } })
  }
  storeContract('sqlite, built in', open)
  storeModel('sqlite, built in', open, 60)

  test('a file has one owner, and the second one is told so', async () => {
    const store = await open()
    const filename = join(directory, `${made}.db`)
    const second = await openSqliteStore({ filename, clock: systemClock }).catch(String)
    assert.match(String(second), 'another process owns this file')
    await store.close()
    await (await openSqliteStore({ filename, clock: systemClock })).close()
  })

  test('a cache begins with what is read of it, many rows as one', async () => {
    const store = await open()
    const value = (at: number) => Buffer.from(at % 50 === 0 ? 'x'.repeat(30_000) : `value ${at}`)
    await Promise.all(
      Array.from({ length: 3000 }, (_, at) => store.create(`/k/\u{1f600}${at}`, value(at))),
    )
    await store.update('/k/\u{1f600}7', 8, Buffer.from(''))
    const cache = await createWatchCache(store, { clock: systemClock })
    const { entries } = cache.snapshot()
    assert.is(entries.size, 3000)
    for (let at = 0; at < 3000; at++) {
      const { value: kept } = entries.get(`/k/\u{1f600}${at}`) ?? {}
      const wanted = at === 7 ? Buffer.from('') : value(at)
      assert.ok(kept !== undefined && wanted.equals(kept), `value ${at}`)
    }
    assert.equal((await cache.list('/k/', { limit: 10, revision: 3000 })).entries.length, 10)
    await cache.close()
  })

  test('errors have the names that the package gives them', async () => {
    const database = await Connection.open(':memory:')
    const error = await database.run('read', (query) => query('SELECT')).catch((thrown) => thrown)
    assert.is((error as DriverError).code, 'SQLITE_ERROR')
    await database.close()
  })
}

test.run()
