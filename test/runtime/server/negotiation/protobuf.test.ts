/** What a client in Go says and hears: every verb in protobuf, over a socket. */
import type { IncomingMessage } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openEnvelope } from '../../../../runtime/serializer/protobuf/envelope.ts'
import { openProtobuf, rawField, rawFields } from '../../../support/protobuf.ts'
import { startTestServer, type TestResponse, type TestServer } from '../harness.ts'

const tests = suite('runtime/server: protobuf')
const { codec } = await openProtobuf()
const type = 'application/vnd.orch.protobuf'
const accept = { accept: `${type},application/json` }
const collection = '/api/v1/namespaces/default/configmaps'
const configMap = { apiVersion: 'v1', kind: 'ConfigMap' }
let wire: TestServer

tests.before(async () => {
  wire = await startTestServer()
})
tests.after(() => wire.stop())

function written(name: string, data: Readonly<Record<string, string>> = {}): Uint8Array {
  return codec.encodeObject(configMap, 'core/v1.ConfigMap', { metadata: { name }, data })
}

function read(reply: Pick<TestResponse, 'bytes'>, message?: string): Record<string, unknown> {
  return codec.decodeObject(reply.bytes, { kind: '', apiVersion: '' }, { message })
}

async function made(name: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
  const body = { metadata: { name, labels } }
  assert.is((await wire.request({ method: 'POST', path: collection, body })).status, 201)
}

async function asJson(path: string): Promise<Record<string, unknown>> {
  return (await wire.request({ path })).json()
}

tests('an object is created from protobuf and answered in protobuf', async () => {
  // A4.47 A4.51 M-01
  const headers = { ...accept, 'content-type': type }
  const body = written('made', { a: 'b' })
  const reply = await wire.request({ method: 'POST', path: collection, headers, body })
  assert.is(reply.status, 201)
  assert.is(reply.headers['content-type'], type)
  assert.equal(read(reply), await asJson(`${collection}/made`))
})

tests('a protobuf body may be answered in JSON', async () => {
  // A4.52
  const headers = { 'content-type': type, accept: 'application/json' }
  const reply = await wire.request({
    method: 'POST',
    path: collection,
    headers,
    body: written('j'),
  })
  assert.is(reply.status, 201)
  assert.is(reply.headers['content-type'], 'application/json')
  assert.is((reply.json().metadata as { name: string }).name, 'j')
})

tests('an object is replaced from protobuf, and the same bytes again change nothing', async () => {
  // W-05
  await made('put')
  const headers = { ...accept, 'content-type': type }
  const path = `${collection}/put`
  const body = written('put', { changed: 'yes' })
  const first = read(await wire.request({ method: 'PUT', path, headers, body }))
  const second = read(await wire.request({ method: 'PUT', path, headers, body }))
  assert.equal(first.data, { changed: 'yes' })
  assert.equal(second, first)
})

tests('strict validation of a protobuf body passes: unknown fields cannot be seen', async () => {
  // F-07
  const headers = { 'content-type': type }
  const path = `${collection}?fieldValidation=Strict`
  const unknown = Buffer.concat([Buffer.from(written('strict')), Buffer.from([0x50, 0x01])])
  assert.is((await wire.request({ method: 'POST', path, headers, body: unknown })).status, 201)
})

tests('get gives the stored object', async () => {
  await made('got')
  const reply = await wire.request({ path: `${collection}/got`, headers: accept })
  assert.is(reply.headers['content-type'], type)
  assert.is(Number(reply.headers['content-length']), reply.bytes.length)
  assert.equal(read(reply), await asJson(`${collection}/got`))
})

tests('list gives an envelope with the items in it, without their types', async () => {
  await made('list-1', { list: 'yes' })
  await made('list-2', { list: 'yes' })
  const path = `${collection}?labelSelector=list%3Dyes`
  const reply = await wire.request({ path, headers: accept })
  const { raw, ...envelope } = openEnvelope(reply.bytes)
  assert.equal(envelope, { apiVersion: 'v1', kind: 'ConfigMapList', contentType: '' })
  const want = (await asJson(path)) as { metadata: object; items: object[] }
  const items = rawFields(raw).filter(({ number }) => number === 2)
  assert.equal(
    items.map(({ value }) => codec.decodeMessage('core/v1.ConfigMap', value as Buffer)),
    want.items,
  )
  assert.equal(codec.decodeMessage('meta/v1.ListMeta', rawField(raw, 1)), want.metadata)
})

