// What the interface promises before any detail: names, verbs, collections and the fields that every object has.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fakeClock } from '../../../support/clock.ts'
import { contains, fits, startTestServer, type TestResponse } from '../harness.ts'
import { type Event, eventsOf, next } from '../watch-events.ts'

const test = suite('runtime/server: the interface')
const wire = await startTestServer()
test.after(() => wire.stop())

const core = '/api/v1/namespaces'
const maps = `${core}/default/configmaps`
const webs = '/apis/apps/v1/namespaces/default/deployments'
const json = { 'content-type': 'application/json' }
const merge = { 'content-type': 'application/merge-patch+json' }
const labels = { app: 'web' }
const web = {
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: 'main', image: 'example/app:1' }] },
    },
  },
}

const send = (method: string, path: string, body?: unknown, headers = json) =>
  wire.request({ method, path, headers, ...(body !== undefined && { body }) })
const post = (path: string, body: object) => send('POST', path, body)

interface Item {
  readonly kind?: string
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly resourceVersion: string
  }
}

interface List {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly items: readonly Item[]
}

const listOf = (reply: TestResponse) => reply.json() as unknown as List
const itemOf = (reply: TestResponse) => reply.json() as unknown as Item

test.before(async () => {
  fits(await post(webs, web), { status: 201 })
  fits(await post(core, { metadata: { name: 'other' } }), { status: 201 })
})

test('A1.1, A1.21, A1.24: POST creates, GET retrieves, PUT and PATCH update, DELETE deletes', async () => {
  const path = `${maps}/life`
  fits(await post(maps, { metadata: { name: 'life' }, data: { k: '1' } }), { status: 201 })
  fits(await send('GET', path), { status: 200, body: { kind: 'ConfigMap', data: { k: '1' } } })
  const put = { metadata: { name: 'life' }, data: { k: '2' } }
  fits(await send('PUT', path, put), { status: 200, body: { data: { k: '2' } } })
  const patched = await send('PATCH', path, { data: { k: '3' } }, merge)
  fits(patched, { status: 200, body: { data: { k: '3' } } })
  fits(await send('DELETE', path), { status: 200 })
  fits(await send('GET', path), { status: 404 })
})

test('A1.24: a PUT is a create where there is nothing and the kind allows it, else an update', async () => {
  const leases = '/apis/coordination.orch.io/v1/namespaces/default/leases'
  const lease = { metadata: { name: 'lock' }, spec: { holderIdentity: 'a' } }
  const made = await send('PUT', `${leases}/lock`, lease)
  fits(made, { status: 201 })
  const { resourceVersion } = itemOf(made).metadata
  const again = { ...lease, metadata: { name: 'lock', resourceVersion } }
  fits(await send('PUT', `${leases}/lock`, again), { status: 200 })
  fits(await send('PUT', `${maps}/absent`, { metadata: { name: 'absent' } }), { status: 404 })
})

test('A1.2: every kind that discovery names with the verb list is there to be listed, and nothing else', async () => {
  const groups = (await send('GET', '/apis')).json() as {
    groups: readonly { versions: readonly { groupVersion: string }[] }[]
  }
  const versions = groups.groups.flatMap((group) => group.versions.map((one) => one.groupVersion))
  for (const prefix of ['/api/v1', ...versions.map((version) => `/apis/${version}`)]) {
    const { resources } = (await send('GET', prefix)).json() as {
      resources: readonly { name: string; kind: string; verbs: readonly string[] }[]
    }
    for (const { name, kind, verbs } of resources.filter((one) => !one.name.includes('/'))) {
      const reply = await send('GET', `${prefix}/${name}`)
      if (!verbs.includes('list')) assert.ok([404, 405].includes(reply.status), name)
      else fits(reply, { status: 200, body: { kind: `${kind}List`, metadata: {} } })
    }
  }
})

test('A1.3: a subresource is a resource of its own for discovery, in a representation of its own', async () => {
  const { resources } = (await send('GET', '/apis/apps/v1')).json() as {
    resources: readonly { name: string; kind: string; group?: string; verbs: readonly string[] }[]
  }
  const row = (name: string) => resources.find((one) => one.name === name)
  assert.is(row('deployments/scale')?.kind, 'Scale')
  assert.is(row('deployments/scale')?.group, 'autoscaling')
  assert.equal(row('deployments/scale')?.verbs, ['get', 'patch', 'update'])
  assert.is(row('deployments/status')?.kind, 'Deployment')
  fits(await send('GET', `${webs}/web/scale`), {
    status: 200,
    body: { kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 1 } },
  })
  fits(await send('GET', `${webs}/web/status`), { status: 200, body: { kind: 'Deployment' } })
})

