import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ConfigMap, configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { createInformer } from '../../../runtime/informer/informer.ts'
import { pause } from '../../../runtime/kernel/async/clock.ts'
import { again, createManager, defineController } from '../../../runtime/reconcile/reconcile.ts'
import { startControlPlane, virtualClock } from '../../../runtime/testing/testing.ts'

const test = suite('runtime/testing: virtual clock')

test('timers run in the order of their times, at their times, when the test advances', () => {
  const clock = virtualClock(1000)
  const ran: string[] = []
  const note = (name: string) => () => ran.push(`${name} at ${clock.now()}`)
  clock.after(30, note('c'))
  clock.after(10, note('a'))
  const cancel = clock.after(15, note('cancelled'))
  clock.after(20, () => clock.after(5, note('b')))
  cancel()
  clock.advance(29)
  assert.equal(ran, ['a at 1010', 'b at 1025'])
  assert.equal([clock.now(), clock.waiting, clock.next()], [1029, 1, 1030])
  clock.advance(1)
  assert.equal(ran.at(-1), 'c at 1030')
})

test('what is due at once happens though the clock stands', async () => {
  await pause(virtualClock(), 0)
})

test('what a timer began has come to rest before the next one runs', async () => {
  const clock = virtualClock(0)
  const seen: number[] = []
  void (async () => {
    for (let step = 0; step < 3; step++) {
      await pause(clock, 10)
      seen.push(clock.now())
    }
  })()
  clock.advance(0)
  await clock.advanceAsync(100)
  assert.equal(seen, [10, 20, 30])
})

test('all timers run, and where they have no end it is said', async () => {
  const clock = virtualClock(0)
  clock.after(5, () => clock.after(5, () => {}))
  await clock.runAll()
  assert.is(clock.now(), 10)
  const repeat = (): void => void clock.after(1, repeat)
  repeat()
  const error = await clock.runAll(100).catch((thrown: unknown) => thrown)
  assert.match(String(error), '100 timers ran, and 1 still wait')
})

test('a set time of day moves no timer', () => {
  const clock = virtualClock(0)
  let ran = false
  clock.after(10, () => {
    ran = true
  })
  clock.set(1_000_000)
  assert.equal([clock.now(), clock.monotonic(), ran], [1_000_000, 0, false])
})

test('a manager gets ready while the clock stands, and waits by it', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock })
  const times: number[] = []
  const ticking = defineController<ConfigMap>({
    name: 'ticking',
    for: configMaps,
    async reconcile() {
      times.push(clock.now())
      return again(3_600_000)
    },
  })
  const stop = new AbortController()
  const manager = createManager({ client: plane.client, clock, controllers: [ticking] })
  const run = manager.run(stop.signal)
  await manager.ready
  await plane.client.resource(configMaps).create({ metadata: { name: 'a' } })
  const began = clock.now()
  await clock.advanceAsync(3 * 3_600_000)
  assert.equal(
    times.map((at) => at - began),
    [0, 1, 2, 3].map((hours) => hours * 3_600_000),
  )
  stop.abort()
  await run
})

test('an informer follows for a day of the virtual clock, over every end of its watches', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock })
  const maps = plane.client.resource(configMaps)
  const informer = createInformer(maps, { clock, random: () => 0 })
  const stop = new AbortController()
  const run = informer.run(stop.signal)
  await informer.synced
  for (let hour = 0; hour < 24; hour++) {
    await maps.create({ metadata: { name: `hour-${hour}` } })
    await clock.advanceAsync(3_600_000)
    assert.is(informer.cache.size, hour + 1)
  }
  stop.abort()
  await run
})

test.run()
