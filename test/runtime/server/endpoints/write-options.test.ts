import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Expected, fits, type Script, startTestServer, type TestRequest } from '../harness.ts'

const test = suite('runtime/server: options of writes')
const wire = await startTestServer()
test.after(() => wire.stop())

const maps = '/api/v1/namespaces/default/configmaps'
const leases = '/apis/coordination.orch.io/v1/namespaces/default/leases'
const webs = '/apis/apps/v1/namespaces/default/deployments'
const json = { 'content-type': 'application/json' }
const yaml = { 'content-type': 'application/yaml' }
const merge = { 'content-type': 'application/merge-patch+json' }
const jsonPatch = { 'content-type': 'application/json-patch+json' }

const map = (name: string, data: object = {}) => ({ metadata: { name }, data })
const web = (name: string) => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'example/app:1' }] },
    },
  },
})

const post = (path: string, body: unknown, headers = json): TestRequest => ({
  method: 'POST',
  path,
  headers,
  body,
})
const put = (path: string, body: unknown, headers: TestRequest['headers'] = json): TestRequest => ({
  method: 'PUT',
  path,
  headers: { ...json, ...headers },
  body,
})
const patch = (path: string, body: unknown, headers = merge): TestRequest => ({
  method: 'PATCH',
  path,
  headers,
  body,
})

test.before(async () => {
  for (const name of ['a', 'dry']) fits(await wire.request(post(maps, map(name))), { status: 201 })
  fits(await wire.request(post(webs, web('web'))), { status: 201 })
})

const doubled =
  '{"metadata":{"name":"dup"},"data":{"k":"1","k":"2"},"more":1,"metadata":{"name":"dup"}}'
const doubledYaml = 'metadata:\n  name: dup\ndata:\n  k: "1"\n  k: "2"\nmore: 1\n'
const odd = {
  ...web('odd'),
  spec: {
    ...web('odd').spec,
    template: {
      metadata: { labels: { app: 'odd' } },
      spec: { containers: [{ name: 'main', image: 'example/app:1', imagePullPolice: 'Always' }] },
    },
  },
}

const validation: Script = [
  [
    'Strict names every unknown and every duplicate field of a JSON body (F-02, F-03, A4.20, A4.68, A7.1)',
    post(`${maps}?fieldValidation=Strict`, doubled),
    {
      status: 400,
      body: {
        reason: 'BadRequest',
        message:
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ' +
          'duplicate field "data.k", unknown field "more", duplicate field "metadata"',
      },
    },
  ],
  [
    'Strict names the line of a duplicate key in YAML (F-02, F-03)',
    post(`${maps}?fieldValidation=Strict`, doubledYaml, yaml),
    {
      status: 400,
      body: {
        message:
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ' +
          'yaml: unmarshal errors:\n  line 5: key "k" already set in map, unknown field "more"',
      },
    },
  ],
  [
    'a path goes through lists (F-02)',
    post(`${webs}?fieldValidation=Strict`, odd),
    {
      status: 400,
      body: { message: /unknown field "spec\.template\.spec\.containers\[0\]\.imagePullPolice"$/ },
    },
  ],
  [
    'Strict holds for a PUT as well (F-03)',
    put(`${maps}/a?fieldValidation=Strict`, { ...map('a'), more: 1 }),
    { status: 400, body: { message: /strict decoding error: unknown field "more"$/ } },
  ],
  [
    'and for what a merge patch adds (D-03, A4.68)',
    patch(`${maps}/a?fieldValidation=Strict`, '{"data":{"x":"1","x":"2"},"more":1}'),
    { status: 400, body: { message: /duplicate field "data\.x", unknown field "more"$/ } },
  ],
  [
    'the operations of a JSON patch have fields of their own (P-03)',
    patch(
      `${maps}/a?fieldValidation=Strict`,
      '[{"op":"add","op":"add","path":"/data","value":{},"why":"so"}]',
      jsonPatch,
    ),
    {
      status: 400,
      body: {
        message: /json patch unknown field "\[0\]\.why", json patch duplicate field "\[0\]\.op"$/,
      },
    },
  ],
  [
    'Ignore says nothing (F-04, A4.68)',
    post(`${maps}?fieldValidation=Ignore&dryRun=All`, doubled),
    { status: 201, body: { data: { k: '2' } } },
  ],
  [
    'another value is refused, with all other wrong options (F-01, A4.20)',
    post(`${maps}?fieldValidation=Loose&dryRun=Some&fieldManager=${'x'.repeat(129)}`, map('b')),
    {
      status: 422,
      body: {
        reason: 'Invalid',
        details: {
          kind: 'CreateOptions',
          causes: [{ field: 'fieldManager' }, { field: 'dryRun' }, { field: 'fieldValidation' }],
        },
      },
    },
  ],
]