test('A1.4, A1.22, A1.23: pages of a list and a watch from its version keep a cache in step', async () => {
  const place = `${core}/other/configmaps`
  const named = (name: string) => ({ metadata: { name }, data: { k: '1' } })
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    fits(await post(place, named(name)), { status: 201 })
  const cache = new Map<string, string>()
  let page = listOf(await send('GET', `${place}?limit=2`))
  const version = page.metadata.resourceVersion
  fits(await post(place, named('late')), { status: 201 })
  for (;;) {
    assert.is(page.metadata.resourceVersion, version)
    for (const { metadata } of page.items) cache.set(metadata.name, metadata.resourceVersion)
    if (!page.metadata.continue) break
    page = listOf(await send('GET', `${place}?limit=2&continue=${page.metadata.continue}`))
  }
  assert.equal([...cache.keys()], ['a', 'b', 'c', 'd', 'e'])
  const response = await wire.open({ path: `${place}?watch=1&resourceVersion=${version}` })
  const events = eventsOf(response)
  await send('PUT', `${place}/a`, { metadata: { name: 'a' }, data: { k: '2' } })
  await send('DELETE', `${place}/b`)
  for (let count = 0; count < 3; count++) {
    const { type, object } = await next(events)
    const { metadata } = object as unknown as Item
    if (type === 'DELETED') cache.delete(metadata.name)
    else cache.set(metadata.name, metadata.resourceVersion)
  }
  response.destroy()
  const { items } = listOf(await send('GET', place))
  const now = items.map(({ metadata }) => [metadata.name, metadata.resourceVersion])
  assert.equal([...cache].sort(), now)
})

test('A1.8: health has its three endpoints', async () => {
  for (const path of ['/healthz', '/livez', '/readyz']) {
    fits(await send('GET', path), { status: 200, body: 'ok' })
  }
})

test('A1.17, A1.18: a name is taken once, finds the object that has it, and is free after it', async () => {
  const first = itemOf(await post(maps, { metadata: { name: 'one' } }))
  fits(await post(maps, { metadata: { name: 'one' } }), {
    status: 409,
    body: { reason: 'AlreadyExists', message: 'configmaps "one" already exists' },
  })
  assert.equal(itemOf(await send('GET', `${maps}/one`)), first)
  fits(await post(`${core}/other/configmaps`, { metadata: { name: 'one' } }), { status: 201 })
  fits(await post(`${core}/default/secrets`, { metadata: { name: 'one' } }), { status: 201 })
  fits(await send('DELETE', `${maps}/one`), { status: 200 })
  const second = itemOf(await post(maps, { metadata: { name: 'one' } }))
  assert.is.not(second.metadata.uid, first.metadata.uid)
})

test('A1.19: the name of an object without a namespace is unique in the cluster', async () => {
  const nodes = '/api/v1/nodes'
  fits(await post(nodes, { metadata: { name: 'n' } }), { status: 201 })
  fits(await post(nodes, { metadata: { name: 'n', namespace: 'other' } }), { status: 409 })
  fits(await send('GET', `${core}/other/nodes/n`), { status: 404 })
})

test('A1.27: get, create, update, patch and delete take one object; list, watch and deletecollection many', async () => {
  const two = { kind: 'ConfigMapList', apiVersion: 'v1', items: [{ metadata: { name: 'x' } }] }
  const several = { kind: 'List', apiVersion: 'v1', items: [{ metadata: { name: 'x' } }] }
  fits(await post(maps, two), { status: 400 })
  fits(await post(maps, several), { status: 400 })
  fits(await send('PUT', maps, two), { status: 405 })
  fits(await send('PATCH', maps, { data: {} }, merge), { status: 405 })
  fits(await send('GET', `${maps}/a,b`), { status: 404 })
  const place = `${core}/other/secrets`
  for (const name of ['x', 'y']) fits(await post(place, { metadata: { name } }), { status: 201 })
  fits(await send('GET', place), { status: 200, body: { items: [{}, {}] } })
  fits(await send('DELETE', place), { status: 200, body: { items: [{}, {}] } })
  fits(await send('GET', place), { status: 200, body: { items: [] } })
})

// A2.1, A2.2, A2.14, A2.18, A2.19
test('an object names its kind and version, a collection that of its items with List appended', async () => {
  const kinds = [
    [maps, 'ConfigMap', 'v1'],
    [core, 'Namespace', 'v1'],
    [webs, 'Deployment', 'apps/v1'],
  ] as const
  await post(maps, { metadata: { name: 'kind' } })
  for (const [path, kind, apiVersion] of kinds) {
    const list = listOf(await send('GET', path))
    assert.equal([list.kind, list.apiVersion], [`${kind}List`, apiVersion])
    assert.ok(Array.isArray(list.items) && list.items.length > 0)
    const { name } = list.items[0]?.metadata ?? { name: '' }
    fits(await send('GET', `${path}/${name}`), { status: 200, body: { kind, apiVersion } })
  }
})

