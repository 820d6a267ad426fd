// V-13: what a watch may hold for a reader that takes little.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { WatchEvent } from '../../../../runtime/registry/registry.ts'
import { lazyItem } from '../../../../runtime/registry/storage/item.ts'
import {
  createJsonSerializer,
  type EventEncoder,
} from '../../../../runtime/serializer/serializer.ts'
import { watchStream } from '../../../../runtime/server/endpoints/watch-stream.ts'
import { toApiResponse } from '../../../../runtime/server/http/in-process.ts'
import type { Frame } from '../../../../runtime/server/http/response.ts'
import { sharedFrames } from '../../../../runtime/server/negotiation/watch-frames.ts'
import { fakeClock } from '../../../support/clock.ts'
import { configMaps } from '../../../support/registry.ts'

const test = suite('runtime/server: slow readers')

const size = 50_000

function event(name: string, initial = false): WatchEvent {
  const object = { kind: 'ConfigMap', metadata: { name }, data: { value: 'x'.repeat(size) } }
  const item = lazyItem(Buffer.from(JSON.stringify(object)))
  return { type: 'ADDED', item, ...(initial && { initial: true }) }
}

function jsonEvents(): EventEncoder {
  return createJsonSerializer().eventEncoder({ kind: configMaps }) as EventEncoder
}

async function* once(batch: readonly WatchEvent[]) {
  yield batch
}

test('of a batch only what its reader takes is framed', async () => {
  const batch = Array.from({ length: 200 }, (_, at) => event(`m${at}`))
  const frames = sharedFrames(jsonEvents())
  let framed = 0
  const frame = (one: WatchEvent): Frame => {
    const made = frames(one)
    framed += made.payload.length
    return made
  }
  const clock = fakeClock()
  const stop = new AbortController()
  const failure = (): never => {
    throw new Error('nothing fails')
  }
  const options = { stop, clock, lifeMs: 60_000, stalledMs: 60_000, frame, failure }
  const answer = { status: 200, headers: [], body: watchStream(once(batch), options) }
  let taken = 0
  for await (const bytes of toApiResponse(answer, 'GET').body) {
    taken += bytes.length
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    assert.ok(framed - taken <= 256 * 1024 + 2 * size, `${framed - taken} bytes wait`)
  }
  assert.is(taken, framed)
  assert.ok(taken > 200 * size)
  assert.is(clock.waiting, 0, 'no timer is left')
})

test('a reader that takes nothing for a minute is given up', async () => {
  const clock = fakeClock()
  const stop = new AbortController()
  const batch = Array.from({ length: 20 }, (_, at) => event(`m${at}`))
  const failure = (): never => {
    throw new Error('nothing fails')
  }
  const options = {
    stop,
    clock,
    lifeMs: 600_000,
    stalledMs: 60_000,
    frame: sharedFrames(jsonEvents()),
    failure,
  }
  const answer = { status: 200, headers: [], body: watchStream(once(batch), options) }
  const body = toApiResponse(answer, 'GET').body[Symbol.asyncIterator]()
  await body.next()
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.is(stop.signal.aborted, false)
  clock.advance(60_000)
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.is(stop.signal.aborted, true)
  await body.return?.()
})

test('a frame is shared while it is fresh, and copies do not stay for ever', () => {
  const frames = sharedFrames(jsonEvents())
  const [first, other] = [event('first'), event('other')]
  assert.is(frames(first), frames(first))
  const initial = event('state', true)
  assert.is.not(frames(initial), frames(initial), 'the state is framed for one watcher')
  const kept = frames(first)
  for (let at = 0; at < 400; at++) frames(event(`m${at}`))
  assert.is.not(frames(first), kept)
  assert.equal(frames(first).payload, kept.payload)
  assert.is.not(frames(other), kept)
})

test.run()
