// The forms that an answer may take: what plain public clients ask for, HEAD, compression, the default table.
import { createGunzip } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultEnabledGates } from '../../../../runtime/kernel/descriptors/enabled-gates.ts'
import { lazyItem } from '../../../../runtime/registry/storage/item.ts'
import { rowsOf, tableText } from '../../../../runtime/server/negotiation/table.ts'
import { configMaps } from '../../../support/registry.ts'
import { contains, fits, startTestServer, type TestServer } from '../harness.ts'

const test = suite('runtime/server: forms')
const maps = '/api/v1/namespaces/default/configmaps'
let wire: TestServer

test.before(async () => {
  wire = await startTestServer()
  for (const name of ['a', 'b', 'c']) {
    const metadata = { name, labels: { app: 'x' }, annotations: { note: `"metadata":{"}` } }
    await wire.request({ method: 'POST', path: maps, body: { metadata, data: { k: 'v' } } })
  }
})
test.after(() => wire.stop())

const accept = (as: string, group: string, version = 'v1') => ({
  accept: `application/json;as=${as};v=${version};g=${group}`,
})

// A4.48, A4.50, A4.51, M-04, M-05, M-06, M-10
for (const group of ['meta.orch.io', 'meta.k8s.io']) {
  for (const version of ['v1', 'v1beta1']) {
    const apiVersion = `${group}/${version}`
    test(`A4.48: tables of a list and of an object in ${apiVersion}`, async () => {
      for (const path of [maps, `${maps}/a`]) {
        fits(await wire.request({ path, headers: accept('Table', group, version) }), {
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: { kind: 'Table', apiVersion, columnDefinitions: [{}, {}, {}] },
        })
      }
    })
    test(`M-10: metadata of a list and of an object in ${apiVersion}`, async () => {
      const item = { kind: 'PartialObjectMetadata', apiVersion, metadata: { name: 'a' } }
      fits(
        await wire.request({
          path: `${maps}/a`,
          headers: accept('PartialObjectMetadata', group, version),
        }),
        {
          status: 200,
          body: item,
        },
      )
      fits(
        await wire.request({
          path: maps,
          headers: accept('PartialObjectMetadataList', group, version),
        }),
        {
          status: 200,
          body: { kind: 'PartialObjectMetadataList', apiVersion, items: [item, {}, {}] },
        },
      )
    })
  }
}

test('M-10: the metadata is the whole metadata, as it is stored', async () => {
  const whole = (await wire.request({ path: `${maps}/a` })).json()
  const part = (
    await wire.request({
      path: `${maps}/a`,
      headers: accept('PartialObjectMetadata', 'meta.k8s.io'),
    })
  ).json()
  assert.equal(part.metadata, whole.metadata)
  assert.equal(Object.keys(part), ['kind', 'apiVersion', 'metadata'])
})

test('M-06, A2.22: a page of a table carries what a page of a list does', async () => {
  const reply = await wire.request({
    path: `${maps}?limit=2`,
    headers: accept('Table', 'meta.orch.io'),
  })
  fits(reply, {
    status: 200,
    body: {
      metadata: { resourceVersion: /^\d+$/, continue: /./, remainingItemCount: 1 },
      rows: [{}, {}],
    },
  })
})

test('M-06: another includeObject than the three is refused', async () => {
  for (const [include, object] of [
    ['None', undefined],
    ['Metadata', 'PartialObjectMetadata'],
    ['Object', 'ConfigMap'],
  ] as const) {
    const path = `${maps}/a?includeObject=${include}`
    const reply = await wire.request({ path, headers: accept('Table', 'meta.orch.io') })
    const { rows } = reply.json() as { rows: { object?: { kind: string } }[] }
    assert.is(rows[0]?.object?.kind, object)
  }
  const path = `${maps}?includeObject=All`
  fits(await wire.request({ path, headers: accept('Table', 'meta.orch.io') }), { status: 400 })
})

test('A7.2, A4.51, M-03: what nobody offers is 406 and says what is offered', async () => {
  const known = 'application/json, application/yaml, application/vnd.orch.protobuf'
  for (const [type, message] of [
    ['text/html', `406: Not Acceptable\n\nAvailable representations: ${known}`],
    ['APPLICATION/JSON', '406: Not Acceptable'],
    ['application/*', '406: Not Acceptable'],
    [
      'application/json;as=Chart;g=meta.orch.io;v=v1',
      `only the following media types are accepted: ${known}`,
    ],
  ] as const) {
    const reply = await wire.request({ path: maps, headers: { accept: type } })
    fits(reply, { status: 406, body: { reason: 'NotAcceptable' } })
    assert.is((reply.json() as { message: string }).message.slice(0, message.length), message, type)
  }
})

