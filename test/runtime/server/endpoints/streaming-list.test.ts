// Streaming lists: a watch that begins with the state and marks its end (A4.44, A4.17, V-11, L-08).
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fakeClock } from '../../../support/clock.ts'
import { until } from '../../../support/until.ts'
import { contains, fits, startTestServer, type TestServer } from '../harness.ts'
import { type Event, eventsOf, next } from '../watch-events.ts'

const test = suite('runtime/server: streaming lists')
const clock = fakeClock(Date.parse('2030-01-01T00:00:00Z'))
const maps = '/api/v1/namespaces/default/configmaps'
const stream = `${maps}?watch=1&resourceVersionMatch=NotOlderThan&sendInitialEvents=true`
let wire: TestServer

test.before(async () => {
  wire = await startTestServer({ clock, gates: new Set(['WatchList']) })
  for (const name of ['a', 'b']) await create(name)
})
test.after(() => wire.stop())

const create = (name: string) =>
  wire.request({ method: 'POST', path: maps, body: { metadata: { name } } })

async function latest(): Promise<string> {
  const { metadata } = (await wire.request({ path: maps })).json() as {
    metadata: { resourceVersion: string }
  }
  return metadata.resourceVersion
}

async function open(query: string) {
  const response = await wire.open({ path: `${stream}&${query}` })
  assert.is(response.statusCode, 200)
  return { response, events: eventsOf(response) }
}

for (const version of ['', 'resourceVersion=', 'resourceVersion=0']) {
  test(`A4.44: the state, a marked bookmark, then changes (${version || 'no version'})`, async () => {
    const { response, events } = await open(`allowWatchBookmarks=true&${version}`)
    contains(await next(events), { type: 'ADDED', object: { metadata: { name: 'a' } } }, '')
    contains(await next(events), { type: 'ADDED', object: { metadata: { name: 'b' } } }, '')
    assert.equal(await next(events), {
      type: 'BOOKMARK',
      object: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: {
          resourceVersion: await latest(),
          annotations: { 'orch.io/initial-events-end': 'true' },
        },
      },
    })
    await create('new')
    contains(await next(events), { type: 'ADDED', object: { metadata: { name: 'new' } } }, '')
    response.destroy()
    await wire.request({ method: 'DELETE', path: `${maps}/new` })
  })
}

test('A4.44: no bookmark marks the end for those who take none (A4.16)', async () => {
  const { response, events } = await open('')
  await next(events)
  await next(events)
  await create('c')
  contains(await next(events), { type: 'ADDED', object: { metadata: { name: 'c' } } }, '')
  response.destroy()
  await wire.request({ method: 'DELETE', path: `${maps}/c` })
})

test('A4.44: with a version, the state is at least that one', async () => {
  const version = Number(await latest())
  const opened = open(`allowWatchBookmarks=true&resourceVersion=${version + 1}`)
  await create('d')
  const { response, events } = await opened
  const seen: string[] = []
  for await (const { type, object } of events) {
    const { name, resourceVersion } = object.metadata as { name?: string; resourceVersion: string }
    seen.push(name ?? `${type} ${resourceVersion}`)
    if (type === 'BOOKMARK') break
  }
  assert.equal(seen, ['a', 'b', 'd', `BOOKMARK ${version + 1}`])
  response.destroy()
})

test('A4.44: a version that does not come ends the stream with a Timeout', async () => {
  const { events } = await open('resourceVersion=900719925474099')
  let refusal: Event | undefined
  next(events).then((event) => {
    refusal = event
  })
  await until('the refusal', () => {
    clock.advance(1000)
    return refusal !== undefined
  })
  contains(refusal, { type: 'ERROR', object: { code: 504, reason: 'Timeout' } }, '')
  assert.is((await events.next()).done, true)
})

test('sendInitialEvents=false leaves the state out', async () => {
  const quiet = `${maps}?watch=1&resourceVersionMatch=NotOlderThan&sendInitialEvents=false`
  for (const [at, version] of ['', '&resourceVersion=0'].entries()) {
    const response = await wire.open({ path: quiet + version })
    await create(`later${at}`)
    contains(await next(eventsOf(response)), { object: { metadata: { name: `later${at}` } } }, '')
    response.destroy()
  }
})

test('A4.15: it needs its match rule', async () => {
  for (const match of ['', '&resourceVersionMatch=Exact']) {
    fits(await wire.request({ path: `${maps}?watch=1&sendInitialEvents=true${match}` }), {
      status: 422,
      body: {
        details: {
          kind: 'ListOptions',
          causes: match === '' ? [{ field: 'resourceVersionMatch' }] : [{}, {}],
        },
      },
    })
  }
})

test('V-16: metadata only, with the mark', async () => {
  const response = await wire.open({
    path: `${stream}&allowWatchBookmarks=true&fieldSelector=metadata.name=a`,
    headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
  })
  const events = eventsOf(response)
  const object = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }
  contains(await next(events), { object: { ...object, metadata: { name: 'a' } } }, '')
  const annotations = { 'orch.io/initial-events-end': 'true' }
  contains(
    await next(events),
    { type: 'BOOKMARK', object: { ...object, metadata: { annotations } } },
    '',
  )
  response.destroy()
})

test.run()
