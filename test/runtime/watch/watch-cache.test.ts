import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Clock } from '../../../runtime/kernel/async/clock.ts'
import { openSqliteStore, type StoreEvent } from '../../../runtime/store/store.ts'
import {
  createWatchCache,
  type WatchCache,
  type WatchCacheOptions,
} from '../../../runtime/watch/watch.ts'
import { fakeClock } from '../../support/clock.ts'
import { bytes, deadline, refused, take, tell, text } from '../store/contract.ts'

const watch = suite('runtime/watch: cache')

async function open(options: Partial<WatchCacheOptions> = {}): Promise<WatchCache> {
  const clock: Clock = options.clock ?? fakeClock()
  const store = await openSqliteStore({ filename: ':memory:', clock })
  return createWatchCache(store, { clock, ...options })
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function read(events: AsyncIterable<readonly StoreEvent[]>, into: string[]): Promise<void> {
  for await (const batch of events) into.push(...batch.map(tell))
}

watch('a version is stamped once, and every reader gets the stamped one', async () => {
  const stamped: string[] = []
  const cache = await open({
    stampResourceVersion(value, revision) {
      stamped.push(`${text(value)}@${revision}`)
      return bytes(`${text(value)} at ${revision}`)
    },
  })
  const created = await cache.create('/k/a', bytes('1'))
  const updated = await cache.update('/k/a', 1, bytes('2'))
  const [first, second] = await take(2, cache.watch('/k/', 0, deadline()))
  const { current } = await refused(cache.create('/k/a', bytes('3')), 'AlreadyExists')
  const deleted = await cache.delete('/k/a', 2)
  assert.equal(stamped, ['1@1', '2@2'])
  assert.is(text(created.value), '1 at 1')
  assert.is(first?.entry, created)
  assert.is(second?.entry, updated)
  assert.is(second?.previous, created)
  assert.is(current, updated)
  assert.is(deleted.previous, updated)
  await cache.close()
})

watch(
  'a watch goes on from a version before the cache, with the objects that the cache has',
  async () => {
    const clock = fakeClock()
    const store = await openSqliteStore({ filename: ':memory:', clock })
    await store.create('/k/a', bytes('1'))
    await store.update('/k/a', 1, bytes('2'))
    await store.create('/k/b', bytes('1'))
    await store.delete('/k/b', 3)
    await store.compact(1)
    const cache = await createWatchCache(store, { clock })
    await refused(take(1, cache.watch('/k/', 0, deadline())), 'Expired')
    const later = cache.watch('/k/', 1, deadline())[Symbol.asyncIterator]()
    const first = later.next()
    await cache.update('/k/a', 2, bytes('3'))
    const told = [...((await first).value ?? [])]
    while (told.length < 4) told.push(...((await later.next()).value ?? []))
    assert.equal(told.map(tell), [
      'update /k/a 2 (1)',
      'create /k/b 1',
      'delete /k/b (1)',
      'update /k/a 3 (2)',
    ])
    assert.is(told[3]?.previous, told[0]?.entry)
    assert.is(await cache.get('/k/a'), told[3]?.entry)
    await later.return?.()
    await cache.close()
  },
)

watch('entries, events and past versions are the same objects for every reader', async () => {
  const cache = await open()
  await cache.create('/k/a', bytes('1'))
  await cache.update('/k/a', 1, bytes('2'))
  const [one, other] = await Promise.all([
    take(2, cache.watch('/k/', 0, deadline())),
    take(2, cache.watch('/', 0, deadline())),
  ])
  assert.is(one[0], other[0])
  assert.is(one[1], other[1])
  assert.is((await cache.list('/')).entries[0], one[1]?.entry)
  assert.is((await cache.list('/', { revision: 1 })).entries[0], one[0]?.entry)
  assert.is(cache.getCached('/k/a'), one[1]?.entry)
  assert.is(cache.listCached('/k/').entries[0], one[1]?.entry)
  await cache.close()
})

watch('what is not to be kept is counted, and its events are as complete as others', async () => {
  const clock = fakeClock()
  const store = await openSqliteStore({ filename: ':memory:', clock })
  for (const key of ['/a/1', '/big/1', '/big/2', '/big/3', '/c/1']) {
    await store.create(key, bytes('1'))
  }
  const cache = await createWatchCache(store, { clock, uncached: ['/big/'] })
  assert.equal([...cache.snapshot().entries.keys()], ['/a/1', '/c/1'])
  assert.equal([cache.isCached('/big/1'), cache.isCached('/a/')], [false, true])
  assert.equal([cache.count('/big/'), cache.count('/a/')], [3, 1])
  await cache.update('/big/1', 2, bytes('2'))
  await cache.delete('/big/2', 3)
  await cache.create('/big/4', bytes('1'))
  await cache.update('/big/1', 6, bytes('3'))
  const events = await take(4, cache.watch('/big/', 5, deadline()))
  assert.equal(events.map(tell), [
    'update /big/1 2 (1)',
    'delete /big/2 (1)',
    'create /big/4 1',
    'update /big/1 3 (2)',
  ])
  assert.is(events[3]?.previous, events[0]?.entry, 'what the history has is not read again')
  assert.is(cache.count('/big/'), 3)
  assert.is(cache.getCached('/big/1'), undefined)
  assert.equal([...cache.snapshot().entries.keys()], ['/a/1', '/c/1'])
  const { entries } = await cache.list('/big/')
  assert.equal(
    entries.map(({ key, value }) => `${key} ${text(value)}`),
    ['/big/1 3', '/big/3 1', '/big/4 1'],
  )
  await cache.close()
})

watch(
  'of a large store values are stamped when they are read, and at the latest when the cache settles',
  async () => {
    const clock = fakeClock()
    const store = await openSqliteStore({ filename: ':memory:', clock })
    const count = 24
    const key = (at: number): string => `/k/${String(at).padStart(2, '0')}`
    for (let at = 0; at < count; at++) {
      await store.create(key(at), bytes(`${at} `.padEnd(1024 * 1024, 'x')))
    }
    let stamps = 0
    const cache = await createWatchCache(store, {
      clock,
      stampResourceVersion(value, revision) {
        stamps++
        const number = Buffer.from(value).toString().split(' ')[0]
        return bytes(`${number} at ${revision}`)
      },
    })
    const atOnce = stamps
    assert.ok(atOnce > 0 && atOnce < count, `${atOnce} were stamped at the start`)
    const last = cache.getCached(key(count - 1))
    assert.is(cache.listCached('/k/').entries.length, count)
    assert.is(stamps, atOnce, 'who finds an entry has not read it yet')
    assert.is(text(last?.value ?? bytes('')), `${count - 1} at ${count}`)
    const more = stamps - atOnce
    assert.ok(more > 0 && atOnce + more < count, `${more} were stamped with it`)
    await cache.settle(deadline())
    assert.is(stamps, count)
    const texts = cache.listCached('/k/').entries.map(({ value }) => text(value))
    assert.equal(
      texts,
      texts.map((_, at) => `${at} at ${at + 1}`),
    )
    assert.is(stamps, count, 'none is stamped twice')
    assert.is(last?.value, cache.getCached(key(count - 1))?.value)
    await cache.close()
  },
)

watch('what is not kept is read once for an update that was made of it', async () => {
  const clock = fakeClock()
  const store = await openSqliteStore({ filename: ':memory:', clock })
  const large = bytes('x'.repeat(1024 * 1024))
  for (let at = 0; at < 6; at++) await store.create(`/big/${at}`, large)
  const asked: number[] = []
  const { replaced } = store
  store.replaced = (revisions, signal) => {
    asked.push(...revisions)
    return replaced.call(store, revisions, signal)
  }
  const cache = await createWatchCache(store, { clock, uncached: ['/big/'] })
  for (let at = 0; at < 6; at++) await cache.get(`/big/${at}`)
  for (let at = 5; at >= 0; at--) await cache.update(`/big/${at}`, at + 1, bytes(`${at}`))
  const events = await take(6, cache.watch('/big/', 6, deadline()))
  assert.ok(events.every(({ previous }) => previous && Buffer.compare(large, previous.value) === 0))
  assert.equal(asked, [2, 1], 'of six megabytes the last four are remembered')
  await cache.close()
})

watch('a writer is answered before any watcher hears of the write', async () => {
  const cache = await open()
  const stop = new AbortController()
  const order: string[] = []
  const watchers = Array.from({ length: 1000 }, () =>
    read(cache.watch('/k/', 0, stop.signal), order),
  )
  await cache.create('/k/a', bytes('1')).then(() => order.push('answer'))
  while (order.length < 1001) await turn()
  assert.equal(order.slice(0, 2), ['answer', 'create /k/a 1'])
  stop.abort()
  await Promise.all(watchers)
  await cache.close()
})

watch('what happens while the reader is busy arrives as one batch', async () => {
  const cache = await open()
  const reader = cache.watch('/k/', 0, deadline())[Symbol.asyncIterator]()
  const first = reader.next()
  await cache.create('/k/a', bytes('1'))
  assert.is((await first).value.length, 1)
  for (const key of ['/k/b', '/other', '/k/c', '/k/d']) await cache.create(key, bytes('1'))
  const { value } = await reader.next()
  assert.equal(value.map(tell), ['create /k/b 1', 'create /k/c 1', 'create /k/d 1'])
  await reader.return?.()
  await cache.close()
})

watch('a watcher hears of its prefix and of nothing else', async () => {
  const cache = await open()
  const prefixes = ['', '/', '/a/', '/a/x/', '/a/x/1', '/b/', '/a/x/12', '/a']
  const stop = new AbortController()
  const heard = prefixes.map((): string[] => [])
  const watchers = prefixes.map((prefix, index) =>
    read(cache.watch(prefix, 0, stop.signal), heard[index] ?? []),
  )
  for (const key of ['/a/x/1', '/a/y/1', '/ab/x', '/b/x/1']) await cache.create(key, bytes('1'))
  while ((heard[0]?.length ?? 0) < 4) await turn()
  const keys = heard.map((events) => events.map((event) => event.split(' ')[1]).join(' '))
  assert.equal(keys, [
    '/a/x/1 /a/y/1 /ab/x /b/x/1',
    '/a/x/1 /a/y/1 /ab/x /b/x/1',
    '/a/x/1 /a/y/1',
    '/a/x/1',
    '/a/x/1',
    '/b/x/1',
    '',
    '/a/x/1 /a/y/1 /ab/x',
  ])
  stop.abort()
  await Promise.all(watchers)
  await cache.close()
})

watch('a watcher that falls behind its budget expires; the others go on', async () => {
  const cache = await open({ maxBacklogBytes: 10_000 })
  const slow = cache.watch('/k/', 0, deadline())[Symbol.asyncIterator]()
  const first = slow.next()
  const other = take(21, cache.watch('/k/', 0, deadline()))
  for (let index = 0; index <= 20; index++) await cache.create(`/k/${index}`, new Uint8Array(1000))
  assert.ok(((await first).value?.length ?? 0) > 0)
  await refused(slow.next(), 'Expired')
  assert.is((await other).length, 21)
  assert.is((await slow.next()).done, true)
  await cache.close()
})

watch('events already in the history do not count against a budget', async () => {
  const cache = await open({ maxBacklogBytes: 10_000 })
  for (let index = 0; index < 300; index++) await cache.create(`/k/${index}`, new Uint8Array(1000))
  const resumed = cache.watch('/k/', 0, deadline())[Symbol.asyncIterator]()
  const { value } = await resumed.next()
  assert.is(value.length, 256)
  await cache.create('/k/more', bytes('1'))
  assert.is((await resumed.next()).value.length, 45)
  await resumed.return?.()
  await cache.close()
})

watch(
  'history is kept for its time; a watch from before fails, a list reads the store',
  async () => {
    const clock = fakeClock()
    const cache = await open({ clock, historyMs: 1000 })
    await cache.create('/k/a', bytes('1'))
    await cache.update('/k/a', 1, bytes('2'))
    clock.advance(2000)
    await cache.update('/k/a', 2, bytes('3'))
    await refused(take(1, cache.watch('/', 1, deadline())), 'Expired')
    assert.is((await take(1, cache.watch('/', 2, deadline()))).length, 1)
    const past = await cache.list('/', { revision: 1 })
    assert.is(text(past.entries[0]?.value), '1')
    await cache.close()
  },
)

watch('history is bounded in bytes; writes are answered all the same', async () => {
  const cache = await open({
    maxHistoryBytes: 3000,
    stampResourceVersion: (value) => bytes(`${value.length}`),
  })
  for (let index = 0; index < 20; index++) {
    const { value } = await cache.create(`/k/${index}`, new Uint8Array(500))
    assert.is(text(value), '500')
  }
  const tiny = await open({ maxHistoryBytes: 0 })
  assert.is((await tiny.create('/k/a', bytes('1'))).revision, 1)
  assert.is((await tiny.update('/k/a', 1, bytes('2'))).createRevision, 1)
  assert.is(tell(await tiny.delete('/k/a', 2)), 'delete /k/a (2)')
  await refused(take(1, cache.watch('/', 0, deadline())), 'Expired')
  await cache.close()
  await tiny.close()
})

watch(
  'ten thousand writes at once keep to both budgets, and a watcher that reads gets each of them',
  async () => {
    const [writes, bytesEach] = [10_000, 1000]
    const cache = await open({ maxHistoryBytes: 4 * 1_000_000, maxBacklogBytes: 500_000 })
    const idle = cache.watch('/k/', 0, deadline())[Symbol.asyncIterator]()
    await cache.create('/k/first', new Uint8Array(bytesEach))
    assert.is((await idle.next()).value.length, 1)
    const reading = take(writes, cache.watch('/k/', 1, deadline()))
    const keys = Array.from({ length: writes }, (_, at) => `/k/${at}`)
    await Promise.all(keys.map((key) => cache.create(key, new Uint8Array(bytesEach))))
    assert.equal(
      (await reading).map(({ revision }) => revision),
      keys.map((_, at) => at + 2),
    )
    let unread = 0
    const end = await (async () => {
      for (;;) unread += (await idle.next()).value.length
    })().catch((error: unknown) => String(error))
    assert.match(end, 'the watch fell too far behind')
    assert.ok(unread * bytesEach <= 500_000, `${unread} events were kept for a watcher that stands`)
    const { revision } = await cache.list('/none/')
    const kept = (after: number) => take(1, cache.watch('/k/', after, deadline()))
    await kept(revision - Math.floor(1_000_000 / (bytesEach + 512)) + 10)
    await refused(kept(revision - Math.ceil(1_000_000 / bytesEach)), 'Expired')
    await cache.close()
  },
)

watch('what is read of the past and what came since share one budget', async () => {
  const clock = fakeClock()
  const store = await openSqliteStore({ filename: ':memory:', clock })
  for (let at = 0; at < 40; at++) await store.create(`/k/${at}`, new Uint8Array(1000))
  const cache = await createWatchCache(store, { clock, maxHistoryBytes: 4 * 60_000 })
  for (let at = 40; at < 70; at++) await cache.create(`/k/${at}`, new Uint8Array(1000))
  await take(40, cache.watch('/k/', 5, deadline())).catch(() => {})
  const reached: number[] = []
  for (let after = 69; after >= 0; after--) {
    const stop = new AbortController()
    const first = cache.watch('/k/', after, stop.signal)[Symbol.asyncIterator]().next()
    const isThere = await first.then(
      () => true,
      () => false,
    )
    stop.abort()
    if (!isThere) break
    reached.push(after)
  }
  assert.ok(reached.length > 30, `${reached.length} events of 1,000 bytes: more than those since`)
  assert.ok(
    reached.length * 1000 <= 60_000,
    `${reached.length} events of 1,000 bytes are within 60,000`,
  )
  await cache.close()
})

watch('a page continues at its revision after thousands of writes', async () => {
  const cache = await open()
  const keys = Array.from({ length: 1000 }, (_, index) => `/k/${String(index).padStart(4, '0')}`)
  await Promise.all(keys.map((key) => cache.create(key, bytes('old'))))
  const first = await cache.list('/k/', { limit: 500 })
  await Promise.all(first.entries.map((it) => cache.update(it.key, it.revision, bytes('new'))))
  await Promise.all(keys.slice(500).map((key, index) => cache.delete(key, 501 + index)))
  const { revision } = first
  const second = await cache.list('/k/', { limit: 500, after: '/k/0499', revision })
  assert.equal(
    second.entries.map((it) => it.key),
    keys.slice(500),
  )
  assert.is(second.remaining, 0)
  const all = await cache.list('/k/', { revision: 1200 })
  assert.is(all.entries.filter((it) => text(it.value) === 'new').length, 200)
  assert.is((await cache.list('/k/')).entries.length, 500)
  await cache.close()
})

watch('a wait for a revision ends when it is there, or after its time', async () => {
  const clock = fakeClock()
  const cache = await open({ clock })
  const early = cache.waitForRevision(1, 3000)
  const late = cache.waitForRevision(2, 3000)
  await cache.create('/k/a', bytes('1'))
  await early
  await cache.waitForRevision(1, 3000)
  clock.advance(2999)
  assert.is(clock.waiting, 1)
  clock.advance(1)
  await refused(late, 'Future')
  assert.is(clock.waiting, 0)
  await cache.close()
})

watch('a cache that joins late has the entries and the history of the store', async () => {
  const clock = fakeClock()
  const store = await openSqliteStore({ filename: ':memory:', clock })
  await store.create('/k/a', bytes('1'))
  await store.compact(1)
  await store.update('/k/a', 1, bytes('2'))
  await store.create('/k/b', bytes('1'))
  const cache = await createWatchCache(store, { clock })
  assert.is(cache.currentRevision, 3)
  const events = await take(2, cache.watch('/k/', 1, deadline()))
  assert.equal(events.map(tell), ['update /k/a 2 (1)', 'create /k/b 1'])
  await store.update('/k/b', 3, bytes('2'))
  assert.is(text((await cache.get('/k/b'))?.value), '2')
  await cache.close()
})

watch.run()
