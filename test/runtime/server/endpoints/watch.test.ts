import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { contains, fits, startTestServer, type TestServer } from '../harness.ts'
import { type Event, eventsOf, next } from '../watch-events.ts'

const test = suite('runtime/server: watches')
const maps = '/api/v1/namespaces/default/configmaps'
const table = 'application/json;as=Table;v=v1;g=meta.orch.io'
let wire: TestServer

test.before(async () => {
  wire = await startTestServer()
})
test.after(() => wire.stop())

async function watch(query: string, headers: Record<string, string> = {}) {
  const response = await wire.open({ path: `${maps}?watch=1&${query}`, headers })
  return { response, events: eventsOf(response) }
}

async function put(name: string, value: string): Promise<void> {
  const body = { metadata: { name }, data: { value } }
  const created = await wire.request({ method: 'POST', path: maps, body })
  if (created.status === 409) await wire.request({ method: 'PUT', path: `${maps}/${name}`, body })
}

async function latest(): Promise<string> {
  const list = (await wire.request({ path: maps })).json() as {
    metadata: { resourceVersion: string }
  }
  return list.metadata.resourceVersion
}

test('V-01, V-05, A4.43: changes arrive one JSON document a line, in order', async () => {
  const { response, events } = await watch(`resourceVersion=${await latest()}`)
  assert.is(response.statusCode, 200)
  assert.is(response.headers['content-type'], 'application/json')
  assert.is(response.headers['transfer-encoding'], 'chunked')
  await put('a', '1')
  await put('a', '2')
  await wire.request({ method: 'DELETE', path: `${maps}/a` })
  contains(
    await next(events),
    { type: 'ADDED', object: { kind: 'ConfigMap', data: { value: '1' } } },
    '',
  )
  contains(await next(events), { type: 'MODIFIED', object: { data: { value: '2' } } }, '')
  contains(await next(events), { type: 'DELETED', object: { data: { value: '2' } } }, '')
  response.destroy()
})

test('V-05: headers are sent before there is anything to tell', async () => {
  const { response } = await watch(`resourceVersion=${await latest()}`)
  assert.is(response.statusCode, 200)
  response.destroy()
})

test('V-09, A4.41: without a version, what exists arrives first', async () => {
  await put('b', '1')
  await put('c', '1')
  const { response, events } = await watch('fieldSelector=metadata.name!%3Dkube-root-ca.crt')
  contains(await next(events), { type: 'ADDED', object: { metadata: { name: 'b' } } }, '')
  contains(await next(events), { type: 'ADDED', object: { metadata: { name: 'c' } } }, '')
  response.destroy()
})

test('D-07: a watch of one object sees only that one, by name or by the old prefix', async () => {
  const since = await latest()
  const named = await wire.open({ path: `${maps}/d?watch=true&resourceVersion=${since}` })
  const old = await wire.open({
    path: `/api/v1/watch/namespaces/default/configmaps/d?resourceVersion=${since}`,
  })
  await put('other', '1')
  await put('d', '1')
  for (const response of [named, old]) {
    contains(
      await next(eventsOf(response)),
      { type: 'ADDED', object: { metadata: { name: 'd' } } },
      '',
    )
    response.destroy()
  }
})

test('V-15: only the first table of a watch carries its columns', async () => {
  const { response, events } = await watch(`resourceVersion=${await latest()}`, { accept: table })
  await put('t', '1')
  await put('t', '2')
  const first = await next(events)
  const second = await next(events)
  contains(
    first,
    { type: 'ADDED', object: { kind: 'Table', rows: [{ object: { metadata: { name: 't' } } }] } },
    '',
  )
  assert.is((first.object.columnDefinitions as object[]).length, 3)
  contains(second, { type: 'MODIFIED', object: { kind: 'Table', columnDefinitions: null } }, '')
  response.destroy()
})

test('D-09, V-04, A7.4: history that is gone is an ERROR event with a Status, the last one', async () => {
  const since = await latest()
  await put('old', '1')
  await wire.forget()
  const { response, events } = await watch(`resourceVersion=${since}`)
  assert.is(response.statusCode, 200)
  const object = { kind: 'Status', apiVersion: 'v1', code: 410, reason: 'Expired' }
  contains(await next(events), { type: 'ERROR', object }, '')
  assert.is((await events.next()).done, true)
})

test('V-13: a client that takes nothing holds nobody up, and is given up', async () => {
  const slow = await wire.open({ path: `${maps}?watch=1&resourceVersion=${await latest()}` })
  slow.pause()
  const { response, events } = await watch(`resourceVersion=${await latest()}`)
  const value = 'x'.repeat(900_000)
  for (let round = 0; round < 16; round++) {
    await put('big', `${round}${value}`)
    contains(await next(events), { object: { metadata: { name: 'big' } } }, '')
  }
  response.destroy()
  let last: Event | undefined
  for await (const event of eventsOf(slow)) last = event
  contains(last, { type: 'ERROR', object: { code: 410 } }, '')
})

test('a watch that cannot be understood is refused before it begins', async () => {
  fits(await wire.request({ path: `${maps}?watch=1&labelSelector=a%20b%20c` }), { status: 400 })
  fits(await wire.request({ path: `${maps}?watch=1`, headers: { accept: 'application/yaml' } }), {
    status: 406,
  })
  fits(await wire.request({ path: `${maps}?watch=1&resourceVersion=new` }), { status: 400 })
})

test('many watchers of one change get the same bytes', async () => {
  const since = await latest()
  const path = `${maps}?watch=1&resourceVersion=${since}`
  const watchers = await Promise.all(Array.from({ length: 20 }, () => wire.open({ path })))
  await put('many', '1')
  const events = await Promise.all(watchers.map((one) => next(eventsOf(one))))
  assert.is(new Set(events.map((one) => JSON.stringify(one))).size, 1)
  for (const one of watchers) one.destroy()
})

test('R-19, K-10: stopping ends watches in order and leaves nothing open', async () => {
  const other = await startTestServer()
  const response = await other.open({ path: `${maps}?watch=1&resourceVersion=0` })
  const events = eventsOf(response)
  const ended = (async () => {
    for await (const event of events) assert.type(event.type, 'string')
    return response.complete
  })()
  await other.stop()
  assert.is(await ended, true)
})

test('a watch in process ends with its signal', async () => {
  const leaving = new AbortController()
  const path = `${maps}?watch=1&resourceVersion=${await latest()}`
  const { signal } = leaving
  const reply = await wire.server.dispatch({ method: 'GET', path, headers: {}, signal })
  await put('local', '1')
  const seen: string[] = []
  for await (const chunk of reply.body) {
    seen.push((JSON.parse(Buffer.from(chunk).toString()) as Event).type)
    leaving.abort()
  }
  assert.equal(seen, ['ADDED'])
})

test.run()
