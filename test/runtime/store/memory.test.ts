import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { openStore } from '../../../runtime/store/store.ts'
import { createWatchCache } from '../../../runtime/watch/watch.ts'
import { hangMs } from '../../support/deadline.ts'

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

test('an open store keeps the process alive, a closed one does not', () => {
  const store = fileURLToPath(new URL('../../../runtime/store/store.js', import.meta.url))
  const clock = fileURLToPath(new URL('../../../runtime/kernel/async/clock.js', import.meta.url))
  const script = `
    const { openStore } = await import(${JSON.stringify(store)})
    const { systemClock: clock } = await import(${JSON.stringify(clock)})
    const store = await openStore({ kind: 'memory' }, { clock })
    await new Promise((resolve) => clock.after(20, resolve))
    await store.close()
    console.log('closed')`
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: hangMs,
  })
  assert.equal([run.status, run.stdout], [0, 'closed\n'])
})

test.run()