tests('a page of a list names the next and counts the rest', async () => {
  const reply = await wire.request({ path: `${collection}?limit=1`, headers: accept })
  const metadata = codec.decodeMessage(
    'meta/v1.ListMeta',
    rawField(openEnvelope(reply.bytes).raw, 1),
  )
  assert.type(metadata.continue, 'string')
  assert.ok(Number(metadata.remainingItemCount) > 0)
})

tests('the public name of the media type is understood too, and answered by itself', async () => {
  const publicType = 'application/vnd.kubernetes.protobuf'
  const headers = { accept: publicType, 'content-type': publicType }
  const reply = await wire.request({
    method: 'POST',
    path: collection,
    headers,
    body: written('pub'),
  })
  assert.is(reply.status, 201)
  assert.is(reply.headers['content-type'], publicType)
})

tests('a long list leaves in pieces, as long as it said', async () => {
  for (let index = 0; index < 6; index++) {
    const body = { metadata: { name: `long-${index}` }, data: { text: 'x'.repeat(100_000) } }
    assert.is((await wire.request({ method: 'POST', path: collection, body })).status, 201)
  }
  const reply = await wire.request({ path: collection, headers: accept })
  assert.is(Number(reply.headers['content-length']), reply.bytes.length)
  const items = rawFields(openEnvelope(reply.bytes).raw).filter(({ number }) => number === 2)
  assert.ok(items.length > 6)
})

tests('metadata alone comes in protobuf, of one object and of many', async () => {
  // M-04 M-05 M-10 V-16
  await made('partial', { partial: 'yes' })
  const form = (as: string) => ({ accept: `${type};as=${as};g=meta.orch.io;v=v1` })
  const one = await wire.request({
    path: `${collection}/partial`,
    headers: form('PartialObjectMetadata'),
  })
  assert.is(one.headers['content-type'], type)
  const { metadata } = await asJson(`${collection}/partial`)
  assert.equal(read(one, 'meta/v1.PartialObjectMetadata'), {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.orch.io/v1',
    metadata,
  })
  const many = await wire.request({
    path: `${collection}?labelSelector=partial`,
    headers: form('PartialObjectMetadataList'),
  })
  const { raw, kind } = openEnvelope(many.bytes)
  assert.is(kind, 'PartialObjectMetadataList')
  assert.equal(codec.decodeMessage('meta/v1.PartialObjectMetadata', rawField(raw, 2)), { metadata })
})

tests('a table is never protobuf: the next entry is taken, or none', async () => {
  // M-07 A4.50
  const table = 'as=Table;g=meta.orch.io;v=v1'
  const both = { accept: `${type};${table},application/json;${table}` }
  const reply = await wire.request({ path: collection, headers: both })
  assert.is(reply.headers['content-type'], 'application/json')
  assert.is(reply.json().kind, 'Table')
  const only = await wire.request({ path: collection, headers: { accept: `${type};${table}` } })
  assert.is(only.status, 406)
})

tests('what is not offered is refused with what is', async () => {
  // A4.51 A7.2 M-03 R-09
  const reply = await wire.request({ path: collection, headers: { accept: 'application/cbor' } })
  assert.is(reply.status, 406)
  const list = 'application/json, application/yaml, application/vnd.orch.protobuf'
  assert.match(reply.text, `Available representations: ${list}`)
  const headers = { 'content-type': 'application/cbor' }
  const sent = await wire.request({ method: 'POST', path: collection, headers, body: 'x' })
  assert.is(sent.status, 415)
  assert.match(sent.text, `accepted media types include: ${list}`)
})

tests('a patch is never protobuf', async () => {
  // M-13
  await made('patched')
  const path = `${collection}/patched`
  const reply = await wire.request({
    method: 'PATCH',
    path,
    headers: { 'content-type': type },
    body: written('patched'),
  })
  assert.is(reply.status, 415)
})

