// What programs written with the public client libraries of Go and Python go by.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fits, startTestServer, type TestResponse } from '../harness.ts'
import { type Event, eventsOf, next } from '../watch-events.ts'

const test = suite('runtime/server: clients of the public libraries')
const wire = await startTestServer()
test.after(() => wire.stop())

const maps = '/api/v1/namespaces/default/configmaps'
const leases = '/apis/coordination.orch.io/v1/namespaces/default/leases'
const send = (method: string, path: string, body?: unknown) =>
  wire.request({ method, path, ...(body !== undefined && { body }) })

interface Listed {
  readonly metadata: { readonly resourceVersion: string }
  readonly items: readonly { readonly metadata: Readonly<Record<string, unknown>> }[]
}
const listed = (reply: TestResponse) => reply.json() as unknown as Listed
const reasonOf = (reply: TestResponse) => reply.json().reason

test('a Go informer lists once, watches with bookmarks, and lists anew after 410 (CL-18)', async () => {
  await send('POST', maps, { metadata: { name: 'known' } })
  const list = await wire.request({
    path: `/api/v1/configmaps?limit=500&resourceVersion=0`,
    headers: { accept: 'application/vnd.orch.protobuf,application/json' },
  })
  fits(list, { status: 200, headers: { 'content-type': 'application/vnd.orch.protobuf' } })
  const { metadata } = listed(await send('GET', '/api/v1/configmaps?resourceVersion=0'))
  const since = (version: string) =>
    `/api/v1/configmaps?allowWatchBookmarks=true&resourceVersion=${version}&timeoutSeconds=400&watch=true`
  const events = eventsOf(await wire.open({ path: since(metadata.resourceVersion) }))
  await send('POST', maps, { metadata: { name: 'new' } })
  const { type, object } = await next(events)
  assert.equal([type, (object as { metadata: { name: string } }).metadata.name], ['ADDED', 'new'])
  await events.return(undefined)
  await wire.forget()
  const gone = await next(eventsOf(await wire.open({ path: since(metadata.resourceVersion) })))
  assert.equal([gone.type, gone.object.code, gone.object.reason], ['ERROR', 410, 'Expired'])
  const again = await send('GET', '/api/v1/configmaps?resourceVersion=')
  assert.ok(Number(listed(again).metadata.resourceVersion) > Number(metadata.resourceVersion))
})

test('a Go informer of metadata gets metadata only, in both formats (CL-18)', async () => {
  for (const format of ['application/vnd.orch.protobuf', 'application/json']) {
    const partial = 'as=PartialObjectMetadataList;g=meta.orch.io;v=v1'
    const reply = await wire.request({ path: maps, headers: { accept: `${format};${partial}` } })
    assert.is(reply.status, 200)
    assert.match(String(reply.headers['content-type']), format)
    assert.match(reply.text, 'PartialObjectMetadataList')
  }
})

test('of two candidates one gets the lease, and goes on with its version (CL-19)', async () => {
  const lease = (holderIdentity: string, metadata: object = {}) => ({
    apiVersion: 'coordination.orch.io/v1',
    kind: 'Lease',
    metadata: { name: 'leader', namespace: 'default', ...metadata },
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: '2030-01-01T00:00:00.000000Z' },
  })
  const path = `${leases}/leader`
  assert.is((await send('GET', path)).status, 404)
  const won = await send('POST', leases, lease('a'))
  assert.is(won.status, 201)
  const lost = await send('POST', leases, lease('b'))
  assert.equal([lost.status, reasonOf(lost)], [409, 'AlreadyExists'])
  const { resourceVersion } = won.json().metadata as { resourceVersion: string }
  assert.is((await send('PUT', path, lease('c', { resourceVersion }))).status, 200)
  const stale = await send('PUT', path, lease('b', { resourceVersion }))
  assert.equal([stale.status, reasonOf(stale)], [409, 'Conflict'])
})

test('every failure is a Status with its reason (CL-21)', async () => {
  await send('POST', maps, { metadata: { name: 'there' } })
  const failures: readonly (readonly [
    method: string,
    path: string,
    body: unknown,
    reason: string,
  ])[] = [
    ['GET', `${maps}/none`, undefined, 'NotFound'],
    ['POST', maps, { metadata: { name: 'there' } }, 'AlreadyExists'],
    ['PUT', `${maps}/there`, { metadata: { name: 'there', resourceVersion: '1' } }, 'Conflict'],
    ['POST', maps, { metadata: { name: 'A_' } }, 'Invalid'],
    ['GET', `${maps}?limit=x`, undefined, 'BadRequest'],
    ['DELETE', '/api/v1/namespaces/default', undefined, 'Forbidden'],
  ]
  for (const [method, path, body, reason] of failures) {
    const reply = await send(method, path, body)
    const { kind, status, code } = reply.json()
    assert.equal([kind, status, code, reasonOf(reply)], ['Status', 'Failure', reply.status, reason])
  }
})

test('the Python client finds metadata in each item and times that it can parse (CL-23)', async () => {
  const { items } = listed(await send('GET', maps))
  assert.ok(items.length > 0)
  for (const { metadata } of items) {
    assert.match(String(metadata.creationTimestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.match(String(metadata.resourceVersion), /^\d+$/)
  }
  const events = eventsOf(await wire.open({ path: `${maps}?watch=True` }))
  const first: Event = await next(events)
  assert.is(first.type, 'ADDED')
  await events.return(undefined)
  const [core, groups, apps] = await Promise.all(
    ['/api', '/apis', '/apis/apps/v1'].map(async (path) => (await send('GET', path)).json()),
  )
  assert.equal(
    [core?.kind, groups?.kind, apps?.kind],
    ['APIVersions', 'APIGroupList', 'APIResourceList'],
  )
})

test.run()
