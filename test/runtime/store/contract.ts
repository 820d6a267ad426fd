import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Store, StoreError, type StoreEvent } from '../../../runtime/store/store.ts'
import { hangSignal } from '../../support/deadline.ts'

export const bytes = (text: string): Uint8Array => Buffer.from(text)
export const text = (value: Uint8Array | undefined): string | undefined =>
  value === undefined ? undefined : Buffer.from(value).toString()

/** Fails unless the promise fails with a StoreError for this reason; gives the error. */
export async function refused(
  promise: Promise<unknown>,
  reason: StoreError['reason'],
): Promise<StoreError> {
  const error = await promise.then(
    () => assert.unreachable(`expected ${reason}`),
    (error: unknown) => error,
  )
  assert.instance(error, StoreError)
  assert.is((error as StoreError).reason, reason)
  return error as StoreError
}

/** The first `count` events of a watch. */
export async function take(
  count: number,
  events: AsyncIterable<readonly StoreEvent[]>,
): Promise<StoreEvent[]> {
  const taken: StoreEvent[] = []
  for await (const batch of events) {
    assert.ok(batch.length > 0, 'batches are never empty')
    taken.push(...batch)
    if (taken.length >= count) return taken.slice(0, count)
  }
  throw new Error(`the watch ended after ${taken.length} of ${count} events`)
}

export const deadline = (): AbortSignal => hangSignal()

/** `create /a 1`, `update /a 2`, `delete /a`: what happened, with the values before and after. */
export function tell(event: StoreEvent): string {
  const now = text(event.entry?.value)
  const before = text(event.previous?.value)
  if (now === undefined) return `delete ${event.key} (${before})`
  if (before === undefined) return `create ${event.key} ${now}`
  return `update ${event.key} ${now} (${before})`
}