tests('a failure is a Status in protobuf', async () => {
  const reply = await wire.request({ path: `${collection}/nothing`, headers: accept })
  assert.is(reply.status, 404)
  assert.is(reply.headers['content-type'], type)
  const status = read(reply, 'meta/v1.Status')
  assert.equal([status.kind, status.apiVersion], ['Status', 'v1'])
  assert.equal(status, await asJson(`${collection}/nothing`))
})

tests(
  'options of a deletion are read in any group version, and the answer is a Status',
  async () => {
    await made('gone')
    const path = `${collection}/gone`
    const sent = (uid: string) => {
      const options = { preconditions: { uid }, propagationPolicy: 'Background' }
      const optionsType = { apiVersion: 'apps/v1', kind: 'DeleteOptions' }
      return codec.encodeObject(optionsType, 'meta/v1.DeleteOptions', options)
    }
    const headers = { ...accept, 'content-type': type }
    const wrong = await wire.request({ method: 'DELETE', path, headers, body: sent('other') })
    assert.is(wrong.status, 409)
    const { uid } = (await asJson(path)).metadata as { uid: string }
    const reply = await wire.request({ method: 'DELETE', path, headers, body: sent(uid) })
    assert.is(reply.status, 200)
    const status = read(reply, 'meta/v1.Status')
    assert.is(status.status, 'Success')
    assert.is((status.details as { uid: string }).uid, uid)
  },
)

const bad: readonly (readonly [fact: string, body: Uint8Array | string, text: RegExp])[] = [
  [
    'JSON under the name of protobuf',
    '{}',
    /does not appear to be a protobuf message, expected prefix \[107 56 115 0\]/,
  ],
  [
    'an envelope cut short',
    written('x').subarray(0, 30),
    /a length of \d+ where \d+ bytes are left/,
  ],
  [
    'another kind',
    codec.encodeObject({ apiVersion: 'v1', kind: 'Secret' }, 'core/v1.Secret', {}),
    /Secret in version "v1" cannot be handled as a ConfigMap/,
  ],
  [
    'another version',
    codec.encodeObject({ apiVersion: 'v9', kind: 'ConfigMap' }, 'core/v1.ConfigMap', {}),
    /no kind "ConfigMap" is registered for version "v9"/,
  ],
]

for (const [fact, body, text] of bad) {
  tests(`a bad body is a BadRequest: ${fact}`, async () => {
    const headers = { 'content-type': type }
    const reply = await wire.request({ method: 'POST', path: collection, headers, body })
    assert.is(reply.status, 400, reply.text)
    assert.match(reply.text.replaceAll('\\"', '"'), text)
  })
}

tests('a pod without containers is refused in protobuf as it is in JSON', async () => {
  const path = '/api/v1/namespaces/default/pods'
  const headers = { 'content-type': type }
  const pod = { metadata: { name: 'empty' }, spec: {} }
  const body = codec.encodeObject({ apiVersion: 'v1', kind: 'Pod' }, 'core/v1.Pod', pod)
  const reply = await wire.request({ method: 'POST', path, headers, body })
  assert.is(reply.status, 422)
  assert.match(reply.text, 'spec.containers: Required value')
})

tests('a subresource has a message of its own, in and out', async () => {
  const path = '/apis/apps/v1/namespaces/default/deployments'
  const template = {
    metadata: { labels: { app: 'scaled' } },
    spec: { containers: [{ name: 'main', image: 'example/app:1' }] },
  }
  const spec = { replicas: 2, selector: { matchLabels: { app: 'scaled' } }, template }
  const body = { metadata: { name: 'scaled' }, spec }
  assert.is((await wire.request({ method: 'POST', path, body })).status, 201)
  const scale = await wire.request({ path: `${path}/scaled/scale`, headers: accept })
  assert.is(scale.headers['content-type'], type)
  const found = read(scale)
  assert.equal([found.kind, found.apiVersion], ['Scale', 'autoscaling/v1'])
  const message = codec.messageOf({ kind: 'Scale', apiVersion: 'autoscaling/v1' }) as string
  const wanted = codec.encodeObject({ kind: 'Scale', apiVersion: 'autoscaling/v1' }, message, {
    ...found,
    spec: { replicas: 5 },
  })
  const headers = { ...accept, 'content-type': type }
  const reply = await wire.request({
    method: 'PUT',
    path: `${path}/scaled/scale`,
    headers,
    body: wanted,
  })
  assert.is(reply.status, 200, reply.text)
  assert.is(((await asJson(`${path}/scaled`)).spec as { replicas: number }).replicas, 5)
})

