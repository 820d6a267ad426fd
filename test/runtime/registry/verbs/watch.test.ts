import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { WatchEvent, WatchOptions } from '../../../../runtime/registry/registry.ts'
import { fakeClock } from '../../../support/clock.ts'
import { hangSignal } from '../../../support/deadline.ts'
import {
  body,
  collect,
  configMaps,
  inDefault,
  type OpenRegistry,
  openRegistry,
  quiet,
} from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'
import { until } from '../../../support/until.ts'

/** The laws hold whether objects are kept in memory or not. */
function laws(name: string, uncached: readonly string[]): void {
  const watches = suite<OpenRegistry>(name)
  const clock = fakeClock(Date.parse('2030-01-01T00:00:00Z'))

  watches.before.each(async (context) => {
    Object.assign(context, await openRegistry({ uncached, clock }))
  })
  watches.after.each(({ close }) => close())

  async function put({ registry }: OpenRegistry, name: string, labels: object, data = {}) {
    const made = { metadata: { name, labels }, data }
    const written = await registry
      .update(inDefault(configMaps, name), body(made), quiet)
      .catch(() => registry.create(inDefault(configMaps), body(made), quiet))
    return written.item.object().metadata.resourceVersion as string
  }

  function watch({ registry }: OpenRegistry, options: Partial<WatchOptions>, count: number) {
    const all = { bookmarks: false, ...options }
    return collect((signal) => registry.watch(inDefault(configMaps), all, signal), count)
  }

  const summary = (events: readonly WatchEvent[]) =>
    events.map(({ type, item }) => {
      const { name, resourceVersion } = item.object().metadata
      return `${type} ${name} ${resourceVersion}`
    })

  watches(
    'a watch from a version gives every later change, once and in order (V-02, V-09, V-14, V-17, A4.42, A6.3)',
    async (opened) => {
      const start = await put(opened, 'a', {})
      const second = await put(opened, 'a', { x: 'y' })
      await opened.registry.delete(inDefault(configMaps, 'a'), { dryRun: false })
      const last = await put(opened, 'a', {})
      const events = await watch(opened, { resourceVersion: start }, 3)
      const gone = String(Number(second) + 1)
      assert.equal(summary(events), [
        `MODIFIED a ${second}`,
        `DELETED a ${gone}`,
        `ADDED a ${last}`,
      ])
      assert.equal(events[1]?.item.object().metadata.labels, { x: 'y' }, 'the last state')
    },
  )

  watches(
    'without a version what is there comes first, in key order (V-09, A4.40, A4.41, A6.2)',
    async (opened) => {
      const b = await put(opened, 'b', {})
      const a = await put(opened, 'a', {})
      for (const options of [{}, { resourceVersion: '0' }, { resourceVersion: '' }]) {
        const events = watch(opened, options, 3)
        const c = await put(opened, 'c', { at: JSON.stringify(options).length.toString() })
        const got = await events
        assert.equal(summary(got).slice(0, 2), [`ADDED a ${a}`, `ADDED b ${b}`])
        assert.is(got[2]?.item.object().metadata.resourceVersion, c)
        await opened.registry.delete(inDefault(configMaps, 'c'), { dryRun: false })
      }
    },
  )

  watches('a selector turns changes into arrivals and departures (V-02, V-03)', async (opened) => {
    const start = await put(opened, 'a', {})
    const enters = await put(opened, 'a', { in: 'yes' })
    const stays = await put(opened, 'a', { in: 'yes' }, { k: 'v' })
    const leaves = await put(opened, 'a', { in: 'no' })
    await put(opened, 'a', { in: 'still-not' })
    const back = await put(opened, 'a', { in: 'yes' })
    const events = await watch(opened, { resourceVersion: start, labelSelector: 'in=yes' }, 4)
    assert.equal(summary(events), [
      `ADDED a ${enters}`,
      `MODIFIED a ${stays}`,
      `DELETED a ${leaves}`,
      `ADDED a ${back}`,
    ])
    assert.equal(events[2]?.item.object().metadata.labels, { in: 'yes' }, 'the previous content')
  })

  watches('one name can be watched (D-07)', async (opened) => {
    const start = await put(opened, 'a', {})
    await put(opened, 'ab', {})
    const changed = await put(opened, 'a', { x: 'y' })
    const selected = { resourceVersion: start, fieldSelector: 'metadata.name=a' }
    assert.equal(summary(await watch(opened, selected, 1)), [`MODIFIED a ${changed}`])
  })

  watches('watchers of the same change share the same event', async (opened) => {
    const start = await put(opened, 'a', {})
    await put(opened, 'a', { x: 'y' })
    const [first] = await watch(opened, { resourceVersion: start }, 1)
    const [second] = await watch(opened, { resourceVersion: start }, 1)
    const [third] = await watch(opened, { resourceVersion: start, labelSelector: '!nothing' }, 1)
    assert.is(first, second)
    assert.is(first, third)
  })

  watches(
    'bookmarks come when asked for and promise that nothing is missing (V-10, A6.4, A2.21, D-15)',
    async (opened) => {
      const { registry, store } = opened
      await put(opened, 'a', {})
      const ended = new AbortController()
      const got: WatchEvent[] = []
      const options = { bookmarks: true, resourceVersion: String(store.currentRevision) }
      const running = (async () => {
        for await (const batch of registry.watch(inDefault(configMaps), options, ended.signal))
          got.push(...batch)
      })()
      await registry.create(
        { kind: configMaps, namespace: 'orch-public' },
        body({ metadata: { name: 'x' } }),
        quiet,
      )
      await until('a bookmark', () => {
        clock.advance(10_000)
        return got.length > 0
      })
      const [event] = got
      assert.is(event?.type, 'BOOKMARK')
      assert.equal(event?.item.object(), {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { resourceVersion: String(store.currentRevision) },
      })
      ended.abort()
      await running
    },
  )

  watches('history that is gone expires the watch (D-09, A7.4)', async (opened) => {
    const start = await put(opened, 'a', {})
    await put(opened, 'a', { x: 'y' })
    await opened.store.compact(opened.store.currentRevision)
    const error = await assertRejects(watch(opened, { resourceVersion: start }, 1), 'Expired')
    assert.is(error.code, 410)
  })

  watches('options that cannot be understood fail at the call', ({ registry }) => {
    const signal = hangSignal()
    const call = (options: Partial<WatchOptions>) => () =>
      registry.watch(inDefault(configMaps), { bookmarks: false, ...options }, signal)
    assert.throws(call({ labelSelector: 'a in' }), /unable to parse requirement/)
    assert.throws(call({ fieldSelector: 'spec.x=1' }), /not a known field selector/)
    assert.throws(call({ resourceVersion: 'x' }), /invalid resource version/)
  })

  watches('a watch ends with its signal', async ({ registry }) => {
    const ended = new AbortController()
    const options = { bookmarks: true }
    const iterator = registry
      .watch(inDefault(configMaps), options, ended.signal)
      [Symbol.asyncIterator]()
    const next = iterator.next()
    ended.abort()
    assert.is((await next).done, true)
  })

  watches('a watch with bookmarks holds nothing of what it has handed on', async (opened) => {
    const resourceVersion = await put(opened, 'a', {})
    const end = new AbortController()
    const options = { bookmarks: true, resourceVersion }
    const batches = opened.registry.watch(inDefault(configMaps), options, end.signal)
    const iterator = batches[Symbol.asyncIterator]()
    const events: WeakRef<WatchEvent>[] = []
    for (let at = 0; at < 6; at++) {
      await put(opened, 'a', {}, { large: 'x'.repeat(40_000), at: String(at) })
      const { value } = await iterator.next()
      for (const event of value as readonly WatchEvent[]) events.push(new WeakRef(event))
    }
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    await until('the first events are let go', () => {
      collectGarbage()
      return events.slice(0, 4).every((event) => event.deref() === undefined)
    })
    end.abort()
    await iterator.return?.()
  })

  watches.run()
}

laws('runtime/registry/verbs/watch', [])
laws('runtime/registry/verbs/watch, nothing cached', ['/core/configmaps/', '/core/pods/'])
