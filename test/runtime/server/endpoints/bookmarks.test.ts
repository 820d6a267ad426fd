// What keeps a watch of a quiet collection from falling out of history, and how watches end.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fakeClock } from '../../../support/clock.ts'
import { until } from '../../../support/until.ts'
import { startTestServer, type TestServer } from '../harness.ts'
import { type Event, eventsOf } from '../watch-events.ts'

const test = suite('runtime/server: bookmarks and ends')
const clock = fakeClock(Date.parse('2030-01-01T00:00:00Z'))
const maps = '/api/v1/namespaces/default/configmaps'
let wire: TestServer

test.before(async () => {
  wire = await startTestServer({ clock, random: () => 0.5 })
})
test.after(() => wire.stop())

/** Follows a watch to its end; `events` grows meanwhile. */
async function follow(query: string) {
  const events: Event[] = []
  const timers = clock.waiting
  const response = await wire.open({ path: `${maps}?watch=1&resourceVersion=0&${query}` })
  const ended = (async () => {
    for await (const event of eventsOf(response)) events.push(event)
    return response.complete
  })()
  await until('the watch has its timers', () => clock.waiting > timers)
  return { events, ended }
}

/** Lets time pass in steps, with the loop's turns in between that the steps call for. */
async function pass(ms: number, step = 500): Promise<void> {
  for (let passed = 0; passed < ms; passed += step) {
    clock.advance(step)
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

test('V-10, A4.16, A6.4: about one bookmark a minute, and one about 2 s before the end', async () => {
  const { events, ended } = await follow('allowWatchBookmarks=true&timeoutSeconds=150')
  await pass(50_000)
  assert.is(events.length, 0)
  await pass(75_000)
  await until('two bookmarks', () => events.length >= 2)
  await pass(20_000)
  assert.is(events.length, 2, 'nothing until the end is near')
  await pass(4000)
  await until('the last bookmark', () => events.length >= 3)
  await pass(2000)
  assert.is(await ended, true)
  assert.is(events.length, 3)
  for (const { type, object } of events) {
    assert.is(type, 'BOOKMARK')
    assert.equal(Object.keys(object), ['kind', 'apiVersion', 'metadata'])
    assert.equal(Object.keys(object.metadata as object), ['resourceVersion'])
  }
})

test('V-12: a watch ends by itself when its time is over, not before', async () => {
  const { ended } = await follow('timeoutSeconds=150')
  let over = false
  ended.then(() => {
    over = true
  })
  await pass(149_000)
  assert.is(over, false)
  await pass(2000)
  assert.is(await ended, true)
})

test('V-10: those who do not ask get none', async () => {
  const { events, ended } = await follow('timeoutSeconds=150')
  await pass(151_000)
  assert.is(await ended, true)
  assert.equal(events, [])
})

test('V-12, R-06, K-09: without timeoutSeconds a watch lasts 30 to 60 minutes', async () => {
  const { ended } = await follow('')
  let over = false
  ended.then(() => {
    over = true
  })
  await pass(44 * 60_000, 60_000)
  assert.is(over, false)
  await pass(2 * 60_000, 60_000)
  assert.is(await ended, true, 'random is a half: 45 minutes')
})

test('R-06: timeoutSeconds bounds a list too', async () => {
  const timers = clock.waiting
  const asked = wire.request({ path: `${maps}?timeoutSeconds=1&resourceVersion=900719925474099` })
  await until('the list waits', () => clock.waiting >= timers + 2)
  clock.advance(1000)
  const reply = await asked
  assert.is(reply.status, 504)
  assert.match(reply.text, /did not complete/)
})

test.run()
