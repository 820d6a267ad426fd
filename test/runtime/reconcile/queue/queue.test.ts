import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createQueue, type QueueOptions } from '../../../../runtime/reconcile/reconcile.ts'
import { fakeClock } from '../../../support/clock.ts'

const test = suite('runtime/reconcile: queue')
const never = new AbortController().signal

function open(options: QueueOptions = {}) {
  const clock = fakeClock()
  const queue = createQueue({ clock, ...options })
  const order: string[] = []
  return { clock, queue, order, drain }

  async function drain(): Promise<string[]> {
    const items: string[] = []
    while (queue.depth > 0) {
      const item = (await queue.take(never)) ?? ''
      items.push(item)
      queue.finish(item)
    }
    return items
  }
}

test('a key added twice is given once', async () => {
  const { queue, drain } = open()
  queue.add('a')
  queue.add('b')
  queue.add('a')
  assert.equal(await drain(), ['a', 'b'])
})

test('a key added while it is worked on comes again, and not before', async () => {
  const { queue } = open()
  queue.add('a')
  assert.is(await queue.take(never), 'a')
  queue.add('a')
  queue.add('a')
  assert.is(queue.depth, 0)
  queue.finish('a')
  assert.is(queue.depth, 1)
})

test('a taker that waits gets the next key', async () => {
  const { queue } = open()
  const first = queue.take(never)
  const second = queue.take(never)
  queue.add('a')
  queue.add('b')
  assert.equal(await Promise.all([first, second]), ['a', 'b'])
})

test('a taker stops waiting when its signal aborts', async () => {
  const { queue } = open()
  const stop = new AbortController()
  const taken = queue.take(stop.signal)
  stop.abort()
  assert.is(await taken, undefined)
  queue.add('a')
  assert.is(queue.depth, 1)
  assert.is(await queue.take(stop.signal), undefined)
})

test('each retry waits twice as long, until the key is forgotten', () => {
  const { clock, queue } = open({ backoff: { baseMs: 100, maxMs: 1000 } })
  const waits: number[] = []
  for (const wait of [100, 200, 400, 800, 1000, 1000]) {
    queue.retry('a')
    clock.advance(wait - 1)
    assert.is(queue.depth, 0)
    clock.advance(1)
    assert.is(queue.depth, 1)
    waits.push(wait)
    queue.take(never)
    queue.finish('a')
  }
  queue.forget('a')
  queue.retry('a')
  clock.advance(100)
  assert.is(queue.depth, 1)
})

test('retries of all keys share a budget', () => {
  const { clock, queue } = open({
    backoff: { baseMs: 1 },
    retries: { perSecond: 1, burst: 2 },
  })
  for (const key of ['a', 'b', 'c', 'd']) queue.retry(key)
  clock.advance(1)
  assert.is(queue.depth, 2)
  clock.advance(999)
  assert.is(queue.depth, 3)
  clock.advance(1000)
  assert.is(queue.depth, 4)
})

test('of several waits for one key the shortest counts', async () => {
  const { clock, queue, drain } = open()
  queue.addAfter('a', 1000)
  queue.addAfter('a', 10)
  queue.addAfter('a', 500)
  assert.is(queue.delayed, 1)
  clock.advance(10)
  assert.equal(await drain(), ['a'])
  clock.advance(1000)
  assert.is(queue.depth, 0)
})

test('a key added at once no longer waits', () => {
  const { clock, queue } = open()
  queue.addAfter('a', 1000)
  queue.add('a')
  assert.is(queue.delayed, 0)
  assert.is(queue.depth, 1)
  assert.is(clock.waiting, 0)
})

test('urgent keys overtake routine ones, but not all the time', async () => {
  const { queue, drain } = open()
  for (let n = 0; n < 10; n++) queue.add(`old${n}`, 'routine')
  for (let n = 0; n < 20; n++) queue.add(`new${n}`)
  const order = await drain()
  assert.is(order[0], 'new0')
  assert.equal(
    order.flatMap((key, at) => (key.startsWith('old') ? [at] : [])).slice(0, 3),
    [7, 15, 22],
  )
})

test('a routine key that becomes urgent stands in one line only', async () => {
  const { queue, drain } = open()
  queue.add('a', 'routine')
  queue.add('b', 'routine')
  queue.add('b')
  queue.add('b', 'routine')
  assert.is(queue.depth, 2)
  assert.equal(await drain(), ['b', 'a'])
})

test('the age of a queue is that of the key that could be taken for longest', async () => {
  const { clock, queue } = open()
  queue.add('a')
  assert.is(await queue.take(never), 'a')
  queue.add('a')
  clock.advance(500)
  assert.is(queue.oldestMs, 0)
  queue.add('b')
  clock.advance(200)
  queue.finish('a')
  clock.advance(100)
  assert.is(queue.oldestMs, 300)
  assert.is(await queue.take(never), 'b')
  assert.is(queue.oldestMs, 100)
  assert.is(await queue.take(never), 'a')
  assert.is(queue.oldestMs, 0)
})

test('a key with an interval rests four times as long as it waited, and three seconds at most', async () => {
  const { clock, queue } = open({ minIntervalMs: 100 })
  for (const [waitedMs, restMs] of [
    [10, 100],
    [200, 800],
    [9000, 3000],
  ] as const) {
    queue.add('a')
    clock.advance(waitedMs)
    assert.is(await queue.take(never), 'a')
    queue.add('a')
    queue.finish('a')
    clock.advance(restMs - 1)
    assert.equal([queue.depth, queue.delayed], [0, 1])
    clock.advance(1)
    assert.equal([queue.depth, queue.delayed], [1, 0])
    assert.is(await queue.take(never), 'a')
    queue.finish('a')
    clock.advance(100)
  }
})

test('a key with a burst waits for no interval until the burst is used up, and gets one back with each interval', async () => {
  const { clock, queue } = open({ minIntervalMs: 100, burst: 3 })
  const takings = async (): Promise<number> => {
    for (let count = 0; ; count += 1) {
      queue.add('a')
      if (queue.depth === 0) return count
      assert.is(await queue.take(never), 'a')
      queue.finish('a')
    }
  }
  assert.is(await takings(), 3)
  clock.advance(100)
  assert.is(await takings(), 1)
  clock.advance(100)
  assert.is(await queue.take(never), 'a')
  queue.finish('a')
  clock.advance(300)
  assert.is(await takings(), 3)
})

test('a burst does not count for a key that waited for a taker', async () => {
  const { clock, queue } = open({ minIntervalMs: 100, burst: 3 })
  queue.add('a')
  clock.advance(11)
  assert.is(await queue.take(never), 'a')
  queue.finish('a')
  queue.add('a')
  clock.advance(99)
  assert.is(queue.depth, 0)
  clock.advance(1)
  assert.is(queue.depth, 1)
})

test('a closed queue holds no timer', () => {
  const { clock, queue } = open()
  queue.addAfter('a', 1000)
  queue.retry('b')
  queue.close()
  assert.is(clock.waiting, 0)
})

test('ten thousand keys pass in a moment', async () => {
  const { queue, drain } = open()
  for (let n = 0; n < 10_000; n++) queue.add(`key${n}`, n % 2 === 0 ? 'routine' : 'urgent')
  assert.is((await drain()).length, 10_000)
})

test.run()
