import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { silentLog } from '../../../../runtime/observe/observe.ts'
import { fits, type Script, startTestServer } from '../harness.ts'

const test = suite('runtime/server: bad input')
const bugs: string[] = []
const log = { ...silentLog, error: (event: string) => bugs.push(event) }
const wire = await startTestServer({ log })
test.after(() => wire.stop())

const maps = '/api/v1/namespaces/default/configmaps'
const webs = '/apis/apps/v1/namespaces/default/deployments'
const json = { 'content-type': 'application/json' }
const yaml = { 'content-type': 'application/yaml' }
const map = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { k: 'v' } }
const badRequest = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  reason: 'BadRequest',
  code: 400,
}
const tooLarge = {
  reason: 'RequestEntityTooLarge',
  message: 'Request entity too large: limit is 3145728',
}
const plain = 'text/plain; charset=utf-8'

test.before(async () => {
  fits(await wire.request({ method: 'POST', path: maps, body: map }), { status: 201 })
})

const script: Script = [
  [
    'malformed JSON says where',
    { method: 'POST', path: maps, headers: json, body: '{"kind":' },
    { status: 400, body: badRequest },
  ],
  [
    'data after the JSON text is refused (R-12)',
    { method: 'POST', path: maps, headers: json, body: '{} {}' },
    { status: 400, body: badRequest },
  ],
  [
    'malformed YAML says where',
    { method: 'POST', path: maps, headers: yaml, body: 'a: [b' },
    { status: 400, body: badRequest },
  ],
  [
    'bytes that are not UTF-8 are refused',
    { method: 'POST', path: maps, headers: json, body: Buffer.from([0x22, 0xff, 0x22]) },
    { status: 400, body: badRequest },
  ],
  [
    'an empty body is refused (W-16)',
    { method: 'POST', path: maps },
    { status: 400, body: badRequest },
  ],
  [
    'a body that is no object is refused',
    { method: 'POST', path: maps, body: [1] },
    { status: 400, body: badRequest },
  ],
  [
    'a wrong type names the field (D-22)',
    { method: 'POST', path: webs, body: { metadata: { name: 'x' }, spec: { replicas: 'three' } } },
    { status: 400, body: { ...badRequest, message: /spec\.replicas/ } },
  ],
  [
    'missing fields are all named, with the Kind in the details (A7.10, E-02, E-06, D-22)',
    { method: 'POST', path: webs, body: { metadata: { name: 'x' } } },
    {
      status: 422,
      body: {
        reason: 'Invalid',
        message: /spec\.selector/,
        details: { kind: 'Deployment', group: 'apps', name: 'x' },
      },
    },
  ],
  [
    'a wrong kind names both (R-11)',
    { method: 'POST', path: maps, body: { ...map, kind: 'Secret' } },
    { status: 400, body: { ...badRequest, message: /Secret.*ConfigMap/ } },
  ],
  [
    'a wrong version is named (R-11)',
    { method: 'POST', path: maps, body: { ...map, apiVersion: 'v9' } },
    { status: 400, body: { ...badRequest, message: /"v9"/ } },
  ],
  [
    'a foreign body type is refused with those that would do (R-09)',
    { method: 'POST', path: maps, headers: { 'content-type': 'text/xml' }, body: '<a/>' },
    {
      status: 415,
      body: { reason: 'UnsupportedMediaType', message: /application\/json, application\/yaml/ },
    },
  ],
  [
    'a patch without a type is refused (P-01)',
    { method: 'PATCH', path: `${maps}/a`, body: '{}' },
    { status: 415, body: { message: '415: Unsupported Media Type', details: {} } },
  ],
  [
    'a patch of an unknown type is refused (P-01)',
    { method: 'PATCH', path: `${maps}/a`, headers: json, body: '{}' },
    { status: 415 },
  ],
  [
    'a body beyond 3 MiB is refused (R-10)',
    { method: 'POST', path: maps, body: { ...map, data: { k: 'x'.repeat(3 * 1024 * 1024) } } },
    { status: 413, body: tooLarge },
  ],
  [
    'what exists is told with the plural (E-02)',
    { method: 'POST', path: maps, body: map },
    { status: 409, body: { reason: 'AlreadyExists', details: { name: 'a', kind: 'configmaps' } } },
  ],
  [
    'what is forbidden is told with the plural (E-02)',
    { method: 'DELETE', path: '/api/v1/namespaces/default' },
    {
      status: 403,
      body: { reason: 'Forbidden', details: { name: 'default', kind: 'namespaces' } },
    },
  ],
  [
    'a stale resourceVersion conflicts (A7.3, E-02, E-10)',
    {
      method: 'PUT',
      path: `${maps}/a`,
      body: { ...map, metadata: { name: 'a', resourceVersion: '1' } },
    },
    {
      status: 409,
      body: {
        reason: 'Conflict',
        message: /Operation cannot be fulfilled on configmaps "a"/,
        details: { name: 'a', kind: 'configmaps' },
      },
    },
  ],
  [
    'a stale If-Match conflicts (D-08)',
    { method: 'PUT', path: `${maps}/a`, headers: { 'if-match': '"1"' }, body: map },
    { status: 409, body: { reason: 'Conflict' } },
  ],
  [
    'an unknown path is a plain 404 (E-20)',
    { path: '/nope' },
    { status: 404, body: '404 page not found\n', headers: { 'content-type': plain } },
  ],
  ['a path that cannot be decoded is a 404', { path: '/api/v1/%E0%A4' }, { status: 404 }],
  [
    'an unknown object is a Status (E-02, E-07)',
    { path: `${maps}/b` },
    {
      status: 404,
      body: {
        reason: 'NotFound',
        message: 'configmaps "b" not found',
        details: { name: 'b', kind: 'configmaps' },
      },
    },
  ],
  [
    'a method that the path does not know is a 405 (E-20)',
    { method: 'POST', path: `${maps}/a`, body: map },
    { status: 405, headers: { allow: 'GET, PUT, PATCH, DELETE' } },
  ],
  [
    'creating without a namespace is a 405 (R-15)',
    { method: 'POST', path: '/api/v1/configmaps', body: map },
    { status: 405, headers: { allow: 'GET' } },
  ],
  [
    'a collection that cannot be deleted is a 405 (X-16)',
    { method: 'DELETE', path: '/api/v1/namespaces' },
    { status: 405 },
  ],
  ['a method of another protocol is a 405', { method: 'PROPFIND', path: maps }, { status: 405 }],
  [
    'an integer that is none is refused (R-04)',
    { path: `${maps}?limit=many` },
    {
      status: 400,
      body: { ...badRequest, message: 'strconv.ParseInt: parsing "many": invalid syntax' },
    },
  ],
  [
    'a bad timeout is refused (R-06)',
    { path: `${maps}?timeout=soon` },
    { status: 400, body: { message: /invalid timeout specified in the request URL/ } },
  ],
  [
    'a bad label selector is refused (L-11)',
    { path: `${maps}?labelSelector=a%20b%20c` },
    { status: 400, body: { message: /unable to parse requirement/ } },
  ],
  [
    'a bad dryRun is named (D-04)',
    { method: 'POST', path: `${maps}?dryRun=Some`, body: map },
    {
      status: 422,
      body: {
        reason: 'Invalid',
        message:
          'CreateOptions.meta.orch.io "" is invalid: dryRun: Unsupported value: []string{"Some"}: supported values: "All"',
      },
    },
  ],
  [
    'a bad fieldValidation is named (F-01)',
    { method: 'PUT', path: `${maps}/a?fieldValidation=Maybe`, body: map },
    {
      status: 422,
      body: {
        details: { causes: [{ reason: 'FieldValueNotSupported', field: 'fieldValidation' }] },
      },
    },
  ],
  [
    'force is for apply only (A-01)',
    {
      method: 'PATCH',
      path: `${maps}/a?force=true`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: '{}',
    },
    {
      status: 422,
      body: { message: /force: Forbidden: may not be specified for non-apply patch/ },
    },
  ],
  [
    'a manager beyond 128 characters is refused (A-01)',
    { method: 'PUT', path: `${maps}/a?fieldManager=${'m'.repeat(129)}`, body: map },
    { status: 422, body: { message: /fieldManager: Too long/ } },
  ],
  [
    'sendInitialEvents needs its gate (L-08)',
    { path: `${maps}?watch=1&sendInitialEvents=true` },
    { status: 422, body: { details: { group: 'meta.orch.io', kind: 'ListOptions' } } },
  ],
  [
    'delete options of another kind are refused (X-01)',
    { method: 'DELETE', path: `${maps}/a`, body: { kind: 'Pod' } },
    { status: 400, body: badRequest },
  ],
  [
    'an unknown propagation policy is named (X-02)',
    { method: 'DELETE', path: `${maps}/a`, body: { propagationPolicy: 'Sideways' } },
    {
      status: 422,
      body: { details: { kind: 'DeleteOptions', causes: [{ field: 'propagationPolicy' }] } },
    },
  ],
  [
    'a wrong uid precondition conflicts (X-03)',
    { method: 'DELETE', path: `${maps}/a`, body: { preconditions: { uid: 'x' } } },
    { status: 409, body: { reason: 'Conflict' } },
  ],
  [
    'an unknown includeObject is refused (M-06)',
    {
      path: `${maps}?includeObject=Half`,
      headers: { accept: 'application/json;as=Table;g=meta.orch.io;v=v1' },
    },
    { status: 400, body: badRequest },
  ],
  [
    'an unacceptable Accept is a 406 (A7.2)',
    { path: maps, headers: { accept: 'image/png' } },
    { status: 406, body: { reason: 'NotAcceptable' } },
  ],
]

