import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { deferred } from '../../../../runtime/kernel/async/deferred.ts'
import {
  createManager,
  done,
  type KeyController,
  watching,
} from '../../../../runtime/reconcile/reconcile.ts'
import { startControlPlane } from '../../../../runtime/testing/testing.ts'
import { fakeClock } from '../../../support/clock.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/reconcile: runs without a worker')

/** A controller with one worker, whose run over `slow` gives it away and goes on until it is told to end. `other` has been taken once since. */
async function open() {
  const plane = await startControlPlane()
  const { client } = plane
  const clock = fakeClock()
  const goOn = deferred()
  const began: string[] = []
  const ended: string[] = []
  const waits: number[] = []
  const controller: KeyController = {
    name: 'test',
    concurrency: 1,
    watches: [watching(configMaps, ({ metadata }) => [metadata])],
    async reconcile({ name }, { othersWaitMs, freeWorker, cached }) {
      const isOurs = name === 'slow' || name === 'other'
      if (!isOurs || cached(configMaps).get({ namespace: 'default', name }) === undefined)
        return done
      began.push(name)
      if (name === 'slow' && waits.length === 0) {
        await until('another key', () => stateOf('other') === 'ready')
        clock.advance(250)
        waits.push(othersWaitMs())
        freeWorker()
        await goOn.promise
      }
      ended.push(name)
      return done
    },
  }
  const stateOf = (name: string) =>
    manager.report().controllers.test?.keys.find(({ key }) => key === `default/${name}`)?.state
  const manager = createManager({ client, clock, controllers: [controller] })
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  await manager.ready
  const maps = client.resource(configMaps).in('default')
  await maps.create({ metadata: { name: 'slow' } })
  await until('slow begins', () => began.includes('slow'))
  await maps.create({ metadata: { name: 'other' } })
  await until('other ends', () => ended.includes('other'))
  return { plane, maps, began, ended, waits, goOn, stop, running }
}

test('a run that gives its worker away goes on beside that of another key, and its own key is not taken twice', async () => {
  const { plane, maps, began, ended, waits, goOn, stop, running } = await open()
  assert.equal(waits, [250])
  await maps.mergePatch('slow', { data: { a: 'b' } })
  await maps.mergePatch('other', { data: { a: 'b' } })
  await until('other ends again', () => ended.length === 2)
  assert.equal(
    [began, ended],
    [
      ['slow', 'other', 'other'],
      ['other', 'other'],
    ],
  )
  await maps.delete('slow')
  goOn.resolve()
  await until('slow ends', () => ended.includes('slow'))
  stop.abort()
  await running
  await plane.stop()
})

test('a manager ends after the runs that gave their workers away', async () => {
  const { plane, ended, goOn, stop, running } = await open()
  stop.abort()
  goOn.resolve()
  await running
  assert.ok(ended.includes('slow'))
  await plane.stop()
})

test.run()
