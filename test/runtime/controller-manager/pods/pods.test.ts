import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { podFromTemplate } from '../../../../runtime/controller-manager/pods/pod-from-template.ts'
import {
  isActive,
  isAvailable,
  nextAvailableMs,
  readySince,
} from '../../../../runtime/controller-manager/pods/pod-state.ts'
import { SlowStarts } from '../../../../runtime/controller-manager/pods/slow-start.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { fakeClock } from '../../../support/clock.ts'

const test = suite('runtime/controller-manager: pods')

const at = '2030-01-01T00:00:00Z'
const now = Date.parse(at)
const ready = (since: string | null = at) => ({
  metadata: {},
  status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: since }] },
})

test('a pod that has finished or goes is not active', () => {
  const active = (pod: object) => isActive({ metadata: {}, ...pod } as never)
  assert.is(active({}), true)
  assert.is(active({ status: { phase: 'Pending' } }), true)
  assert.is(active({ status: { phase: 'Failed' } }), false)
  assert.is(active({ status: { phase: 'Succeeded' } }), false)
  assert.is(active({ metadata: { deletionTimestamp: at } }), false)
})

test('a pod is available when it has been ready for longer than it must be', () => {
  const available = (pod: object, seconds: number, after: number) =>
    isAvailable(pod as never, seconds, now + after)
  assert.is(available({ metadata: {} }, 0, 0), false)
  assert.is(available(ready(), 0, 0), true)
  assert.is(available(ready(), 5, 5000), false)
  assert.is(available(ready(), 5, 5001), true)
  assert.is(available(ready(null), 5, 9000), false)
  assert.is(readySince(ready() as never), now)
  assert.is(readySince({ metadata: {} } as never), undefined)
})

test('when the next pod is available is known: within the second after it may be, and as long after now as it must have been ready', () => {
  const next = (pods: readonly object[], seconds: number, passed = 1000) =>
    nextAvailableMs(pods as never, seconds, now + passed)
  assert.is(next([ready()], 0), undefined)
  assert.is(next([{ metadata: {} }], 5), undefined)
  assert.is(next([ready()], 5), 5000)
  assert.is(next([ready('2029-12-31T00:00:00Z'), ready()], 5), 5000)
  for (let passed = -2000; passed <= 5000; passed += 125) {
    const waitMs = next([ready()], 5, passed) as number
    assert.ok(isAvailable(ready() as never, 5, now + passed + waitMs), `${passed}`)
    const readyBy = Math.max(0, Math.min(999, passed))
    assert.is(passed + waitMs, readyBy + 5001, `${passed}`)
  }
})

test('a pod has what its template says, an owner, and no name of its own', () => {
  const template = {
    metadata: { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['e/f'], name: 'no' },
    spec: { containers: [] },
  }
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web',
    uid: 'u',
    controller: true,
  }
  const { metadata, spec } = podFromTemplate(template, owner)
  assert.equal(metadata, {
    generateName: 'web-',
    ...{ labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['e/f'] },
    ownerReferences: [owner],
  })
  assert.equal(spec, template.spec)
  const long = 'x'.repeat(253)
  assert.is(podFromTemplate(template, { ...owner, name: long }).metadata.generateName, long)
})

/** Makes things in rounds, and says how large those were. */
function counted(failing?: number) {
  const rounds: number[] = []
  let open = 0
  return {
    rounds,
    async create(index: number): Promise<void> {
      if (open === 0) rounds.push(0)
      open += 1
      rounds[rounds.length - 1]! += 1
      await Promise.resolve()
      open -= 1
      if (index === failing) throw new Error('full')
    },
  }
}

const alone = { clock: systemClock, othersWaitMs: () => 0, freeWorker: () => {} }
const whole = { error: undefined, paused: false }

test('a slow start doubles its rounds, and ends with one in which something failed', async () => {
  const { rounds, create } = counted(5)
  const starts = new SlowStarts(5)
  assert.equal(await starts.run('a', 3, create, alone), { ...whole, made: 3 })
  assert.equal(rounds.splice(0), [1, 2])
  const { made, error } = await starts.run('a', 100, create, alone)
  assert.is(made, 6)
  assert.is((error as Error).message, 'full')
  assert.equal(rounds.splice(0), [1, 2, 4])
  assert.equal(await starts.run('a', 0, create, alone), { ...whole, made: 0 })
})

test('a slow start pauses after three seconds, and goes on with rounds as large as they have become', async () => {
  const clock = fakeClock()
  const { rounds, create } = counted()
  const slow = async (index: number) => {
    if (index === 0 || index === 3) clock.advance(1500)
    await create(index)
  }
  const starts = new SlowStarts(5)
  const paused = { made: 7, error: undefined, paused: true }
  assert.equal(await starts.run('a', 100, slow, { ...alone, clock }), paused)
  assert.equal(await starts.run('a', 20, create, { ...alone, clock }), { ...whole, made: 20 })
  assert.equal(rounds.splice(0), [1, 2, 4, 8, 12])
  assert.equal(await starts.run('a', 3, create, { ...alone, clock }), { ...whole, made: 3 })
  assert.equal(rounds, [1, 2])
})

test('owners whose things are made at the same time have equal parts of the width, in turn', async () => {
  let open = 0
  let most = 0
  const order: string[] = []
  const createFor = (uid: string) => async () => {
    open += 1
    most = Math.max(most, open)
    await Promise.resolve()
    order.push(uid)
    open -= 1
  }
  const starts = new SlowStarts(1)
  const uids = Array.from({ length: 20 }, (_, at) => `u${at}`)
  const ends = await Promise.all(uids.map((uid) => starts.run(uid, 5, createFor(uid), alone)))
  assert.equal(
    ends.map(({ made }) => made),
    uids.map(() => 5),
  )
  assert.is(most, 4)
  for (let turn = 0; turn < 5; turn++) {
    assert.equal(order.slice(turn * 20, turn * 20 + 20).sort(), [...uids].sort())
  }
})

test('a slow start gives its worker to keys that wait for one', async () => {
  let waitedMs = 0
  let freed = 0
  const context = { ...alone, othersWaitMs: () => waitedMs, freeWorker: () => void freed++ }
  const create = async () => {
    waitedMs += 60
  }
  const starts = new SlowStarts(5)
  await starts.run('a', 1, create, context)
  assert.is(freed, 0)
  await starts.run('a', 3, create, context)
  assert.ok(freed > 0)
})

test('a slow start gives its worker while a round is under way to keys that begin to wait for one', async () => {
  const clock = fakeClock()
  const context = { clock, othersWaitMs: () => clock.monotonic(), freeWorker: () => void freed++ }
  let freed = 0
  let finish = (): void => {}
  const create = () => new Promise<void>((resolve) => (finish = resolve))
  const ended = new SlowStarts(5).run('a', 1, create, context)
  clock.advance(100)
  assert.is(freed, 0)
  clock.advance(100)
  assert.is(freed, 1)
  finish()
  assert.equal(await ended, { ...whole, made: 1 })
  assert.is(clock.waiting, 0)
})

test.run()
