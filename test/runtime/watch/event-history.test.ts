import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Entry, StoreEvent } from '../../../runtime/store/store.ts'
import { EventHistory } from '../../../runtime/watch/event-history.ts'
import { until } from '../../support/until.ts'

const history = suite('runtime/watch: event history')

/** Updates of some keys in turn, each of a value of its own. */
function updates(count: number, keys: number, size: number): readonly StoreEvent[] {
  const latest = new Map<string, Entry>()
  return Array.from({ length: count }, (_, at) => {
    const [key, revision] = [`/k/${at % keys}`, at + 1]
    const previous = latest.get(key)
    const createRevision = previous?.createRevision ?? revision
    const entry = { key, revision, createRevision, value: new Uint8Array(size) }
    latest.set(key, entry)
    return { revision, key, entry, ...(previous && { previous }) }
  })
}

function filled(events: readonly StoreEvent[], bytes = Number.POSITIVE_INFINITY): EventHistory {
  const kept = new EventHistory(0, { ageMs: 1000, bytes })
  for (const event of events) {
    kept.push(event, event.revision)
    kept.trim(event.revision)
  }
  return kept
}

/** The bytes of the values that are reachable from a history. */
function heldBytes(kept: EventHistory): number {
  const values = new Set<Uint8Array>()
  for (const { entry, previous } of kept.since(kept.start)) {
    for (const one of [entry, previous]) if (one !== undefined) values.add(one.value)
  }
  return [...values].reduce((sum, { length }) => sum + length, 0)
}

history('a value is weighed once, and as long as an event has it', () => {
  for (const keys of [1, 3, 40]) {
    const overhead = filled(updates(100, keys, 0)).bytes / 100
    const all = filled(updates(100, keys, 1000))
    assert.is(all.bytes - 100 * overhead, heldBytes(all))
    const some = filled(updates(500, keys, 1000), 60_000)
    const count = some.end - some.start
    assert.ok(some.bytes <= 60_000)
    assert.is(some.bytes - count * overhead, heldBytes(some), `${keys} keys`)
    some.forget(some.end)
    assert.is(some.bytes, 0)
  }
})

history('an event that is made again is what it was, and one object while it has a reader', () => {
  const events = updates(3000, 7, 8)
  const kept = filled(events)
  const again = [...kept.since(2000)]
  assert.equal(again, events.slice(2000))
  assert.is(kept.at(2999), events[2998], 'the latest ones are the objects of their readers')
  assert.is(kept.at(2001), again[0])
  assert.equal(
    [...kept.since(2000, '/k/3')],
    events.slice(2000).filter(({ key }) => key === '/k/3'),
  )
})

history('what was made of an event does not live as long as the history', async () => {
  const kept = filled(updates(1, 1, 8))
  const event = new WeakRef(kept.at(1) as StoreEvent)
  for (const one of updates(2000, 2000, 8).slice(1)) kept.push(one, 1)
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  await until('the collection', () => {
    collect()
    return event.deref() === undefined
  })
  assert.is(kept.at(1)?.key, '/k/0')
})

/** Versions of one object of some size, of which each write changes a little before and behind the rest. */
function largeUpdates(count: number): readonly StoreEvent[] {
  const rest = Array.from({ length: 6000 }, (_, at) => `"field ${at}":${at % 7}`).join()
  let previous: StoreEvent['entry']
  return Array.from({ length: count }, (_, at) => {
    const revision = at + 1
    const text = `{"version":"${revision * 37}",${rest},"status":"${'x'.repeat((at * 31) % 200)}"}`
    const entry = { key: '/k', revision, createRevision: 1, value: Buffer.from(text) }
    const event = { revision, key: '/k', entry, ...(previous && { previous }) }
    previous = entry
    return event
  })
}

history('versions of a large object share what they have in common, and are what they were', () => {
  const events = largeUpdates(50)
  const size = events[0]?.entry?.value.length ?? 0
  const kept = filled(events)
  assert.ok(kept.bytes < 10 * size, `${kept.bytes} for 50 of ${size}`)
  assert.equal([...kept.since(0)], events)
  kept.forget(20)
  assert.equal([...kept.since(20)], events.slice(20))
  const deletion = { revision: 51, key: '/k', previous: events[49]?.entry as Entry }
  kept.push(deletion, 51)
  assert.equal([...kept.since(40)], [...events.slice(40), deletion])
  kept.forget(51)
  assert.is(kept.bytes, 0)
})

history('values without much in common are kept as they are', () => {
  const values = [1, 2, 3].map((seed) => Buffer.alloc(40_000, `${seed}:${seed * 7} `))
  const events = values.map((value, at): StoreEvent => {
    const entryOf = (index: number) => ({
      key: '/k',
      revision: index + 1,
      createRevision: 1,
      value: values[index] as Buffer,
    })
    const entry = { ...entryOf(at), value }
    return { revision: at + 1, key: '/k', entry, ...(at > 0 && { previous: entryOf(at - 1) }) }
  })
  const kept = filled(events)
  assert.equal([...kept.since(0)], events)
  assert.ok(kept.bytes > 120_000)
})

history.run()