/** Holds one implementation to the promises of `runtime/store/store.ts`. */
export function storeContract(name: string, open: () => Promise<Store>): void {
  const contract = suite<{ store: Store }>(`store contract: ${name}`)

  contract.before.each(async (context) => {
    context.store = await open()
  })
  contract.after.each(async (context) => {
    await context.store.close()
  })

  contract('order: an empty store is at revision 0', async ({ store }) => {
    assert.is(await store.revision(), 0)
    const { entries, revision, remaining } = await store.list('/')
    assert.equal({ entries, revision, remaining }, { entries: [], revision: 0, remaining: 0 })
  })

  // W-04, D-18
  contract('order: revisions of all keys are one sequence from 1', async ({ store }) => {
    const a = await store.create('/a', bytes('1'))
    const b = await store.create('/b', bytes('1'))
    const c = await store.update('/a', a.revision, bytes('2'))
    const d = await store.delete('/b', b.revision)
    assert.equal(
      [a, b, c, d].map((it) => it.revision),
      [1, 2, 3, 4],
    )
    assert.is(await store.revision(), 4)
  })

  contract('order: concurrent writes land in the order they were made', async ({ store }) => {
    const keys = Array.from({ length: 600 }, (_, index) => `/k/${index}`)
    const entries = await Promise.all(keys.map((key) => store.create(key, bytes(key))))
    assert.equal(
      entries.map((entry) => entry.revision),
      keys.map((_, index) => index + 1),
    )
  })

  contract('swap: a write gives the entry that a read then gives', async ({ store }) => {
    const created = await store.create('/a', bytes('1'))
    assert.equal(
      { ...created, value: text(created.value) },
      { key: '/a', revision: 1, createRevision: 1, value: '1' },
    )
    assert.is(text((await store.get('/a'))?.value), '1')
    const updated = await store.update('/a', 1, bytes('2'))
    assert.equal(
      { ...updated, value: text(updated.value) },
      { key: '/a', revision: 2, createRevision: 1, value: '2' },
    )
    const read = await store.get('/a')
    assert.equal([read?.revision, read?.createRevision, text(read?.value)], [2, 1, '2'])
  })

  contract('swap: a taken key refuses a create and names its entry', async ({ store }) => {
    await store.create('/a', bytes('1'))
    const { current } = await refused(store.create('/a', bytes('2')), 'AlreadyExists')
    assert.equal([current?.revision, text(current?.value)], [1, '1'])
  })

  contract('swap: of two writers who read the same revision, one wins', async ({ store }) => {
    const { revision } = await store.create('/a', bytes('1'))
    const mine = store.update('/a', revision, bytes('mine'))
    const { current } = await refused(store.update('/a', revision, bytes('yours')), 'Conflict')
    assert.is(text(current?.value), 'mine')
    assert.is((await mine).revision, 2)
    assert.is(await store.revision(), 2)
  })

  contract('swap: of many concurrent creators of one key, one wins', async ({ store }) => {
    const attempts = Array.from({ length: 50 }, (_, index) => store.create('/a', bytes(`${index}`)))
    const results = await Promise.allSettled(attempts)
    assert.is(results.filter((result) => result.status === 'fulfilled').length, 1)
    assert.is(await store.revision(), 1)
  })

  contract('swap: an absent key refuses update and delete', async ({ store }) => {
    await refused(store.update('/a', 1, bytes('1')), 'NotFound')
    await refused(store.delete('/a', 1), 'NotFound')
    await store.create('/a', bytes('1'))
    await store.delete('/a', 1)
    await refused(store.update('/a', 1, bytes('1')), 'NotFound')
    await refused(store.update('/a', 2, bytes('1')), 'NotFound')
  })

  contract('swap: a stale delete is refused', async ({ store }) => {
    await store.create('/a', bytes('1'))
    await store.update('/a', 1, bytes('2'))
    const { current } = await refused(store.delete('/a', 1), 'Conflict')
    assert.is(current?.revision, 2)
  })

  contract('swap: a delete gives the event with what was there', async ({ store }) => {
    await store.create('/a', bytes('1'))
    const event = await store.delete('/a', 1)
    assert.is(event.revision, 2)
    assert.is(event.entry, undefined)
    assert.equal([event.previous?.revision, text(event.previous?.value)], [1, '1'])
    assert.is(await store.get('/a'), undefined)
  })

  contract('swap: a key can be created again, as a new creation', async ({ store }) => {
    await store.create('/a', bytes('1'))
    const [, again] = await Promise.all([store.delete('/a', 1), Promise.resolve()])
    assert.is(again, undefined)
    const entry = await store.create('/a', bytes('2'))
    assert.equal([entry.revision, entry.createRevision], [3, 3])
  })

  contract('swap: a value may be empty, but not larger than 1.5 MiB', async ({ store }) => {
    assert.is((await store.create('/empty', new Uint8Array())).value.byteLength, 0)
    assert.is((await store.get('/empty'))?.value.byteLength, 0)
    const full = new Uint8Array(1.5 * 1024 * 1024)
    await store.create('/full', full)
    await refused(store.create('/more', new Uint8Array(full.byteLength + 1)), 'TooLarge')
    assert.is(await store.revision(), 2)
  })

  contract('swap: bytes come back as they went in', async ({ store }) => {
    const value = Uint8Array.from({ length: 256 }, (_, index) => index)
    await store.create('/a', value)
    assert.equal([...((await store.get('/a'))?.value ?? [])], [...value])
  })

  contract('snapshot: a list is in byte order of its keys', async ({ store }) => {
    const keys = [
      '/k/a',
      '/k/A',
      '/k/a/b',
      '/k/a-b',
      '/k/\u{1f600}',
      '/k/\uffee',
      '/k/\u00e9',
      '/k',
    ]
    for (const key of keys) await store.create(key, bytes(key))
    const sorted = keys
      .filter((key) => key.startsWith('/k/'))
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const page = await store.list('/k/')
    assert.equal(
      page.entries.map((entry) => entry.key),
      sorted,
    )
    const paged: string[] = []
    for (let after: string | undefined; paged.length < sorted.length; after = paged.at(-1)) {
      const next = await store.list('/k/', { limit: 2, ...(after === undefined ? {} : { after }) })
      paged.push(...next.entries.map((entry) => entry.key))
    }
    assert.equal(paged, sorted)
  })

  contract('snapshot: a list holds exactly what begins with the prefix', async ({ store }) => {
    for (const key of ['/a/1', '/a/2', '/ab/1', '/b/1']) await store.create(key, bytes(key))
    const keysOf = async (prefix: string) =>
      (await store.list(prefix)).entries.map((entry) => entry.key)
    assert.equal(await keysOf('/a/'), ['/a/1', '/a/2'])
    assert.equal(await keysOf('/a'), ['/a/1', '/a/2', '/ab/1'])
    assert.equal(await keysOf(''), ['/a/1', '/a/2', '/ab/1', '/b/1'])
    assert.equal(await keysOf('/c'), [])
    const after = await store.list('/a/1', { after: '/a/1' })
    assert.equal(after.entries, [])
  })

  contract(
    'snapshot: pages of one revision are one list, whatever is written',
    async ({ store }) => {
      for (let index = 0; index < 10; index++) await store.create(`/k/${index}`, bytes('old'))
      const first = await store.list('/k/', { limit: 4 })
      assert.equal([first.entries.length, first.revision, first.remaining], [4, 10, 6])
      await store.update('/k/5', 6, bytes('new'))
      await store.delete('/k/6', 7)
      await store.create('/k/55', bytes('new'))
      await store.delete('/k/0', 1)
      const second = await store.list('/k/', { limit: 4, after: '/k/3', revision: 10 })
      assert.equal(
        second.entries.map((entry) => entry.key),
        ['/k/4', '/k/5', '/k/6', '/k/7'],
      )
      assert.equal(
        second.entries.map((entry) => text(entry.value)),
        ['old', 'old', 'old', 'old'],
      )
      assert.equal([second.revision, second.remaining], [10, 2])
      const third = await store.list('/k/', { limit: 4, after: '/k/7', revision: 10 })
      assert.equal([third.entries.length, third.remaining], [2, 0])
      const past = await store.list('/k/', { revision: 10 })
      assert.equal(past.entries.length, 10)
      const now = await store.list('/k/')
      assert.equal([now.entries.length, now.revision], [9, 14])
    },
  )

  contract(
    'snapshot: a page ends about where its values have so many bytes, and is gone on with behind it',
    async ({ store }) => {
      const value = new Uint8Array(1000).fill(255)
      for (let index = 100; index < 300; index++) await store.create(`/k/${index}`, value)
      const keys: string[] = []
      for (let more = true; more; ) {
        const after = keys.at(-1)
        const bounds = { limit: 150, bytes: 99_500, revision: 200, uncounted: true }
        const page = await store.list('/k/', { ...bounds, ...(after && { after }) })
        assert.ok(page.entries.every((entry) => Buffer.compare(entry.value, value) === 0))
        keys.push(...page.entries.map(({ key }) => key))
        assert.ok(page.entries.length > 0 && page.entries.length <= 150)
        more = page.remaining > 0 && page.entries.length > 0
        await store.update('/k/299', 200, bytes('new')).catch(() => {})
      }
      assert.equal(
        keys,
        Array.from({ length: 200 }, (_, at) => `/k/${at + 100}`),
      )
      const counted = await store.list('/k/', { bytes: 1 })
      assert.equal([counted.entries.length, counted.remaining], [1, 199])
    },
  )

  contract(
    'snapshot: a list at revision 0 is empty, one in the future is refused',
    async ({ store }) => {
      await store.create('/a', bytes('1'))
      assert.equal((await store.list('/', { revision: 0 })).entries, [])
      await refused(store.list('/', { revision: 2 }), 'Future')
    },
  )

  contract(
    'snapshot: history below a compaction is refused, the rest is as it was',
    async ({ store }) => {
      await store.create('/a', bytes('1'))
      await store.create('/b', bytes('1'))
      await store.update('/a', 1, bytes('2'))
      await store.delete('/b', 2)
      await store.compact(3)
      await refused(store.list('/', { revision: 2 }), 'Expired')
      const then = await store.list('/', { revision: 3 })
      assert.equal(
        then.entries.map((entry) => `${entry.key} ${text(entry.value)}`),
        ['/a 2', '/b 1'],
      )
      assert.is((await store.list('/')).entries.length, 1)
      await refused(store.compact(5), 'Future')
    },
  )

  contract(
    'no gaps: a watch yields every event after its start, once, in order',
    async ({ store }) => {
      await store.create('/k/a', bytes('1'))
      await store.update('/k/a', 1, bytes('2'))
      await store.create('/other', bytes('1'))
      const watch = store.watch('/k/', 1, deadline())
      const events = take(4, watch)
      await store.create('/k/b', bytes('1'))
      await store.delete('/k/a', 2)
      await store.create('/k/a', bytes('3'))
      assert.equal((await events).map(tell), [
        'update /k/a 2 (1)',
        'create /k/b 1',
        'delete /k/a (2)',
        'create /k/a 3',
      ])
      assert.equal(
        (await events).map((event) => event.revision),
        [2, 4, 5, 6],
      )
    },
  )

  contract('no gaps: watches that begin anywhere see the same events', async ({ store }) => {
    const writes = Array.from({ length: 300 }, (_, index) =>
      store.create(`/k/${index}`, bytes('1')),
    )
    const early = take(300, store.watch('/k/', 0, deadline()))
    await writes[100]
    const late = take(200, store.watch('/k/', 100, deadline()))
    await Promise.all(writes)
    const after = take(1, store.watch('/k/', 299, deadline()))
    const revisions = (await early).map((event) => event.revision)
    assert.equal(
      revisions,
      writes.map((_, index) => index + 1),
    )
    assert.equal(
      (await late).map((event) => event.revision),
      revisions.slice(100),
    )
    assert.equal(
      (await after).map((event) => event.revision),
      [300],
    )
  })

  contract(
    'no gaps: a watch from a revision to come yields what comes after it',
    async ({ store }) => {
      const events = take(1, store.watch('/', 2, deadline()))
      for (const key of ['/a', '/b', '/c']) await store.create(key, bytes('1'))
      assert.equal((await events).map(tell), ['create /c 1'])
    },
  )

  contract('no gaps: a watch ends with its signal', async ({ store }) => {
    const stop = new AbortController()
    const seen: string[] = []
    const watching = (async () => {
      for await (const batch of store.watch('/', 0, stop.signal)) {
        seen.push(...batch.map(tell))
        stop.abort()
      }
    })()
    await store.create('/a', bytes('1'))
    await watching
    await store.create('/b', bytes('1'))
    assert.equal(seen, ['create /a 1'])
    for await (const _ of store.watch('/', 0, AbortSignal.abort())) assert.unreachable()
  })

  contract('no gaps: a watch ends when the store closes', async ({ store }) => {
    const watching = (async () => {
      for await (const _ of store.watch('/', 0, deadline())) assert.unreachable()
    })()
    await store.close()
    await watching
    await refused(store.revision(), 'Closed')
    await refused(store.get('/a'), 'Closed')
    await refused(store.create('/a', bytes('1')), 'Closed')
  })

  contract(
    'no gaps: a watch from compacted history fails instead of skipping',
    async ({ store }) => {
      const { revision } = await store.create('/a', bytes('1'))
      await store.update('/a', revision, bytes('2'))
      await store.update('/a', revision + 1, bytes('3'))
      await store.compact(revision + 1)
      await refused(take(1, store.watch('/', revision, deadline())), 'Expired')
      const [event] = await take(1, store.watch('/', revision + 1, deadline()))
      assert.is(event && tell(event), 'update /a 3 (2)')
    },
  )

  contract('no gaps: an event carries its neighbours in the life of the key', async ({ store }) => {
    await store.create('/a', bytes('1'))
    await store.update('/a', 1, bytes('2'))
    const [, update] = await take(2, store.watch('/', 0, deadline()))
    assert.equal(
      [update?.entry?.createRevision, update?.entry?.revision, update?.previous?.revision],
      [1, 2, 1],
    )
  })

  contract.run()
}