const conditional: Script = [
  [
    'a PUT to an absent name creates where the kind allows it (W-12, W-01)',
    put(`${leases}/fresh`, { metadata: { name: 'fresh' } }),
    { status: 201, body: { kind: 'Lease', metadata: { name: 'fresh' } } },
  ],
  [
    'the next one needs the version, as its kind says; the refusal names the resource (D-13)',
    put(`${leases}/fresh`, { metadata: { name: 'fresh' }, spec: { holderIdentity: 'x' } }),
    {
      status: 422,
      body: {
        details: { kind: 'leases', group: 'coordination.orch.io', name: 'fresh' },
        message:
          'leases.coordination.orch.io "fresh" is invalid: metadata.resourceVersion: ' +
          'Invalid value: 0x0: must be specified for an update',
      },
    },
  ],
  [
    'elsewhere an absent name is not found (W-12)',
    put(`${maps}/none`, map('none')),
    { status: 404, body: { reason: 'NotFound', message: 'configmaps "none" not found' } },
  ],
  [
    'a dry PUT to an absent name creates nothing (F-11, A4.69)',
    put(`${leases}/dry?dryRun=All`, { metadata: { name: 'dry' } }),
    { status: 201, body: { metadata: { name: 'dry' } } },
  ],
  ['so it is still absent', { path: `${leases}/dry` }, { status: 404 }],
  [
    'If-Match asks for a version (D-08, A4.57, A7.3)',
    put(`${maps}/a`, map('a', { k: 'v' }), { 'if-match': '"1"' }),
    { status: 409, body: { reason: 'Conflict' } },
  ],
  [
    'of a patch, too (D-08)',
    patch(`${maps}/a`, { data: { k: 'v' } }, { ...merge, 'if-match': '1' } as typeof merge),
    { status: 409, body: { reason: 'Conflict' } },
  ],
  [
    'and of a delete (D-08)',
    { method: 'DELETE', path: `${maps}/a`, headers: { 'if-match': 'W/"1"' } },
    { status: 409, body: { reason: 'Conflict' } },
  ],
  [
    'any version will do for an asterisk (D-08)',
    put(`${maps}/a`, map('a', { k: 'v' }), { 'if-match': '*' }),
    { status: 200, body: { data: { k: 'v' } } },
  ],
  [
    'version 0 asks for none (D-13)',
    put(`${maps}/a`, { ...map('a', { k: 'v' }), metadata: { name: 'a', resourceVersion: '0' } }),
    { status: 200, body: { data: { k: 'v' } } },
  ],
  [
    'a version that is none is a bad request (L-10)',
    put(`${maps}/a`, { metadata: { name: 'a', resourceVersion: 'x' } }),
    { status: 400, body: { reason: 'BadRequest' } },
  ],
  [
    'a patch that names a stale version conflicts (W-15, A4.57)',
    patch(`${maps}/a`, { metadata: { resourceVersion: '1' } }),
    { status: 409, body: { reason: 'Conflict' } },
  ],
  [
    'a patch that changes the uid is refused like any immutable field (P-07)',
    patch(`${maps}/a`, { metadata: { uid: 'x' } }),
    { status: 422, body: { reason: 'Invalid' } },
  ],
  [
    'a patch that changes the name is refused (P-07)',
    patch(`${maps}/a`, { metadata: { name: 'b' } }),
    { status: 400, body: { reason: 'BadRequest' } },
  ],
  [
    'a patch of what is absent finds nothing (P-08)',
    patch(`${maps}/none`, {}),
    { status: 404, body: { reason: 'NotFound' } },
  ],
]

