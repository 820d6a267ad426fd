import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { type FakeClock, fakeClock } from '../../support/clock.ts'
import { tempDirectory } from '../../support/temp.ts'
import { until } from '../../support/until.ts'

// K-11, U-08
const test = suite('runtime/controllers: objects that stay for a time only')
const place = '/api/v1/namespaces/default'
const minute = 60_000

interface Opened {
  readonly clock: FakeClock
  readonly file: string
}

type Opening = Opened & { readonly eventTtlMs?: number }

async function start({ clock, file, eventTtlMs }: Opening): Promise<RunningApiServer> {
  const ttl = eventTtlMs !== undefined && { eventTtlMs }
  const storage = { kind: 'sqlite', file } as const
  return startApiServer({ scheme, storage, clock, log: silentLog, ...ttl })
}

async function ask(server: RunningApiServer, method: string, path: string, body?: object) {
  const text = body && { body: JSON.stringify(body) }
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const headers = { 'content-type': type }
  const reply = await server.dispatch({ method, path: place + path, headers, ...text })
  for await (const _ of reply.body);
  return reply.status
}

const event = (name: string) => ({
  metadata: { name },
  involvedObject: { kind: 'Pod', name: 'web', namespace: 'default' },
  reason: 'Asked',
  type: 'Normal',
})

/** Lets minutes pass one by one, with a moment for the server after each. */
async function pass(server: RunningApiServer, clock: FakeClock, minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed++) {
    await until('the sweep waits', () => clock.waiting > 0)
    clock.advance(minute)
    await ask(server, 'GET', '/events')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Waits for an event to go; a little time passes meanwhile, since the sweep may still be at work. */
function gone(server: RunningApiServer, clock: FakeClock, name: string): Promise<boolean> {
  return until(`${name} is gone`, async () => {
    clock.advance(1000)
    return (await ask(server, 'GET', `/events/${name}`)) === 404
  })
}

const opened = (): Opened => ({
  clock: fakeClock(Date.parse('2030-01-01T00:00:00Z')),
  file: `${tempDirectory()}/store.db`,
})

test('an event goes an hour after its last write, anything else stays', async () => {
  const { clock, file } = opened()
  const server = await start({ clock, file })
  await ask(server, 'POST', '/configmaps', { metadata: { name: 'kept' } })
  await ask(server, 'POST', '/events', event('once'))
  await ask(server, 'POST', '/events', event('again'))
  await pass(server, clock, 40)
  assert.is(await ask(server, 'PATCH', '/events/again', { count: 2 }), 200)
  await pass(server, clock, 15)
  assert.is(await ask(server, 'GET', '/events/once'), 200)
  await pass(server, clock, 10)
  await gone(server, clock, 'once')
  assert.is(await ask(server, 'GET', '/events/again'), 200)
  await pass(server, clock, 40)
  await gone(server, clock, 'again')
  assert.is(await ask(server, 'GET', '/configmaps/kept'), 200)
  await server.stop()
})

test('the time goes on over a restart', async () => {
  const { clock, file } = opened()
  const first = await start({ clock, file })
  await ask(first, 'POST', '/events', event('old'))
  await first.stop()
  clock.advance(45 * minute)
  const second = await start({ clock, file })
  await pass(second, clock, 10)
  assert.is(await ask(second, 'GET', '/events/old'), 200)
  await pass(second, clock, 10)
  await gone(second, clock, 'old')
  await second.stop()
})

test('an option says how long, and 0 is for ever', async () => {
  for (const [eventTtlMs, status] of [
    [5 * minute, 404],
    [0, 200],
  ] as const) {
    const { clock, file } = opened()
    const server = await start({ clock, file, eventTtlMs })
    await ask(server, 'POST', '/events', event('timed'))
    await pass(server, clock, 90)
    if (status === 404) await gone(server, clock, 'timed')
    assert.is(await ask(server, 'GET', '/events/timed'), status)
    await server.stop()
  }
})

test.run()
