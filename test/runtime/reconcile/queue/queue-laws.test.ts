// The laws of the queue, over random orders of what may happen to it.
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createQueue, type QueueOptions } from '../../../../runtime/reconcile/reconcile.ts'
import { type FakeClock, fakeClock } from '../../../support/clock.ts'

const test = suite('runtime/reconcile: laws of the queue')

const keyOf = fc.constantFrom('a', 'b', 'c', 'd', 'e')

/** What may happen to a queue. */
const step = fc.oneof(
  fc.record({ does: fc.constant('add' as const), key: keyOf, routine: fc.boolean() }),
  fc.record({ does: fc.constant('wait' as const), key: keyOf, ms: fc.nat(50) }),
  fc.record({ does: fc.constant('pass' as const), ms: fc.nat(200) }),
  fc.record({ does: fc.constant('take' as const) }),
  fc.record({ does: fc.constant('finish' as const), fails: fc.boolean() }),
)

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const paces: readonly (readonly [string, QueueOptions])[] = [
  ['', {}],
  [', with a rate', { rate: { perSecond: 20, burst: 1 } }],
  [', with an interval of each key', { minIntervalMs: 30 }],
  [', with an interval after a burst', { minIntervalMs: 30, burst: 3 }],
]

/** A queue under test, beside what is known of it. */
class Model {
  readonly clock: FakeClock = fakeClock()
  readonly never = new AbortController().signal
  readonly queue
  /** What was asked for and not yet taken. */
  readonly owed = new Set<string>()
  /** Taken, in order of taking. */
  readonly taken: string[] = []
  readonly takers: Promise<void>[] = []
  waiting = 0

  constructor(options: QueueOptions) {
    this.queue = createQueue({ ...options, clock: this.clock })
  }

  async do(one: Step): Promise<void> {
    const { queue, owed } = this
    switch (one.does) {
      case 'add':
        queue.add(one.key, one.routine ? 'routine' : 'urgent')
        owed.add(one.key)
        break
      case 'wait':
        queue.addAfter(one.key, one.ms)
        owed.add(one.key)
        break
      case 'pass':
        this.clock.advance(one.ms)
        break
      case 'take':
        this.take()
        break
      case 'finish':
        this.finish(one.fails)
        break
      default:
        one satisfies never
    }
    await Promise.all([])
    await new Promise((resolve) => setImmediate(resolve))
  }

  take(): void {
    this.waiting++
    this.takers.push(
      this.queue.take(this.never).then((key) => {
        this.waiting--
        assert.ok(
          key !== undefined && !this.taken.includes(key),
          `${key} is given to one at a time`,
        )
        this.taken.push(key)
        this.owed.delete(key)
      }),
    )
  }

  finish(fails: boolean): void {
    const key = this.taken.shift()
    if (key === undefined) return
    if (fails) this.queue.retry(key)
    else this.queue.forget(key)
    if (fails) this.owed.add(key)
    this.queue.finish(key)
  }

  /** Takes until nothing is owed any more, as workers would that never fail. */
  async drain(): Promise<void> {
    for (let turns = 0; turns < 200 && (this.owed.size > 0 || this.taken.length > 0); turns++) {
      while (this.taken.length > 0) this.finish(false)
      if (this.waiting === 0 && this.owed.size > 0) this.take()
      await this.do({ does: 'pass', ms: 500 })
    }
  }
}

for (const [name, options] of paces) {
  test(`no key is lost, and none is given to two${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const model = new Model(options)
        for (const one of steps) await model.do(one)
        await model.drain()
        assert.equal([...model.owed], [], 'what was asked for was taken')
        model.queue.close()
      }),
      { numRuns: 60 },
    )
  })
}

test('a poisoned key keeps no other from its turn', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.nat(20), async (others, failures) => {
      const model = new Model({
        backoff: { baseMs: 1, maxMs: 1 },
        retries: { perSecond: 1e6, burst: 1e6 },
      })
      for (let failed = 0; failed < failures; failed++) {
        model.queue.add('poison')
        await model.queue.take(model.never)
        model.queue.retry('poison')
        model.queue.finish('poison')
      }
      const rest = Array.from({ length: others }, (_, at) => `k${at}`)
      for (const key of rest) model.queue.add(key)
      const order: string[] = []
      while (order.filter((key) => key !== 'poison').length < others) {
        model.clock.advance(1)
        const key = (await model.queue.take(model.never)) as string
        order.push(key)
        if (key === 'poison') model.queue.retry(key)
        model.queue.finish(key)
      }
      assert.ok(order.length <= 2 * others + 2, 'it comes at most once between two others')
      model.queue.close()
    }),
    { numRuns: 40 },
  )
})

test('routine keys get through, however many urgent ones there are', async () => {
  const { queue, never } = new Model({})
  for (let at = 0; at < 20; at++) queue.add(`routine ${at}`, 'routine')
  let taken = 0
  for (let turn = 0; turn < 160; turn++) {
    queue.add(`urgent ${turn}`)
    const key = (await queue.take(never)) as string
    if (key.startsWith('routine')) taken++
    queue.finish(key)
  }
  assert.is(taken, 20)
})

test('keys are taken no faster than their rate, and none sooner than its interval', async () => {
  const model = new Model({ rate: { perSecond: 10, burst: 2 }, minIntervalMs: 1000 })
  for (const key of ['a', 'b', 'c']) model.queue.add(key)
  for (let at = 0; at < 3; at++) model.take()
  await model.do({ does: 'pass', ms: 0 })
  assert.equal(model.taken, ['a', 'b'])
  await model.do({ does: 'pass', ms: 100 })
  assert.equal(model.taken, ['a', 'b', 'c'])
  model.finish(false)
  model.queue.add('a')
  assert.is(model.queue.delayed, 1)
  model.take()
  await model.do({ does: 'pass', ms: 1000 })
  assert.equal(model.taken, ['b', 'c', 'a'])
})

test.run()
