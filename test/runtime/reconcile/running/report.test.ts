import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { deferred } from '../../../../runtime/kernel/async/deferred.ts'
import type { Log, LogFields } from '../../../../runtime/observe/observe.ts'
import {
  again,
  createManager,
  defineController,
  done,
  failed,
  type KeyReport,
  type Manager,
  terminal,
} from '../../../../runtime/reconcile/reconcile.ts'
import { startControlPlane } from '../../../../runtime/testing/testing.ts'
import { fakeClock } from '../../../support/clock.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/reconcile: what a manager reports')

const keyOf = (manager: Manager, name: string): KeyReport | undefined =>
  manager.report().controllers.test?.keys.find(({ key }) => key === `default/${name}`)

test('each key is where it stands: running, ready, waiting or resting, with what its last run came to', async () => {
  await using plane = await startControlPlane()
  const { client } = plane
  const clock = fakeClock()
  const held = deferred()
  const lines: (readonly [string, LogFields | undefined])[] = []
  const write = (event: string, fields?: LogFields): void => void lines.push([event, fields])
  const log: Log = { debugging: true, debug: write, info: write, warn: write, error: write }
  const controller = defineController({
    name: 'test',
    for: configMaps,
    concurrency: 1,
    async reconcile({ metadata: { name } }, context) {
      context.log.info('looking', { at: name })
      if (name === 'fails') return failed(new Error('no luck'))
      if (name === 'later') return again(60_000, 'the price is not known yet')
      if (name === 'wrong') return terminal('no price')
      if (name === 'held') await held.promise
      return done
    },
  })
  const manager = createManager({ client, clock, log, controllers: [controller] })
  const stop = new AbortController()
  assert.equal([manager.report().synced, manager.report().working], [false, false])
  const running = manager.run(stop.signal)
  await manager.ready
  assert.equal([manager.report().synced, manager.report().working], [true, true])
  const maps = client.resource(configMaps)
  for (const name of ['fine', 'fails', 'later', 'wrong']) {
    await maps.create({ metadata: { name } })
    await until(name, () => keyOf(manager, name)?.last !== undefined)
  }
  await maps.create({ metadata: { name: 'held' } })
  await until('held', () => keyOf(manager, 'held')?.run !== undefined)
  await maps.mergePatch('fine', { data: { a: 'b' } })
  await until('fine', () => keyOf(manager, 'fine')?.state === 'ready')
  clock.advance(4000)

  const of = (name: string) => {
    const { state, dueMs, failures, last, forMs } = keyOf(manager, name) as KeyReport
    return { state, dueMs, failures, outcome: last?.outcome, why: last?.why, forMs }
  }
  const none = { dueMs: undefined, failures: undefined, outcome: undefined, why: undefined }
  assert.equal(of('held'), { ...none, state: 'running', forMs: 4000 })
  assert.equal(of('fine'), { ...none, state: 'ready', outcome: 'done', forMs: 4000 })
  assert.equal(of('later'), {
    ...{ ...none, state: 'waiting', dueMs: 56_000, forMs: 4000 },
    ...{ outcome: 'again', why: 'the price is not known yet' },
  })
  const wrong = { outcome: 'terminal', why: 'no price', forMs: 4000 }
  assert.equal(of('wrong'), { ...none, state: 'resting', ...wrong })
  assert.is(of('fails').failures, 1)
  assert.is(of('fails').why, 'no luck')
  assert.is(manager.report().controllers.test?.oldestMs, 4000)

  const [looking] = lines.filter(([event, fields]) => event === 'looking' && fields?.at === 'fails')
  const [failure] = lines.filter(([event]) => event === 'reconcile failed')
  assert.equal(looking?.[1]?.controller, 'test')
  assert.equal(looking?.[1]?.key, 'default/fails')
  assert.is(looking?.[1]?.run, failure?.[1]?.run)
  assert.is(keyOf(manager, 'fails')?.last?.run, failure?.[1]?.run)

  held.resolve()
  stop.abort()
  await running
})

test('of many keys the last ones and the troubled ones are kept', async () => {
  await using plane = await startControlPlane()
  const { client } = plane
  const controller = defineController({
    name: 'test',
    for: configMaps,
    reconcile: async ({ metadata }) => (metadata.name === 'm0' ? terminal('bad') : done),
  })
  const manager = createManager({ client, controllers: [controller], namespace: 'default' })
  const maps = client.resource(configMaps)
  for (let at = 0; at < 600; at++) await maps.create({ metadata: { name: `m${at}` } })
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  await until('all', () => manager.stats().test?.runs.done === 599)
  const { keys = [] } = manager.report().controllers.test ?? {}
  assert.is(keys.length, 200)
  assert.is(keys[0]?.key, 'default/m0')
  assert.is(keys[0]?.last?.why, 'bad')
  stop.abort()
  await running
})

test.run()
