import { gunzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createLogger } from '../../../../runtime/observe/observe.ts'
import { contains, fits, type Script, startTestServer } from '../harness.ts'

const test = suite('runtime/server: reads and writes')
const wire = await startTestServer()
test.after(() => wire.stop())

const maps = '/api/v1/namespaces/default/configmaps'
const table = 'application/json;as=Table;v=v1;g=meta.orch.io'
const partial = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.orch.io'
const merge = { 'content-type': 'application/merge-patch+json' }

function mapOf(name: string): object {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { k: 'v' } }
}

test.before(async () => {
  for (const name of ['a', 'b']) {
    fits(await wire.request({ method: 'POST', path: maps, body: mapOf(name) }), { status: 201 })
  }
})

const yes = { status: 200 } as const

const script: Script = [
  [
    'an object comes with its type and version',
    { path: `${maps}/a` },
    {
      ...yes,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
      body: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { name: 'a', resourceVersion: /^\d+$/ },
      },
    },
  ],
  [
    'L-01: a list names its kind and version (A2.14)',
    { path: maps },
    {
      ...yes,
      body: { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: /^\d+$/ } },
    },
  ],
  [
    'L-01: an empty list has items',
    { path: '/api/v1/namespaces/none/configmaps' },
    { ...yes, body: { items: [] } },
  ],
  [
    'a page says how to go on (A4.45)',
    { path: `${maps}?limit=1` },
    {
      ...yes,
      body: {
        metadata: { continue: /./, remainingItemCount: 1 },
        items: [{ metadata: { name: 'a' } }],
      },
    },
  ],
  [
    'a namespace parameter is part of the path',
    { path: '/api/v1/configmaps?limit=1' },
    { ...yes, body: { items: [{}] } },
  ],
  [
    'a selector chooses (L-12)',
    { path: `${maps}?fieldSelector=metadata.name%3Db` },
    { ...yes, body: { items: [{ metadata: { name: 'b' } }] } },
  ],
  [
    'R-07: pretty indents',
    { path: `${maps}/a?pretty=true` },
    { ...yes, body: /^\{\n {2}"kind": "ConfigMap",\n/ },
  ],
  [
    'R-07: download tools get indented text',
    { path: `${maps}/a`, headers: { 'user-agent': 'curl/8' } },
    { ...yes, body: /^\{\n {2}"kind"/ },
  ],
  [
    'R-07: unless they do not want it',
    { path: `${maps}/a?pretty=0`, headers: { 'user-agent': 'curl/8' } },
    { ...yes, body: /^\{"kind":.*\}\n$/ },
  ],
  [
    'M-01: YAML',
    { path: `${maps}/a`, headers: { accept: 'application/yaml' } },
    {
      ...yes,
      headers: { 'content-type': 'application/yaml' },
      body: /^apiVersion: v1\ndata:\n {2}k: v\nkind: ConfigMap\n/,
    },
  ],
  [
    'M-01: a list in YAML',
    { path: maps, headers: { accept: 'application/yaml' } },
    { ...yes, body: /\nitems:\n- data:\n/ },
  ],
  [
    'a Status in YAML',
    { path: `${maps}/none`, headers: { accept: 'application/yaml' } },
    { status: 404, body: /^apiVersion: v1\ncode: 404\n/ },
  ],
  [
    'M-06: a table of a list (A2.22, A4.48)',
    { path: maps, headers: { accept: `${table},application/json` } },
    {
      ...yes,
      headers: { 'content-type': 'application/json' },
      body: {
        kind: 'Table',
        apiVersion: 'meta.orch.io/v1',
        metadata: { resourceVersion: /^\d+$/ },
        columnDefinitions: [
          { name: 'Name', type: 'string', format: 'name', priority: 0 },
          { name: 'Data' },
          { name: 'Age' },
        ],
        rows: [{ object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } }, {}],
      },
    },
  ],
  [
    'M-06: a table of one object',
    { path: `${maps}/a?includeObject=Object`, headers: { accept: table } },
    { ...yes, body: { rows: [{ object: { kind: 'ConfigMap', data: { k: 'v' } } }] } },
  ],
  [
    'M-06: a table without objects',
    { path: `${maps}/a?includeObject=None`, headers: { accept: table } },
    { ...yes, body: /"rows":\[\{"cells":\["a",1,"[^"]*"\],"object":null\}\]/ },
  ],
  [
    'M-10: metadata only',
    { path: `${maps}/a`, headers: { accept: partial } },
    {
      ...yes,
      body: {
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.orch.io/v1',
        metadata: { name: 'a' },
      },
    },
  ],
  [
    'M-10: metadata only of a list',
    { path: maps, headers: { accept: partial.replace('Metadata', 'MetadataList') } },
    {
      ...yes,
      body: { kind: 'PartialObjectMetadataList', items: [{ metadata: { name: 'a' } }, {}] },
    },
  ],
  [
    'R-08: an audit id is echoed',
    { path: `${maps}/a`, headers: { 'audit-id': 'abc-1' } },
    { ...yes, headers: { 'audit-id': 'abc-1' } },
  ],
  ['R-05: unknown parameters are ignored', { path: `${maps}/a?colour=red` }, yes],
  ['R-06: a timeout that is long enough', { path: `${maps}/a?timeout=32s` }, yes],
  [
    'W-16: HEAD has the headers of GET',
    { method: 'HEAD', path: maps },
    { ...yes, headers: { 'content-type': 'application/json' }, body: '' },
  ],
  [
    'a YAML body is read (R-09)',
    {
      method: 'POST',
      path: maps,
      headers: { 'content-type': 'application/yaml' },
      body: 'metadata: {name: ya}\ndata:\n  k: "1"\n',
    },
    { status: 201, body: { metadata: { name: 'ya' }, data: { k: '1' } } },
  ],
  [
    'a generated name is new each time (W-02)',
    { method: 'POST', path: maps, body: { metadata: { generateName: 'g-' } } },
    { status: 201, body: { metadata: { name: /^g-[a-z0-9]{5}$/ } } },
  ],
  [
    'a name taken is a conflict (E-08)',
    { method: 'POST', path: maps, body: mapOf('a') },
    {
      status: 409,
      body: {
        reason: 'AlreadyExists',
        message: 'configmaps "a" already exists',
        details: { name: 'a', kind: 'configmaps' },
      },
    },
  ],
  [
    'what is forbidden names the resource',
    { method: 'DELETE', path: '/api/v1/namespaces/default' },
    {
      status: 403,
      body: { reason: 'Forbidden', details: { name: 'default', kind: 'namespaces' } },
    },
  ],
  [
    'PUT replaces (A4.57)',
    { method: 'PUT', path: `${maps}/b`, body: { ...mapOf('b'), data: { k: '2' } } },
    { ...yes, body: { data: { k: '2' } } },
  ],
  [
    'a merge patch changes (A4.55)',
    { method: 'PATCH', path: `${maps}/b`, headers: merge, body: '{"data":{"k":null,"n":"3"}}' },
    { ...yes, body: { data: { n: '3' } } },
  ],
  [
    'a JSON patch changes (A4.54)',
    {
      method: 'PATCH',
      path: `${maps}/b`,
      headers: { 'content-type': 'application/json-patch+json; charset=utf-8' },
      body: [{ op: 'replace', path: '/data/n', value: '4' }],
    },
    { ...yes, body: { data: { n: '4' } } },
  ],
  [
    'a failed JSON patch is unprocessable (E-22)',
    {
      method: 'PATCH',
      path: `${maps}/b`,
      headers: { 'content-type': 'application/json-patch+json' },
      body: [{ op: 'test', path: '/data/n', value: '5' }],
    },
    { status: 422, body: { reason: 'Invalid' } },
  ],
  [
    'a dry run is not kept (A4.69)',
    { method: 'POST', path: `${maps}?dryRun=All`, body: mapOf('dry') },
    { status: 201, body: { metadata: { name: 'dry' } } },
  ],
  ['and is not there', { path: `${maps}/dry` }, { status: 404 }],
  ['an empty dryRun is a dry run (D-04)', { method: 'DELETE', path: `${maps}/b?dryRun=` }, yes],
  ['and nothing is gone', { path: `${maps}/b` }, yes],
  [
    'F-04: unknown fields warn by default (A4.68)',
    { method: 'PUT', path: `${maps}/b`, body: { ...mapOf('b'), extra: 1 } },
    { ...yes, headers: { warning: '299 - "unknown field \\"extra\\""' } },
  ],
  [
    'F-03: Strict refuses them (A7.1)',
    { method: 'PUT', path: `${maps}/b?fieldValidation=Strict`, body: { ...mapOf('b'), extra: 1 } },
    { status: 400, body: { message: /strict decoding error: unknown field "extra"/ } },
  ],
  [
    'Ignore drops them (A4.20)',
    { method: 'PUT', path: `${maps}/b?fieldValidation=Ignore`, body: { ...mapOf('b'), extra: 1 } },
    yes,
  ],
  [
    'X-04: DELETE answers with a Status that names the uid',
    { method: 'DELETE', path: `${maps}/b`, body: { propagationPolicy: 'Background' } },
    {
      ...yes,
      body: {
        kind: 'Status',
        status: 'Success',
        details: { name: 'b', kind: 'configmaps', uid: /-/ },
      },
    },
  ],
  ['it is gone', { path: `${maps}/b` }, { status: 404 }],
]

for (const [fact, request, expected] of script) {
  test(fact, async () => fits(await wire.request(request), expected))
}

test('M-06: the row of a finished pod says so', async () => {
  const pods = '/api/v1/namespaces/default/pods'
  const spec = { containers: [{ name: 'c', image: 'i' }] }
  fits(
    await wire.request({ method: 'POST', path: pods, body: { metadata: { name: 'done' }, spec } }),
    {
      status: 201,
    },
  )
  const body = '{"status":{"phase":"Succeeded"}}'
  const path = `${pods}/done/status`
  fits(await wire.request({ method: 'PATCH', path, headers: merge, body }), { status: 200 })
  fits(await wire.request({ path: pods, headers: { accept: table } }), {
    status: 200,
    body: {
      rows: [{ conditions: [{ type: 'Completed', status: 'True', reason: 'Succeeded' }] }],
    },
  })
})

test('items of a list carry no kind and apiVersion (L-01)', async () => {
  const { items } = (await wire.request({ path: maps })).json() as { items: object[] }
  assert.ok(items.length > 0)
  for (const item of items) assert.not('kind' in item || 'apiVersion' in item)
})

test('X-15: deleting a collection answers with what was deleted', async () => {
  const path = '/api/v1/namespaces/orch-public/configmaps'
  await wire.request({ method: 'POST', path, body: mapOf('one') })
  const reply = await wire.request({ method: 'DELETE', path })
  fits(reply, {
    status: 200,
    body: { kind: 'ConfigMapList', items: [{ metadata: { name: 'one' } }] },
  })
  fits(await wire.request({ path }), { status: 200, body: { items: [] } })
})

test('D-14: only large lists are compressed, and only for those who take it (A4.49)', async () => {
  const data = { k: 'x'.repeat(100_000) }
  for (const name of ['big1', 'big2']) {
    await wire.request({ method: 'POST', path: maps, body: { metadata: { name }, data } })
  }
  const headers = { 'accept-encoding': 'gzip' }
  const zipped = await wire.request({ path: maps, headers })
  const plain = await wire.request({ path: maps })
  const small = await wire.request({ path: `${maps}/a`, headers })
  assert.is(zipped.headers['content-encoding'], 'gzip')
  assert.is(plain.headers['content-encoding'], undefined)
  assert.is(small.headers['content-encoding'], undefined)
  assert.is(gunzipSync(zipped.bytes).toString(), plain.text)
  assert.is(plain.headers['content-length'], String(plain.bytes.length))
})

test('every answer is told to a log that listens, without its query', async () => {
  const lines: Record<string, unknown>[] = []
  const log = await createLogger({ level: 'debug', write: (line) => lines.push(JSON.parse(line)) })
  const other = await startTestServer({ log })
  await other.request({ path: '/api/v1/pods?labelSelector=secret', headers: { 'audit-id': 'abc' } })
  await other.stop()
  contains(
    lines,
    [{ event: 'request served', audit: 'abc', method: 'GET', path: '/api/v1/pods', status: 200 }],
    '',
  )
})

test('requests in process get the same answers as those on the wire', async () => {
  const request = { method: 'GET', path: `${maps}/a`, headers: { Accept: 'application/json' } }
  const reply = await wire.server.dispatch(request)
  const chunks: Uint8Array[] = []
  for await (const chunk of reply.body) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  assert.is(reply.status, 200)
  assert.is(reply.headers['content-type'], 'application/json')
  assert.is(text, (await wire.request({ path: `${maps}/a` })).text)
  contains(JSON.parse(text), { metadata: { name: 'a' } }, '')
})

test.run()