for (const [fact, asked, expected] of script) {
  test(fact, async () => {
    fits(await wire.request(asked), expected)
    fits(await wire.request({ path: '/healthz' }), { status: 200 })
  })
}

test('a __proto__ key is an unknown field, and nothing of the server changes', async () => {
  const body = '{"metadata":{"name":"p"},"__proto__":{"polluted":1},"data":{"k":"v"}}'
  const reply = await wire.request({ method: 'POST', path: maps, headers: json, body })
  fits(reply, { status: 201, body: { metadata: { name: 'p' }, data: { k: 'v' } } })
  assert.is(({} as { polluted?: unknown }).polluted, undefined)
  assert.not.match(reply.text, 'polluted')
})

test('deep nesting is refused, not survived by luck', async () => {
  const deep = `{"metadata":{"name":"d"},"data":${'['.repeat(500_000)}${']'.repeat(500_000)}}`
  fits(await wire.request({ method: 'POST', path: maps, headers: json, body: deep }), {
    status: 400,
  })
  const block = `metadata:\n  name: d\ndata: ${'['.repeat(50_000)}`
  fits(await wire.request({ method: 'POST', path: maps, headers: yaml, body: block }), {
    status: 400,
  })
})

test('a bomb of YAML aliases is refused', async () => {
  const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x]']
  for (let i = 1; i < 12; i++)
    lines.push(
      `a${i}: &a${i} [${Array(9)
        .fill(`*a${i - 1}`)
        .join()}]`,
    )
  const reply = await wire.request({
    method: 'POST',
    path: maps,
    headers: yaml,
    body: lines.join('\n'),
  })
  fits(reply, { status: 400 })
})