tests('discovery is written in protobuf for those who ask', async () => {
  const only = { accept: type }
  const groups = await wire.request({ path: '/apis', headers: only })
  assert.equal(read(groups, 'meta/v1.APIGroupList'), await asJson('/apis'))
  const resources = await wire.request({ path: '/apis/apps/v1', headers: only })
  assert.equal(read(resources, 'meta/v1.APIResourceList'), await asJson('/apis/apps/v1'))
  const core = await wire.request({ path: '/api', headers: only })
  assert.equal(read(core, 'meta/v1.APIVersions').versions, ['v1'])
  assert.is((await wire.request({ path: '/version', headers: only })).status, 406)
})

/** Reads frames until there are `count` of them. */
async function frames(stream: IncomingMessage, count: number): Promise<readonly Buffer[]> {
  const found: Buffer[] = []
  let rest = Buffer.alloc(0)
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk as Buffer])
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
      const end = 4 + rest.readUInt32BE()
      found.push(rest.subarray(4, end))
      rest = rest.subarray(end)
    }
    if (found.length >= count) break
  }
  stream.destroy()
  return found
}

function event(frame: Buffer): { readonly type: string; readonly object: Buffer } {
  assert.equal(
    rawFields(frame).map(({ number }) => number),
    [1, 2],
  )
  return { type: rawField(frame, 1).toString(), object: rawField(rawField(frame, 2), 1) }
}

tests(
  'a watch sends frames of four bytes of length and an event with its object enveloped',
  async () => {
    // V-06
    const path = `${collection}?watch=1&resourceVersion=0&labelSelector=watched`
    await made('watched', { watched: 'yes' })
    const stream = await wire.open({ path, headers: accept })
    assert.is(stream.headers['content-type'], `${type};stream=watch`)
    const body = { metadata: { name: 'watched', labels: { watched: 'no' } } }
    const changed = wire.request({ method: 'PUT', path: `${collection}/watched`, body })
    const [first, second] = (await frames(stream, 2)).map(event)
    assert.is((await changed).status, 200)
    assert.equal([first?.type, second?.type], ['ADDED', 'MODIFIED'])
    const object = codec.decodeObject(second?.object as Buffer, { kind: '', apiVersion: '' })
    assert.equal(object, await asJson(`${collection}/watched`))
  },
)

tests('a watch of metadata alone sends that', async () => {
  // V-16
  await made('watched-partial', { watchedpartial: 'yes' })
  const partial = { accept: `${type};as=PartialObjectMetadata;g=meta.orch.io;v=v1` }
  const path = `${collection}?watch=1&resourceVersion=0&labelSelector=watchedpartial`
  const [frame] = await frames(await wire.open({ path, headers: partial }), 1)
  const { object } = event(frame as Buffer)
  assert.is(openEnvelope(object).kind, 'PartialObjectMetadata')
})

tests('a failed watch ends with an event that holds a Status', async () => {
  // V-04
  await made('old')
  const { resourceVersion } = (await asJson(collection)).metadata as { resourceVersion: string }
  await made('newer')
  await wire.forget()
  const path = `${collection}?watch=1&resourceVersion=${Number(resourceVersion) - 1}`
  const [frame] = await frames(await wire.open({ path, headers: accept }), 1)
  const { type: sort, object } = event(frame as Buffer)
  assert.is(sort, 'ERROR')
  const status = codec.decodeObject(
    object,
    { kind: '', apiVersion: '' },
    { message: 'meta/v1.Status' },
  )
  assert.equal([status.code, status.reason], [410, 'Expired'])
})

tests.run()