const dry = 'dryRun=All'
const dryRuns: Script = [
  [
    'a dry POST (F-11, A4.21, A4.69)',
    post(`${maps}?${dry}`, map('never')),
    { status: 201, body: { metadata: { name: 'never', uid: /.+/ } } },
  ],
  [
    'a dry POST of a taken name (F-11)',
    post(`${maps}?${dry}`, map('a')),
    { status: 409, body: { reason: 'AlreadyExists' } },
  ],
  [
    'a dry POST of a wrong object (F-11)',
    post(`${maps}?${dry}`, map('NEVER')),
    { status: 422, body: { reason: 'Invalid' } },
  ],
  [
    'a dry PUT (F-11)',
    put(`${maps}/dry?${dry}`, map('dry', { k: 'v' })),
    { status: 200, body: { data: { k: 'v' } } },
  ],
  [
    'a dry patch (F-11)',
    patch(`${maps}/dry?${dry}`, { data: { k: 'v' } }),
    { status: 200, body: { data: { k: 'v' } } },
  ],
  [
    'a dry patch of a subresource (F-11)',
    patch(`${webs}/web/status?${dry}`, { status: { replicas: 9 } }),
    { status: 200, body: { status: { replicas: 9 } } },
  ],
  [
    'without a value it is dry as well (D-04, A4.21)',
    patch(`${maps}/dry?dryRun=`, { data: { k: 'v' } }),
    { status: 200, body: { data: { k: 'v' } } },
  ],
  [
    'a dry DELETE answers as a real one (F-11, X-04)',
    { method: 'DELETE', path: `${maps}/dry?${dry}` },
    { status: 200, body: { kind: 'Status', status: 'Success', details: { name: 'dry' } } },
  ],
  [
    'dry by its body (X-01, F-11)',
    { method: 'DELETE', path: `${maps}/dry`, headers: json, body: { dryRun: ['All'] } },
    { status: 200, body: { kind: 'Status', status: 'Success' } },
  ],
  [
    'a dry DELETE that would leave a finalizer (F-11, X-09)',
    { method: 'DELETE', path: `${maps}/dry?${dry}&propagationPolicy=Foreground` },
    { status: 200, body: { metadata: { finalizers: ['foregroundDeletion'] } } },
  ],
  [
    'a dry DELETE of the collection (F-11, X-15)',
    { method: 'DELETE', path: `${maps}?${dry}&fieldSelector=metadata.name%3Ddry` },
    { status: 200, body: { kind: 'ConfigMapList', items: [{ metadata: { name: 'dry' } }] } },
  ],
  [
    'after all of that it is as it was (A4.69)',
    { path: `${maps}/dry` },
    {
      status: 200,
      body: { metadata: { name: 'dry', finalizers: undefined, deletionTimestamp: undefined } },
    },
  ],
  ['and nothing was made', { path: `${maps}/never` }, { status: 404 }],
]

for (const [fact, request, expected] of [...validation, ...conditional, ...dryRuns]) {
  test(fact, async () => fits(await wire.request(request), expected as Expected))
}

test('Warn sends a header for each text, by default (F-04, F-08, A4.68)', async () => {
  const reply = await wire.request(post(`${maps}?dryRun=All`, doubled))
  fits(reply, { status: 201 })
  assert.equal(
    reply.headers.warning,
    [
      '299 - "duplicate field \\"data.k\\""',
      '299 - "unknown field \\"more\\""',
      '299 - "duplicate field \\"metadata\\""',
    ].join(', '),
  )
  const silent = await wire.request(post(`${maps}?dryRun=All&fieldValidation=Ignore`, doubled))
  assert.is(silent.headers.warning, undefined)
})

test('a write that changes nothing keeps the version (W-05)', async () => {
  const before = await wire.request({ path: `${webs}/web` })
  const same = before.json()
  fits(await wire.request(put(`${webs}/web`, same)), { status: 200, body: before.text })
  fits(await wire.request(patch(`${webs}/web`, {})), { status: 200, body: before.text })
  fits(await wire.request(patch(`${webs}/web/status`, { status: {} })), {
    status: 200,
    body: before.text,
  })
  const noted = patch(
    `${webs}/web`,
    [{ op: 'test', path: '/kind', value: 'Deployment' }],
    jsonPatch,
  )
  fits(await wire.request(noted), { status: 200, body: before.text })
})

test('what identifies an object stays (W-08)', async () => {
  const changed = { deletionTimestamp: '2001-01-01T00:00:00Z', deletionGracePeriodSeconds: 3 }
  const reply = await wire.request(patch(`${maps}/a`, { metadata: changed }))
  const told = [
    { field: 'metadata.deletionTimestamp', message: /: field is immutable$/ },
    { field: 'metadata.deletionGracePeriodSeconds', message: /: field is immutable$/ },
  ]
  fits(reply, {
    status: 422,
    body: {
      reason: 'Invalid',
      details: {
        kind: 'ConfigMap',
        causes: [...told, ...told],
      },
    },
  })
  const before = await wire.request({ path: `${maps}/a` })
  const time = { creationTimestamp: '2001-01-01T00:00:00Z' }
  fits(await wire.request(patch(`${maps}/a`, { metadata: time })), {
    status: 200,
    body: before.text,
  })
  fits(await wire.request(put(`${maps}/a`, map('a', { k: 'v' }))), { status: 200 })
})

test.run()
