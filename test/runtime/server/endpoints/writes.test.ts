import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { silentLog } from '../../../../runtime/observe/observe.ts'
import { fits, type Script, startTestServer } from '../harness.ts'

const test = suite('runtime/server: writes')
const bugs: string[] = []
const log = { ...silentLog, error: (event: string) => bugs.push(event) }
const wire = await startTestServer({ log })
test.after(() => wire.stop())

const maps = '/api/v1/namespaces/default/configmaps'
const json = { 'content-type': 'application/json' }
const merge = { 'content-type': 'application/merge-patch+json' }
const map = (name: string) => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } })

const malformed: Script = [
  [
    'a name with half a surrogate pair in a body is invalid (W-13)',
    { method: 'POST', path: maps, headers: json, body: '{"metadata":{"name":"a\\ud800"}}' },
    { status: 422, body: { reason: 'Invalid' } },
  ],
  [
    'a generated name with one is, too (W-02)',
    { method: 'POST', path: maps, headers: json, body: '{"metadata":{"generateName":"a\\ud800"}}' },
    { status: 422, body: { reason: 'Invalid' } },
  ],
  [
    'a label key with one is invalid (W-09)',
    {
      method: 'POST',
      path: maps,
      headers: json,
      body: '{"metadata":{"name":"a","labels":{"\\ud800":"x"}}}',
    },
    { status: 422, body: { reason: 'Invalid' } },
  ],
  [
    'a finalizer with NUL is invalid (W-10)',
    {
      method: 'POST',
      path: maps,
      headers: json,
      body: '{"metadata":{"name":"a","finalizers":["x/\\u0000"]}}',
    },
    { status: 422, body: { reason: 'Invalid' } },
  ],
  [
    'a namespace with NUL does not exist (R-16)',
    { method: 'POST', path: '/api/v1/namespaces/a%00/configmaps', headers: json, body: map('a') },
    { status: 404, body: { reason: 'NotFound' } },
  ],
  ...(['PUT', 'DELETE', 'GET', 'PATCH'] as const).map(
    (method) =>
      [
        `${method} of a name with NUL finds nothing (E-07)`,
        {
          method,
          path: `${maps}/a%00b`,
          headers: method === 'PATCH' ? merge : json,
          ...(method === 'PUT' && { body: map('a\0b') }),
          ...(method === 'PATCH' && { body: {} }),
        },
        { status: 404, body: { kind: 'Status', reason: 'NotFound' } },
      ] as const,
  ),
  ['an encoded slash is one (R-14)', { method: 'GET', path: `${maps}/a%2Fb` }, { status: 404 }],
  [
    'a name with an encoded percent sign is none',
    { method: 'DELETE', path: `${maps}/a%252Fb` },
    {
      status: 400,
      body: { message: `Name parameter invalid: "a%2Fb": may not contain '%'` },
    },
  ],
  [
    'listing a malformed namespace finds nothing',
    { path: '/api/v1/namespaces/a%00/configmaps?limit=5' },
    { status: 200, body: { items: [] } },
  ],
  [
    'so does deleting what it holds',
    { method: 'DELETE', path: '/api/v1/namespaces/a%00/configmaps' },
    { status: 200, body: { items: [] } },
  ],
]

const space = '/api/v1/namespaces/held'
const finalize: Script = [
  [
    'a namespace begins with a finalizer of the platform (I-11)',
    { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'held' } } },
    { status: 201, body: { spec: { finalizers: ['orch'] } } },
  ],
  [
    'it is in discovery with its verb (S-04)',
    { path: '/api/v1' },
    { status: 200, body: /"name":"namespaces\/finalize",[^}]*"verbs":\["update"\]/ },
  ],
  [
    'the finalize path takes PUT only',
    { path: `${space}/finalize` },
    { status: 405, headers: { allow: 'PUT' } },
  ],
  [
    'it changes the finalizers, and the status stays (X-16)',
    {
      method: 'PUT',
      path: `${space}/finalize`,
      body: { metadata: { name: 'held' }, spec: { finalizers: ['a.example.com/x'] }, status: {} },
    },
    {
      status: 200,
      body: { spec: { finalizers: ['a.example.com/x'] }, status: { phase: 'Active' } },
    },
  ],
  [
    'a deleted namespace is terminating (X-16)',
    { method: 'DELETE', path: space },
    { status: 200, body: { kind: 'Namespace', status: { phase: 'Terminating' } } },
  ],
  [
    'the last finalizer ends it, and the answer still shows it (X-05, X-16)',
    {
      method: 'PUT',
      path: `${space}/finalize`,
      body: { metadata: { name: 'held' }, spec: { finalizers: [] } },
    },
    { status: 200, body: { kind: 'Namespace' } },
  ],
  ['then it is gone', { path: space }, { status: 404 }],
]

const events = '/api/v1/namespaces/default/events'
const event = {
  metadata: { name: 'seen' },
  involvedObject: { namespace: 'default' },
  source: { component: 'orchlet', host: 'worker' },
}
const selectors: Script = [
  ['an event is made', { method: 'POST', path: events, body: event }, { status: 201 }],
  [
    'the source of an event is the component that saw it (L-12)',
    { path: `${events}?fieldSelector=source%3Dorchlet` },
    { status: 200, body: { items: [{ metadata: { name: 'seen' } }] } },
  ],
  [
    'and nothing else',
    { path: `${events}?fieldSelector=source%3Dworker` },
    { status: 200, body: { items: [] } },
  ],
]

for (const [fact, request, expected] of [...malformed, ...finalize, ...selectors]) {
  test(fact, async () => fits(await wire.request(request), expected))
}

test('none of this is a fault of ours', () => {
  assert.equal(bugs, [])
})

test.run()