// A2.4, A2.5, A2.7, A2.13, W-04
test('a new object gets its name, namespace and time, and always a version', async () => {
  const made = (await post(maps, { metadata: { generateName: 'made-' } })).json() as {
    metadata: Readonly<Record<string, string>>
  }
  const { name, generateName, namespace, creationTimestamp, resourceVersion } = made.metadata
  assert.match(name ?? '', /^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
  assert.equal([generateName, namespace], ['made-', 'default'])
  assert.match(creationTimestamp ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  assert.match(resourceVersion ?? '', /^\d+$/)
  const { items } = listOf(await send('GET', maps))
  assert.ok(items.every(({ metadata }) => /^\d+$/.test(metadata.resourceVersion)))
  const review = (await send('GET', '/version')).json()
  assert.not('metadata' in review)
})

test('A2.7: the creation time is the time of the server', async () => {
  const other = await startTestServer({ clock: fakeClock(Date.parse('2030-01-01T00:00:00Z')) })
  fits(await other.request({ method: 'POST', path: maps, body: { metadata: { name: 'timed' } } }), {
    status: 201,
    body: { metadata: { creationTimestamp: '2030-01-01T00:00:00Z' } },
  })
  await other.stop()
})

test('A2.9: finalizers are names in an order that anyone may change', async () => {
  const finalizers = ['example.com/a', 'example.com/b']
  await post(maps, { metadata: { name: 'held', finalizers } })
  const turned = { metadata: { finalizers: [...finalizers].reverse() } }
  fits(await send('PATCH', `${maps}/held`, turned, merge), { status: 200, body: turned })
})

test('A2.11: labels and annotations are maps of text', async () => {
  const texts = { labels: { a: '1' }, annotations: { 'example.com/b': 'any text\n' } }
  fits(await post(maps, { metadata: { name: 'texts', ...texts } }), {
    status: 201,
    body: { metadata: texts },
  })
  for (const field of ['labels', 'annotations']) {
    const wrong = { metadata: { name: 'wrong', [field]: { a: 1 } } }
    fits(await post(maps, wrong), { status: 400, body: { reason: 'BadRequest' } })
    fits(await post(maps, { metadata: { name: 'wrong', [field]: ['a'] } }), { status: 400 })
  }
})

// A2.29-A2.34, A4.63
test('a record says Apply of an apply and Update of every other write, each with its version and time', async () => {
  const path = `${maps}/recorded`
  const intent = { kind: 'ConfigMap', apiVersion: 'v1', data: { a: '1' } }
  const apply = { 'content-type': 'application/apply-patch+yaml' }
  fits(await send('PATCH', `${path}?fieldManager=one`, intent, apply), { status: 201 })
  fits(await send('PATCH', `${path}?fieldManager=two`, { data: { b: '1' } }, merge), {
    status: 200,
  })
  const live = (await send('GET', path)).json() as { data: object }
  const put = { ...live, data: { ...live.data, c: '1' } }
  fits(await send('PUT', path, put, { ...json, 'user-agent': 'three/1.0' } as typeof json), {
    status: 200,
  })
  const record = (manager: string, operation: string, fields: object) => ({
    manager,
    operation,
    apiVersion: 'v1',
    time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': fields },
  })
  const { metadata } = (await send('GET', path)).json() as {
    metadata: { managedFields: readonly { manager: string }[] }
  }
  const records = [...metadata.managedFields].sort((a, b) => (a.manager < b.manager ? -1 : 1))
  contains(
    records,
    [
      record('one', 'Apply', { 'f:a': {} }),
      record('three', 'Update', { 'f:c': {} }),
      record('two', 'Update', { 'f:b': {} }),
    ],
    '',
  )
})

/** What has happened to the collection since a version, and the bookmark that follows. */
async function eventsSince(version: string): Promise<readonly Event[]> {
  const from = `watch=1&allowWatchBookmarks=1&timeoutSeconds=3&resourceVersion=${version}`
  const events: Event[] = []
  for await (const event of eventsOf(await wire.open({ path: `${maps}?${from}` })))
    events.push(event)
  return events
}

// A4.25
test('a version goes back as it came: from an object, a list and every event', async () => {
  const made = itemOf(await post(maps, { metadata: { name: 'version' } }))
  const listed = listOf(await send('GET', maps))
  await send('PATCH', `${maps}/version`, { data: { k: '1' } }, merge)
  const versions = [made.metadata.resourceVersion, listed.metadata.resourceVersion]
  for (const { object } of await eventsSince(made.metadata.resourceVersion)) {
    versions.push((object as unknown as Item).metadata.resourceVersion)
  }
  assert.is(versions.length, 4)
  for (const version of versions) {
    for (const query of [
      '',
      '&limit=1',
      '&resourceVersionMatch=Exact',
      '&resourceVersionMatch=NotOlderThan',
    ]) {
      fits(await send('GET', `${maps}?resourceVersion=${version}${query}`), { status: 200 })
    }
    fits(await send('GET', `${maps}/version?resourceVersion=${version}`), { status: 200 })
    const response = await wire.open({
      path: `${maps}?watch=1&timeoutSeconds=1&resourceVersion=${version}`,
    })
    assert.is(response.statusCode, 200)
    response.destroy()
  }
  const current = itemOf(await send('GET', `${maps}/version`)).metadata.resourceVersion
  const put = (resourceVersion: string) =>
    send('PUT', `${maps}/version`, {
      metadata: { name: 'version', resourceVersion },
      data: { k: '2' },
    })
  fits(await put(made.metadata.resourceVersion), { status: 409 })
  fits(await put(current), { status: 200 })
})

test('A2.12: managedFields say who wrote which fields', async () => {
  const path = `${maps}?fieldManager=first`
  const made = await post(path, { metadata: { name: 'written' }, data: { k: '1' } })
  const record = {
    manager: 'first',
    operation: 'Update',
    apiVersion: 'v1',
    time: /^\d{4}-/,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { '.': {}, 'f:k': {} } },
  }
  fits(made, { status: 201, body: { metadata: { managedFields: [record] } } })
})

// A2.16, A8.3
test('a page has at most as many items as wanted, and a token unless it is the last', async () => {
  const place = `${core}/other/serviceaccounts`
  for (const name of ['a', 'b', 'c', 'd', 'e']) await post(place, { metadata: { name } })
  const sizes: number[] = []
  let token = ''
  do {
    const more = token === '' ? '' : `&continue=${token}`
    const page = listOf(await send('GET', `${place}?limit=2${more}`))
    sizes.push(page.items.length)
    token = page.metadata.continue ?? ''
  } while (token !== '')
  assert.equal(sizes, [2, 2, 1])
})

test('A2.20: an event has a type and an object', async () => {
  const { metadata } = listOf(await send('GET', maps))
  await post(maps, { metadata: { name: 'seen' } })
  await send('PATCH', `${maps}/seen`, { data: { k: '1' } }, merge)
  await send('DELETE', `${maps}/seen`)
  const seen: (readonly [string, unknown])[] = []
  for (const { type, object, ...more } of await eventsSince(metadata.resourceVersion)) {
    assert.equal(more, {})
    seen.push([type, object.kind])
  }
  assert.equal(seen, [
    ['ADDED', 'ConfigMap'],
    ['MODIFIED', 'ConfigMap'],
    ['DELETED', 'ConfigMap'],
    ['BOOKMARK', 'ConfigMap'],
  ])
})

// A7.11, E-01
test('every refusal of a resource is one Status, whose code is that of the answer', async () => {
  const twice = { ...web, metadata: { name: 'web' } }
  const refusals: readonly (readonly [Promise<TestResponse>, number, string])[] = [
    [post(maps, { metadata: { name: 'x' }, data: 1 }), 400, 'BadRequest'],
    [send('GET', `${maps}/absent`), 404, 'NotFound'],
    [
      send('GET', maps, undefined, { 'content-type': '', accept: 'a/b' } as typeof json),
      406,
      'NotAcceptable',
    ],
    [post(webs, twice), 409, 'AlreadyExists'],
    [send('POST', maps, '<a/>', { 'content-type': 'text/xml' }), 415, 'UnsupportedMediaType'],
    [post(maps, { metadata: {} }), 422, 'Invalid'],
    [send('GET', `${maps}?resourceVersionMatch=Exact`), 422, 'Invalid'],
    [send('GET', `${maps}?resourceVersionMatch=Exact&resourceVersion=0`), 422, 'Invalid'],
    [send('GET', `${maps}?resourceVersionMatch=NotOlderThan`), 422, 'Invalid'],
    [send('GET', `${maps}?resourceVersionMatch=NotOlderThan&limit=1`), 422, 'Invalid'],
  ]
  for (const [refusal, code, reason] of refusals) {
    const reply = await refusal
    fits(reply, {
      status: code,
      headers: { 'content-type': 'application/json' },
      body: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        reason,
        code,
        message: /./,
      },
    })
    const keys = [
      'kind',
      'apiVersion',
      'metadata',
      'status',
      'message',
      'reason',
      'details',
      'code',
    ]
    const sent = Object.keys(reply.json())
    assert.equal(
      sent,
      keys.filter((key) => sent.includes(key)),
    )
  }
})

test.run()
