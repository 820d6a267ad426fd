import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Store, StoreError } from '../../../runtime/store/store.ts'
import { bytes, deadline, take, text } from './contract.ts'

type Operation =
  | { readonly do: 'put' | 'remove' | 'stale'; readonly key: string }
  | { readonly do: 'compact'; readonly lag: number }
  | { readonly do: 'list'; readonly prefix: string; readonly limit: number; readonly lag: number }

interface Version {
  readonly revision: number
  readonly created: number
  readonly value: string
}

/** The store as the simplest thing that could keep its promises: one whole map for every revision. */
class Model {
  readonly states: ReadonlyMap<string, Version>[] = [new Map()]
  readonly log: string[] = []
  bound = 0

  get revision(): number {
    return this.states.length - 1
  }

  latest(key: string): Version | undefined {
    return this.states[this.revision]?.get(key)
  }

  write(key: string, value: string | undefined): void {
    const revision = this.revision + 1
    const next = new Map(this.states[this.revision])
    const created = next.get(key)?.created ?? revision
    if (value === undefined) next.delete(key)
    else next.set(key, { revision, created, value })
    this.states.push(next)
    this.log.push(`${revision} ${key} ${value}`)
  }

  list(prefix: string, revision: number): readonly string[] {
    const entries = [...(this.states[revision] ?? [])].filter(([key]) => key.startsWith(prefix))
    entries.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    return entries.map(([key, it]) => `${key} ${it.revision} ${it.created} ${it.value}`)
  }
}

const key = fc.constantFrom('/a/1', '/a/\u{1f600}', '/a/\uffee', '/ab/1', '/b/2/x', '/b/2')
const prefix = fc.constantFrom('', '/', '/a/', '/a', '/b/2', '/c/')
const limit = fc.integer({ min: 1, max: 4 })

/** Mostly writes that land, so that keys have a history worth looking back at. */
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ do: fc.constant('put' as const), key }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('stale' as const), key }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('compact' as const), lag: fc.nat({ max: 30 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      prefix,
      limit,
      lag: fc.nat({ max: 20 }),
    }),
  },
)

async function outcome(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'done',
    (error: unknown) => (error instanceof StoreError ? error.reason : String(error)),
  )
}

/** A write that must land, or one that must not. */
async function write(
  store: Store,
  model: Model,
  { do: what, key }: Extract<Operation, { readonly key: string }>,
  value: string,
): Promise<void> {
  const known = model.latest(key)
  if (what === 'stale') {
    const stale = (known?.revision ?? 2) - 1
    const refusal = known === undefined ? 'NotFound' : 'Conflict'
    assert.is(await outcome(store.update(key, stale, bytes(value))), refusal)
    assert.is(await outcome(store.delete(key, stale)), refusal)
    if (known) assert.is(await outcome(store.create(key, bytes(value))), 'AlreadyExists')
  } else if (what === 'put') {
    if (known) await store.update(key, known.revision, bytes(value))
    else await store.create(key, bytes(value))
    model.write(key, value)
  } else if (known) {
    await store.delete(key, known.revision)
    model.write(key, undefined)
  }
}

/** All pages, each asked for at the revision of the first. */
async function pages(
  store: Store,
  prefix: string,
  limit: number,
  revision: number,
): Promise<string[]> {
  const found: string[] = []
  let after: string | undefined
  for (;;) {
    const page = await store.list(prefix, {
      limit,
      revision,
      ...(after === undefined ? {} : { after }),
    })
    found.push(
      ...page.entries.map(
        (it) => `${it.key} ${it.revision} ${it.createRevision} ${text(it.value)}`,
      ),
    )
    assert.ok(
      page.entries.every((it) => after === undefined || it.key !== after),
      'pages do not repeat',
    )
    after = page.entries.at(-1)?.key
    if (page.remaining === 0) return found
    assert.is(page.entries.length, limit)
  }
}

async function step(
  store: Store,
  model: Model,
  operation: Operation,
  value: string,
): Promise<void> {
  if (operation.do === 'compact') {
    const revision = Math.max(0, model.revision - operation.lag)
    await store.compact(revision)
    model.bound = Math.max(model.bound, revision)
  } else if (operation.do === 'list') {
    const revision = Math.max(model.bound, model.revision - operation.lag)
    const found = await pages(store, operation.prefix, operation.limit, revision)
    assert.equal(found, model.list(operation.prefix, revision))
    if (model.bound > 0) {
      assert.is(await outcome(store.list('', { revision: model.bound - 1 })), 'Expired')
    }
  } else {
    await write(store, model, operation, value)
  }
}

/** Any sequence of operations gives what one map for each revision gives. */
export function storeModel(name: string, open: () => Promise<Store>, runs: number): void {
  const test = suite(`store against its model: ${name}`)

  test('any sequence of operations gives what a map for each revision gives', async () => {
    const property = fc.asyncProperty(
      fc.array(operation, { size: 'max', maxLength: 100 }),
      async (operations) => {
        const store = await open()
        try {
          const model = new Model()
          for (const [index, it] of operations.entries()) await step(store, model, it, `v${index}`)
          assert.is(await store.revision(), model.revision)
          const count = model.revision - model.bound
          if (count === 0) return
          const events = await take(count, store.watch('', model.bound, deadline()))
          const told = events.map((it) => `${it.revision} ${it.key} ${text(it.entry?.value)}`)
          assert.equal(told, model.log.slice(model.bound))
          const before = events.map((it) => text(it.previous?.value))
          assert.equal(
            before,
            events.map((it) => model.states[it.revision - 1]?.get(it.key)?.value),
          )
        } finally {
          await store.close()
        }
      },
    )
    await fc.assert(property, { numRuns: runs })
  })

  test.run()
}
