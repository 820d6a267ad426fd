// What clients may go on from: over time, and over a restart of the server.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { type StoreLocation, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { type Clock, systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { fakeClock } from '../../support/clock.ts'
import { tempDirectory } from '../../support/temp.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/apiserver: going on')
const maps = '/api/v1/namespaces/default/configmaps'

async function start(storage: StoreLocation, clock: Clock = systemClock, historyMs?: number) {
  const server = await startApiServer({
    scheme,
    storage,
    clock,
    log: silentLog,
    ...(historyMs !== undefined && { historyMs }),
  })
  const send = async (method: string, path: string, body?: object) => {
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const reply = await server.dispatch({ method, path, headers: {}, ...text })
    const chunks: Uint8Array[] = []
    for await (const chunk of reply.body) chunks.push(chunk)
    return { status: reply.status, json: JSON.parse(Buffer.concat(chunks).toString()) as Answer }
  }
  return { ...server, send, create: (name: string) => send('POST', maps, { metadata: { name } }) }
}

interface Answer {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly reason?: string
}

type Server = Awaited<ReturnType<typeof start>>

/** Reads a watch until it has `count` events: `TYPE name@version`. */
async function watched(server: Server, version: string, count: number): Promise<readonly string[]> {
  const leaving = new AbortController()
  const reply = await server.dispatch({
    method: 'GET',
    path: `${maps}?watch=1&resourceVersion=${version}`,
    headers: {},
    signal: leaving.signal,
  })
  const seen: string[] = []
  for await (const chunk of reply.body) {
    for (const line of Buffer.from(chunk).toString().trim().split('\n')) {
      const { type, object } = JSON.parse(line)
      seen.push(
        `${type} ${object.metadata?.name ?? object.reason}@${object.metadata?.resourceVersion}`,
      )
    }
    if (seen.length >= count) leaving.abort()
  }
  return seen
}

test('V-12, A4.43: a watch goes on over a restart without gap or repeat', async () => {
  const storage = { kind: 'sqlite', file: `${tempDirectory()}/store.db` } as const
  const first = await start(storage)
  const { json: before } = await first.send('GET', maps)
  await first.create('a')
  await first.send('PUT', `${maps}/a`, { metadata: { name: 'a' }, data: { k: 'v' } })
  const seen = [...(await watched(first, before.metadata.resourceVersion, 2))]
  await first.create('missed')
  await first.send('DELETE', `${maps}/missed`)
  await first.stop()

  const second = await start(storage)
  await second.create('b')
  const last = seen.at(-1)?.split('@')[1] ?? ''
  seen.push(...(await watched(second, last, 3)))
  const whole = await watched(second, before.metadata.resourceVersion, 5)
  assert.equal(seen, whole)
  assert.equal(
    seen.map((event) => event.split('@')[0]),
    ['ADDED a', 'MODIFIED a', 'ADDED missed', 'DELETED missed', 'ADDED b'],
  )
  const versions = seen.map((event) => Number(event.split('@')[1]))
  assert.equal(
    versions,
    [...new Set(versions)].sort((a, b) => a - b),
  )
  await second.stop()
})

test('pages go on over a restart, at their version', async () => {
  const storage = { kind: 'sqlite', file: `${tempDirectory()}/store.db` } as const
  const first = await start(storage)
  for (const name of ['a', 'b', 'c']) await first.create(name)
  const { json: page } = await first.send('GET', `${maps}?limit=1`)
  await first.stop()
  const second = await start(storage)
  await second.create('d')
  const { json: rest } = await second.send('GET', `${maps}?continue=${page.metadata.continue}`)
  assert.is(rest.metadata.resourceVersion, page.metadata.resourceVersion)
  assert.is((rest as Answer & { items: object[] }).items.length, 2)
  await second.stop()
})

test('D-09: a version from a server in memory that is gone is told from those of the next one', async () => {
  const first = await start({ kind: 'memory' })
  const { json: list } = await first.create('a')
  const version = list.metadata.resourceVersion
  await first.stop()
  const second = await start({ kind: 'memory' })
  for (const name of ['b', 'c', 'd']) await second.create(name)
  assert.equal(await watched(second, version, 1), ['ERROR Expired@undefined'])
  const exact = `${maps}?resourceVersion=${version}&resourceVersionMatch=Exact`
  assert.is((await second.send('GET', exact)).status, 410)
  assert.is((await second.send('GET', `${maps}?resourceVersion=${version}`)).status, 200)
  await second.stop()
})

for (const historyMs of [undefined, 120_000]) {
  const minutes = (historyMs ?? 300_000) / 60_000
  test(`A8.1, A8.2, A4.45: history lasts ${minutes} minutes${historyMs ? ' if told so' : ''}`, async () => {
    const clock = fakeClock(Date.parse('2030-01-01T00:00:00Z'))
    const server = await start({ kind: 'memory' }, clock, historyMs)
    for (const name of ['a', 'b']) await server.create(name)
    const { json: page } = await server.send('GET', `${maps}?limit=1`)
    const { resourceVersion, continue: token } = page.metadata
    const next = `${maps}?limit=1&continue=${token}`
    await server.create('c')
    const minute = async () => {
      clock.advance(60_000)
      await server.send('PUT', `${maps}/c`, {
        metadata: { name: 'c' },
        data: { at: `${clock.now()}` },
      })
    }
    for (let passed = 1; passed < minutes; passed++) await minute()
    assert.is((await server.send('GET', next)).status, 200, 'still there')
    await until('the token expires', async () => {
      await minute()
      return (await server.send('GET', next)).status === 410
    })
    const passed = (clock.now() - Date.parse('2030-01-01T00:00:00Z')) / 60_000
    assert.ok(passed <= minutes + 2, `expired after ${passed} minutes`)
    assert.equal(await watched(server, resourceVersion, 1), ['ERROR Expired@undefined'])
    await server.stop()
  })
}

test.run()