test('A2.22, D-24, M-08: a kind without columns has two', () => {
  const metadata = { name: 'n', uid: 'u', creationTimestamp: '2030-01-01T00:00:00Z' }
  const item = lazyItem(Buffer.from(JSON.stringify({ kind: 'X', apiVersion: 'v1', metadata })))
  const form = {
    kind: { ...configMaps, columns: [] },
    apiVersion: 'meta.orch.io/v1',
    include: 'None',
    now: 0,
  } as const
  contains(
    JSON.parse(tableText(form, {}, rowsOf(form)([item]))),
    {
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name' },
        { name: 'Created At', type: 'date' },
      ],
      rows: [{ cells: ['n', '2030-01-01T00:00:00Z'] }],
    },
    '',
  )
})

test('W-16: HEAD has the length of the body that GET has, and none itself', async () => {
  for (const path of [maps, `${maps}/a`, `${maps}/none`, `${maps}/a?pretty=true`]) {
    const got = await wire.request({ path })
    const head = await wire.request({ method: 'HEAD', path })
    assert.is(head.status, got.status)
    assert.is(head.headers['content-length'], String(got.bytes.length))
    assert.is(head.bytes.length, 0)
  }
})

test('A4.24, R-07, R-04: pretty is read strictly, and wins over the user agent', async () => {
  const text = async (query: string, agent: string) =>
    (await wire.request({ path: `${maps}/a?${query}`, headers: { 'user-agent': agent } })).text
  for (const yes of ['pretty=true', 'pretty=1', 'pretty=T']) {
    assert.match(await text(yes, 'orchctl/1'), /^\{\n {2}"kind"/)
  }
  for (const no of ['pretty=false', 'pretty=0', 'pretty=yes', 'pretty=2']) {
    assert.match(await text(no, 'Mozilla/5.0'), /^\{"kind".*\}\n$/)
  }
  for (const agent of ['curl/8', 'Wget/1', 'Mozilla/5.0 (X11)']) {
    assert.match(await text('', agent), /^\{\n {2}"kind"/)
  }
  const indented = await wire.request({ path: `${maps}?pretty=true` })
  const compact = await wire.request({ path: maps })
  assert.equal(indented.json(), compact.json())
})

test('A4.49: compression is a gate', async () => {
  const plain = await startTestServer({ gates: new Set() })
  const zipped = await startTestServer({ gates: defaultEnabledGates })
  const data = { k: 'x'.repeat(140_000) }
  for (const one of [plain, zipped]) {
    await one.request({ method: 'POST', path: maps, body: { metadata: { name: 'big' }, data } })
  }
  const headers = { 'accept-encoding': 'deflate, gzip;q=0.5' }
  const path = `${maps}/big`
  assert.is((await plain.request({ path, headers })).headers['content-encoding'], undefined)
  const reply = await zipped.request({ path, headers })
  assert.is(reply.headers['content-encoding'], 'gzip')
  assert.is(reply.headers.vary, 'Accept-Encoding')
  const none = await zipped.request({ path, headers: { 'accept-encoding': 'gzip;q=0' } })
  assert.is(none.headers['content-encoding'], undefined)
  const head = await zipped.request({ method: 'HEAD', path, headers })
  assert.is(head.headers['content-encoding'], undefined)
  const watch = await zipped.open({ path: `${maps}?watch=1&resourceVersion=0`, headers })
  assert.is(watch.headers['content-encoding'], undefined, 'a watch is never compressed')
  watch.destroy()
  const unzip = createGunzip()
  unzip.end(reply.bytes)
  let length = 0
  for await (const chunk of unzip) length += (chunk as Buffer).length
  assert.is(length, none.bytes.length)
  await plain.stop()
  await zipped.stop()
})

test('a table of many objects lets others in between', async () => {
  for (let at = 0; at < 1500; at += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        wire.request({
          method: 'POST',
          path: '/api/v1/namespaces/orch-public/configmaps',
          body: { metadata: { name: `m${at + n}` } },
        }),
      ),
    )
  }
  const path = '/api/v1/configmaps'
  const reply = await wire.request({ path, headers: accept('Table', 'meta.k8s.io') })
  const { rows } = reply.json() as { rows: { cells: unknown[] }[] }
  assert.is(rows.length, 1503)
  assert.equal(rows[3]?.cells[0], 'm0')
})

test('a review has no table: a request for nothing else is not acceptable', async () => {
  const path = '/apis/authorization.orch.io/v1/selfsubjectaccessreviews'
  const table = accept('Table', 'meta.k8s.io')
  fits(await wire.request({ method: 'POST', path, headers: table, body: {} }), {
    status: 406,
    body: { reason: 'NotAcceptable' },
  })
})

test.run()
