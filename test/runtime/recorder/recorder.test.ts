import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ConfigMap, configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { type Event, events } from '../../../generated/apis/core/v1/event.ts'
import { namespaces } from '../../../generated/apis/core/v1/namespace.ts'
import { type Client, createClient } from '../../../runtime/client/client.ts'
import { StatusError } from '../../../runtime/kernel/errors/status-error.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'
import { type LogFields, silentLog } from '../../../runtime/observe/observe.ts'
import { createRecorder, type Recorder } from '../../../runtime/recorder/recorder.ts'
import { startControlPlane } from '../../../runtime/testing/testing.ts'
import { createChaos } from '../../support/chaos.ts'
import { type FakeClock, fakeClock } from '../../support/clock.ts'
import { until } from '../../support/until.ts'

interface Open extends AsyncDisposable {
  readonly client: Client
  readonly chaos: ReturnType<typeof createChaos>
  readonly recorder: Recorder
  readonly clock: FakeClock
  readonly map: Stored<ConfigMap>
  /** Why events were dropped. */
  readonly dropped: string[]
  record(message: string, reason?: string): void
  /** What is stored, once everything is written. */
  stored(): Promise<readonly Stored<Event>[]>
}

const never = new AbortController().signal
const test = suite('runtime/recorder')

async function open(): Promise<Open> {
  const plane = await startControlPlane()
  const chaos = createChaos(plane.transport)
  const client = createClient(chaos)
  const clock = fakeClock(1_700_000_000_000)
  const dropped: string[] = []
  const warn = (_: string, fields?: LogFields): void => void dropped.push(String(fields?.why))
  const log = { debugging: false, debug() {}, info() {}, warn, error() {} }
  const recorder = createRecorder({ component: 'cook', clock, random: () => 0.5, log })
  const map = await client.resource(configMaps).create({ metadata: { name: 'menu' } })
  return {
    ...{ client, chaos, recorder, clock, map, dropped },
    record: (message, reason = 'Cooked') =>
      recorder.record(client, map, { type: 'Normal', reason, message }),
    async stored() {
      await recorder.flush(never)
      return (await plane.client.resource(events).in('default').listAll()).items
    },
    [Symbol.asyncDispose]: () => plane.stop(),
  }
}

test('[U-09] equal events are one with a count, from the first to the last', async () => {
  await using one = await open()
  one.record('Soup is done.')
  await one.stored()
  one.clock.advance(60_000)
  one.record('Soup is done.')
  one.record('Soup is done.')
  const [event, ...more] = await one.stored()
  assert.equal(more, [])
  assert.is(event?.count, 3)
  assert.is(event?.firstTimestamp, '2023-11-14T22:13:20Z')
  assert.is(event?.lastTimestamp, '2023-11-14T22:14:20Z')
  assert.is(event?.message, 'Soup is done.')
  assert.is(event?.involvedObject.uid, one.map.metadata.uid)
  assert.equal([event?.reportingComponent, event?.source?.component], ['cook', 'cook'])
})

test('equal events that wait together are created once, and patched only later', async () => {
  await using plane = await startControlPlane()
  const methods: string[] = []
  const send: typeof plane.transport.send = (request) => {
    methods.push(request.method)
    return plane.transport.send(request)
  }
  const client = createClient({ ...plane.transport, send })
  const map = await plane.client.resource(configMaps).create({ metadata: { name: 'menu' } })
  const clock = fakeClock(1_700_000_000_000)
  const recorder = createRecorder({ component: 'cook', clock, random: () => 0.5, log: silentLog })
  const facts = { type: 'Normal', reason: 'Cooked', message: 'Soup is done.' } as const
  for (let at = 0; at < 3; at++) recorder.record(client, map, facts)
  await recorder.flush(never)
  assert.equal(methods, ['POST'])
  recorder.record(client, map, facts)
  await recorder.flush(never)
  assert.equal(methods, ['POST', 'PATCH'])
})

test('from the tenth message of one reason on, similar events are one that says so', async () => {
  await using one = await open()
  for (let at = 0; at < 12; at++) one.record(`Dish ${at} is done.`)
  one.record('Burnt.', 'Burnt')
  const all = await one.stored()
  const combined = all.filter(({ message }) => message?.startsWith('(combined from similar'))
  assert.is(all.length, 9 + 1 + 1)
  assert.equal(
    combined.map(({ message, count }) => [message, count]),
    [['(combined from similar events): Dish 11 is done.', 3]],
  )
  one.clock.advance(600_001)
  one.record('Dish 20 is done.')
  assert.is((await one.stored()).length, 12)
})

test('[U-09] an object is told of 25 times at once, then once in five minutes; others are not held up', async () => {
  await using one = await open()
  for (let at = 0; at < 40; at++) one.record('Done.')
  assert.is((await one.stored())[0]?.count, 25)
  const other = await one.client.resource(configMaps).create({ metadata: { name: 'other' } })
  one.recorder.record(one.client, other, { type: 'Normal', reason: 'Cooked', message: 'Done.' })
  assert.is((await one.stored()).length, 2)
  one.clock.advance(300_000)
  one.record('Done.')
  one.record('Done.')
  const menu = (await one.stored()).find(({ involvedObject }) => involvedObject.name === 'menu')
  assert.is(menu?.count, 41)
})

test('an event that the server has forgotten is written anew', async () => {
  await using one = await open()
  one.record('Done.')
  const [first] = await one.stored()
  await one.client
    .resource(events)
    .in('default')
    .delete(first?.metadata.name ?? '')
  one.record('Done.')
  assert.equal(
    (await one.stored()).map(({ count }) => count),
    [2],
  )
})

test('a server that is away gets events when it is back; one that refuses them ends them', async () => {
  await using one = await open()
  one.chaos.down()
  one.record('Done.')
  await until('first attempt', () => one.clock.waiting === 1)
  one.chaos.heal()
  one.clock.advance(10_000)
  assert.is((await one.stored()).length, 1)
  const refused = one.client.scoped({
    beforeWrite() {
      throw new StatusError('Forbidden', 'no')
    },
  })
  one.recorder.record(refused, one.map, { type: 'Warning', reason: 'Burnt', message: 'x' })
  assert.is((await one.stored()).length, 1)
  assert.equal(one.dropped, ['no'])
})

test('an end does not wait for a server that is away, and the next event is written again', async () => {
  await using one = await open()
  one.chaos.down()
  for (let at = 0; at < 5; at++) one.record(`Dish ${at}`)
  await until('first attempt', () => one.clock.waiting === 1)
  const end = new AbortController()
  const flushed = one.recorder.flush(end.signal)
  end.abort()
  await flushed
  one.chaos.heal()
  one.record('Dish 9')
  assert.equal(
    (await one.stored()).map(({ message }) => message),
    ['Dish 9'],
  )
})

test('events about an object without a namespace stand in the default one, and long messages are cut between characters', async () => {
  await using one = await open()
  const home = await one.client.resource(namespaces).get('default')
  const message = `a${'ä'.repeat(600)}`
  one.recorder.record(one.client, home, { type: 'Normal', reason: 'Cooked', message })
  const [event] = await one.stored()
  assert.is(event?.involvedObject.namespace, undefined)
  assert.is(event?.message, `a${'ä'.repeat(511)}`)
})

test.run()
