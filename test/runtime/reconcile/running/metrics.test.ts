import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { metrics as table } from '../../../../generated/metrics.ts'
import { createClient } from '../../../../runtime/client/client.ts'
import { createMetrics } from '../../../../runtime/observe/observe.ts'
import {
  createManager,
  createQueue,
  defineController,
  done,
  failed,
} from '../../../../runtime/reconcile/reconcile.ts'
import { startControlPlane } from '../../../../runtime/testing/testing.ts'
import { fakeClock } from '../../../support/clock.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/reconcile: what is counted')
const never = new AbortController().signal

function open() {
  const metrics = createMetrics(table, { release: '1.29.0', daemon: 'controller-manager' })
  const value = (name: string, labels: string): number | undefined => {
    const line = metrics
      .text('prometheus')
      .split('\n')
      .find((one) => one.startsWith(`${name}{${labels}} `))
    return line === undefined ? undefined : Number(line.split(' ').at(-1))
  }
  return { metrics, value }
}

// H-12
test('a queue counts its keys, how long they stood in it, and how long they were worked on', async () => {
  const { metrics, value } = open()
  const of = (name: string) => value(`workqueue_${name}`, 'name="sites"')
  const clock = fakeClock(1000)
  const queue = createQueue({ clock, metrics, name: 'sites' })
  assert.is(of('depth'), 0)
  queue.add('a', 'routine')
  queue.add('a')
  queue.add('b')
  assert.equal([of('depth'), of('adds_total')], [2, 2])
  clock.advance(2000)
  assert.is(await queue.take(never), 'a')
  queue.add('a')
  queue.add('a')
  assert.equal([of('depth'), of('adds_total')], [1, 2])
  clock.advance(3000)
  assert.is(await queue.take(never), 'b')
  clock.advance(500)
  assert.is(of('unfinished_work_seconds'), 4)
  assert.is(of('longest_running_processor_seconds'), 3.5)
  queue.finish('a')
  assert.equal([of('depth'), of('adds_total')], [1, 3])
  queue.finish('b')
  assert.is(of('unfinished_work_seconds'), 0)
  assert.is(of('longest_running_processor_seconds'), 0)
  assert.is(of('queue_duration_seconds_sum'), 2 + 5)
  assert.is(of('queue_duration_seconds_count'), 2)
  assert.is(of('work_duration_seconds_sum'), 3.5 + 0.5)
  queue.retry('b')
  queue.close()
  assert.is(of('retries_total'), 1)
})

// H-12
test('a key that waits for its time, or is worked on, does not age: what counts is how long it could have been taken', async () => {
  const { metrics, value } = open()
  const age = () => value('workqueue_queue_duration_seconds_sum', 'name="sites"')
  const clock = fakeClock(1000)
  const queue = createQueue({ clock, metrics, name: 'sites', minIntervalMs: 4000 })
  queue.addAfter('a', 10_000)
  clock.advance(10_000)
  assert.is(await queue.take(never), 'a')
  assert.is(age(), 0)
  queue.add('a')
  clock.advance(3000)
  queue.finish('a')
  assert.is(queue.depth, 0)
  clock.advance(1000)
  assert.is(queue.depth, 1)
  clock.advance(250)
  assert.is(await queue.take(never), 'a')
  assert.is(age(), 0.25)
  queue.retry('a')
  queue.finish('a')
  clock.advance(50)
  clock.advance(3950)
  assert.is(await queue.take(never), 'a')
  assert.is(age(), 0.25)
  queue.close()
})

// H-12
test('a manager counts the queue of each controller, and which controllers run', async () => {
  const { metrics, value } = open()
  await using plane = await startControlPlane({ socket: true })
  const client = createClient(plane.transport, { metrics })
  let runs = 0
  const controller = defineController({
    name: 'maps',
    for: configMaps,
    reconcile: async () => (++runs === 1 ? failed(new Error('first')) : done),
  })
  const stop = new AbortController()
  const manager = createManager({
    client,
    metrics,
    controllers: [controller],
    namespace: 'default',
    name: 'site-operator',
    queue: { backoff: { baseMs: 1, maxMs: 1 } },
  })
  const running = manager.run(stop.signal)
  await manager.ready
  const runningNow = () =>
    value('running_managed_controllers', 'name="maps",manager="site-operator"')
  assert.is(runningNow(), 1)
  await client.resource(configMaps).create({ metadata: { name: 'x' } })
  await until('done', () => manager.stats().maps?.runs.done === 1)
  assert.is(value('workqueue_retries_total', 'name="maps"'), 1)
  assert.ok((value('workqueue_adds_total', 'name="maps"') ?? 0) >= 2)
  stop.abort()
  await running
  assert.is(runningNow(), 0)
  const host = new URL(plane.url ?? '').host
  assert.is(value('rest_client_requests_total', `code="201",method="POST",host="${host}"`), 1)
  assert.not.match(metrics.text('prometheus'), 'apiserver_')
})

test('how many series an operator has does not depend on how many objects it works on', async () => {
  await using plane = await startControlPlane()
  const { metrics } = open()
  const client = createClient(plane.transport, { metrics })
  const runs = new Set<string>()
  const controller = defineController({
    name: 'sites',
    for: configMaps,
    async reconcile({ metadata: { name } }, { client }) {
      await client.resource(configMaps).mergePatch(name, { data: { seen: 'yes' } })
      runs.add(name)
      return done
    },
  })
  const stop = new AbortController()
  const manager = createManager({
    client,
    metrics,
    controllers: [controller],
    namespace: 'default',
  })
  const running = manager.run(stop.signal)
  const isQuiet = () =>
    Object.values(manager.stats()).every(({ active, depth }) => active + depth === 0)
  const seriesAfter = async (count: number): Promise<number> => {
    while (runs.size < count) {
      const metadata = { name: `site-${runs.size}` }
      await plane.client.resource(configMaps).create({ metadata })
      await until(metadata.name, () => runs.has(metadata.name) && isQuiet())
    }
    return metrics.text('prometheus').split('\n').length
  }
  const few = await seriesAfter(3)
  assert.is(await seriesAfter(30), few)
  stop.abort()
  await running
})

test.run()
