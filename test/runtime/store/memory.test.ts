import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { openStore } from '../../../runtime/store/store.ts'
import { createWatchCache } from '../../../runtime/watch/watch.ts'

const test = suite('store in memory')

test('writes of one turn that are more than the log keeps all reach the watch cache', async () => {
  const store = await openStore({ kind: 'memory' }, { clock: systemClock })
  const cache = await createWatchCache(store, { clock: systemClock })
  const value = new Uint8Array(1024 * 1024)
  const keys = Array.from({ length: 64 }, (_, index) => `/k/${100 + index}`)
  await Promise.all(keys.map((key) => cache.create(key, value)))
  const { entries } = await cache.list('/k/')
  assert.equal(
    entries.map(({ key }) => key),
    keys,
  )
  await cache.close()
})

test('who writes without a pause lets others run', async () => {
  const store = await openStore({ kind: 'memory' }, { clock: systemClock })
  let turns = 0
  let counting = true
  const count = (): void => {
    turns += 1
    if (counting) setImmediate(count)
  }
  setImmediate(count)
  for (let index = 0; index < 100; index++) await store.create(`/${index}`, new Uint8Array())
  counting = false
  assert.ok(turns >= 100, `${turns} turns`)
  await store.close()
})

test.run()