test('a declared length beyond the limit is refused before the body is sent (R-10)', async () => {
  const { port } = new URL(wire.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(
    `POST ${maps} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n`,
  )
  const [first] = (await new Promise<Buffer[]>((resolve) =>
    socket.once('data', (b) => resolve([b])),
  )) as [Buffer]
  socket.destroy()
  assert.match(first.toString(), /^HTTP\/1\.1 413 /)
})

test('a body of unknown length is refused at the limit, and the connection goes on (R-10)', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const statuses: (number | undefined)[] = []
  for (const megabytes of [5, 0]) {
    const sent = request(wire.url + maps, { method: 'POST', agent, headers: json })
    for (let at = 0; at < megabytes; at++) sent.write(Buffer.alloc(1024 * 1024, 0x20))
    sent.end(JSON.stringify({ metadata: { name: `after-${megabytes}` } }))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    statuses.push(response.statusCode)
    await once(response.resume(), 'end')
  }
  agent.destroy()
  assert.equal(statuses, [413, 201])
})

test('a client that leaves in the middle of its body troubles nobody', async () => {
  const { port } = new URL(wire.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`POST ${maps} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"meta`)
  await once(socket, 'connect')
  socket.resetAndDestroy()
  fits(await wire.request({ path: '/healthz' }), { status: 200 })
  assert.equal(bugs, [])
})

test('bytes that are no HTTP at all end in a closed connection', async () => {
  const { port } = new URL(wire.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.end('\x00\x01\x02 nonsense\r\n\r\n')
  await new Promise((resolve) => socket.resume().once('close', resolve))
  fits(await wire.request({ path: '/healthz' }), { status: 200 })
})

test('a target that names the server is the path behind the name', async () => {
  const { port } = new URL(wire.url)
  const targets = [
    [`http://localhost${maps}/a?pretty=0`, 200],
    ['HTTP://localhost/livez', 200],
    ['http://localhost?x', 200],
    ['*', 404],
  ] as const
  for (const [target, status] of targets) {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk as Buffer)
    assert.match(Buffer.concat(chunks).toString(), new RegExp(`^HTTP/1.1 ${status} `), target)
  }
})

test.run()
