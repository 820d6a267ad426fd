import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { PodClasses } from '../../../../runtime/scheduler/facts/pod-class.ts'
import { SchedulingQueue } from '../../../../runtime/scheduler/queue/scheduling-queue.ts'
import { virtualClock } from '../../../../runtime/testing/testing.ts'
import { podOf } from '../cluster-of.ts'

const test = suite('runtime/scheduler/queue')

function setUp() {
  const clock = virtualClock()
  const classes = new PodClasses()
  const times = { clock, backoffMs: 1000, mostBackoffMs: 10_000, flushMs: 300_000 }
  const queue = new SchedulingQueue(times, () => {})
  const add = (name: string, spec: object = {}) =>
    queue.set(classes.infoOf(podOf(name, {}, spec as never)), true)
  const take = () => queue.take()?.info.pod.metadata.name
  return { clock, queue, add, take }
}

const full = new Set(['NodeResourcesFit'] as const)

test('the most important pod comes first, then the one that waits longest', () => {
  const { add, take } = setUp()
  add('a')
  add('b', { priority: 5 })
  add('c')
  assert.equal([take(), take(), take(), take()], ['b', 'a', 'c', undefined])
})

test('gates hold a pod until they are gone', () => {
  const { queue, add, take } = setUp()
  add('a', { schedulingGates: [{ name: 'x' }] })
  queue.happened('NodeAdd')
  assert.is(take(), undefined)
  assert.is(queue.sizes.gated, 1)
  add('a')
  assert.is(take(), 'a')
})

test('a pod waits for an event that may help, and its time, which doubles', async () => {
  const { clock, queue, add } = setUp()
  add('a')
  for (const ms of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
    const pod = queue.take()!
    queue.failed(pod, full, queue.events)
    queue.happened('AssignedPodAdd')
    assert.is(queue.sizes.unschedulable, 1)
    queue.happened('AssignedPodDelete')
    assert.is(queue.sizes.backoff, 1)
    await clock.advance(ms - 1)
    assert.is(queue.sizes.active, 0)
    await clock.advance(1)
    assert.is(queue.sizes.active, 1)
  }
})

test('what happened while it was tried counts', () => {
  const { queue, add } = setUp()
  add('a')
  const pod = queue.take()!
  const events = queue.events
  queue.happened('NodeAdd')
  queue.failed(pod, full, events)
  assert.is(queue.sizes.backoff, 1)
})

test('after five minutes it is tried though nothing happened', async () => {
  const { clock, queue, add } = setUp()
  add('a')
  queue.failed(queue.take()!, full, queue.events)
  await clock.advance(300_000)
  assert.is(queue.sizes.unschedulable, 1)
  await clock.advance(30_000)
  assert.is(queue.sizes.active, 1)
})

test('a pod that is gone is nowhere', () => {
  const { queue, add, take } = setUp()
  add('a')
  add('b')
  queue.remove('uid of default/a')
  assert.equal([take(), take()], ['b', undefined])
})

test.run()
