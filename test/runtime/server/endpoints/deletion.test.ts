import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import type { Scheme } from '../../../../runtime/kernel/descriptors/scheme.ts'
import { fakeClock } from '../../../support/clock.ts'
import { fits, type Script, startTestServer, type TestRequest } from '../harness.ts'

const test = suite('runtime/server: deletion')

/** The tree with a kind whose dependents stay behind unless the client says otherwise. */
const orphaning: Scheme = {
  ...scheme,
  routes: {
    ...scheme.routes,
    'apis/apps/v1/replicasets': {
      ...scheme.routes['apis/apps/v1/replicasets']!,
      dependents: 'Orphan',
      deleteWarning: 'what it made stays; say "Background" to take it along',
    },
  },
}

const wire = await startTestServer({
  scheme: orphaning,
  clock: fakeClock(Date.parse('2030-01-01T00:00:00Z')),
})
test.after(() => wire.stop())

const maps = '/api/v1/namespaces/default/configmaps'
const pods = '/api/v1/namespaces/default/pods'
const events = '/api/v1/namespaces/default/events'
const sets = '/apis/apps/v1/namespaces/default/replicasets'
const json = { 'content-type': 'application/json' }
const merge = { 'content-type': 'application/merge-patch+json' }

const template = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'main', image: 'example/app:1' }] },
}
const set = (name: string) => ({
  metadata: { name },
  spec: { selector: { matchLabels: { app: 'x' } }, template },
})
const pod = (name: string, spec: object = {}) => ({
  metadata: { name, labels: { app: name } },
  spec: { ...template.spec, ...spec },
})

const post = (path: string, body: unknown): TestRequest => ({
  method: 'POST',
  path,
  headers: json,
  body,
})
const remove = (path: string, body?: unknown, headers = json): TestRequest => ({
  method: 'DELETE',
  path,
  headers,
  ...(body !== undefined && { body }),
})
const made = (path: string, metadata: object & { name: string }, more: object = {}) =>
  [`${metadata.name} is made`, post(path, { ...more, metadata }), { status: 201 }] as const
const release = (path: string): TestRequest => ({
  method: 'PATCH',
  path,
  headers: merge,
  body: { metadata: { finalizers: null } },
})

/** Of an update it is told twice, as public servers tell it. */
const tooLate = {
  reason: 'FieldValueForbidden',
  message:
    'Forbidden: no new finalizers can be added if the object is being deleted, ' +
    'found new finalizers []string{"a.b/c"}',
  field: 'metadata.finalizers',
}

const policies: Script = [
  made(maps, { name: 'gone' }),
  [
    'what nothing keeps is gone, and a Status says whose uid (X-04, X-22, A3.3, A4.75)',
    remove(`${maps}/gone`),
    {
      status: 200,
      body: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'gone', kind: 'configmaps', uid: /.+/ },
        code: undefined,
      },
    },
  ],
  ['what is not there is not found (E-07)', remove(`${maps}/gone`), { status: 404 }],

  made(maps, { name: 'front' }),
  [
    'Foreground leaves its finalizer (X-05, X-09, A3.1)',
    remove(`${maps}/front`, { propagationPolicy: 'Foreground' }),
    {
      status: 200,
      body: {
        kind: 'ConfigMap',
        metadata: {
          deletionTimestamp: '2030-01-01T00:00:00Z',
          deletionGracePeriodSeconds: 0,
          finalizers: ['foregroundDeletion'],
        },
      },
    },
  ],
  [
    'a second delete without a policy leaves that of the first (X-06)',
    remove(`${maps}/front`),
    { status: 200, body: { metadata: { finalizers: ['foregroundDeletion'] } } },
  ],
  [
    'one with another policy changes it (X-06)',
    remove(`${maps}/front`, { propagationPolicy: 'Orphan' }),
    { status: 200, body: { metadata: { finalizers: ['orphan'] } } },
  ],
  [
    'a terminating object says so to whoever wants its name (E-08)',
    post(maps, { metadata: { name: 'front' } }),
    {
      status: 409,
      body: { message: 'object is being deleted: configmaps "front" already exists' },
    },
  ],
  [
    'a new finalizer comes too late (W-10)',
    {
      ...release(`${maps}/front`),
      body: { metadata: { finalizers: ['orphan', 'a.b/c'] } },
    },
    {
      status: 422,
      body: {
        details: {
          causes: [tooLate, tooLate],
        },
      },
    },
  ],
  [
    'the last finalizer ends it, and the answer still shows it (X-05, A3.2)',
    release(`${maps}/front`),
    { status: 200, body: { metadata: { name: 'front', finalizers: undefined } } },
  ],
  ['then it is gone', { path: `${maps}/front` }, { status: 404 }],

  made(maps, { name: 'orphan', finalizers: ['foregroundDeletion'] } as never),
  [
    'Orphan drives the other policy out (X-10, X-12)',
    remove(`${maps}/orphan`, { propagationPolicy: 'Orphan' }),
    { status: 200, body: { metadata: { finalizers: ['orphan'] } } },
  ],
  made(maps, { name: 'older' }),
  [
    'orphanDependents is the older word for it (X-01)',
    remove(`${maps}/older?orphanDependents=true`),
    { status: 200, body: { metadata: { finalizers: ['orphan'] } } },
  ],
  made(maps, { name: 'accepted', finalizers: ['a.b/c'] } as never),
  [
    'without orphans, and not gone at once, it is only accepted (X-07)',
    remove(`${maps}/accepted`, { orphanDependents: false }),
    { status: 202, body: { metadata: { finalizers: ['a.b/c'] } } },
  ],
  made(maps, { name: 'back', finalizers: ['orphan'] } as never),
  [
    'Background takes both away (X-08, X-12)',
    remove(`${maps}/back`, { propagationPolicy: 'Background' }),
    { status: 200, body: { kind: 'Status', details: { name: 'back' } } },
  ],
  [
    'an event never waits for dependents (X-08)',
    post(events, { metadata: { name: 'e' }, involvedObject: { namespace: 'default' } }),
    { status: 201 },
  ],
  [
    'whatever the policy',
    remove(`${events}/e`, { propagationPolicy: 'Foreground' }),
    { status: 200, body: { kind: 'Status' } },
  ],
  [
    'a kind may orphan where others do not',
    post(sets, set('kept')),
    { status: 201, body: { metadata: { generation: 1 } } },
  ],
  [
    'and warns whoever does not choose; the beginning of the end is a new intent (X-11, W-06)',
    remove(`${sets}/kept`),
    {
      status: 200,
      headers: { warning: '299 - "what it made stays; say \\"Background\\" to take it along"' },
      body: { metadata: { generation: 2, finalizers: ['orphan'] } },
    },
  ],
  ['another one', post(sets, set('told')), { status: 201 }],
  [
    'but not whoever does (X-11)',
    remove(`${sets}/told`, { propagationPolicy: 'Background' }),
    { status: 200, body: { kind: 'Status' } },
  ],
]

const checks: Script = [
  made(maps, { name: 'checked' }),
  [
    'both words for the policy are one too many (X-02)',
    remove(`${maps}/checked`, { orphanDependents: true, propagationPolicy: 'Orphan' }),
    {
      status: 422,
      body: {
        reason: 'Invalid',
        message:
          'DeleteOptions.meta.orch.io "" is invalid: propagationPolicy: Invalid value: "Orphan": ' +
          'orphanDependents and deletionPropagation cannot be both set',
        details: { group: 'meta.orch.io', kind: 'DeleteOptions' },
      },
    },
  ],
  [
    'an unknown policy and an unknown dry run are told at once (X-02)',
    remove(`${maps}/checked`, { propagationPolicy: 'Never', dryRun: ['Some'] }),
    {
      status: 422,
      body: { details: { causes: [{ field: 'propagationPolicy' }, { field: 'dryRun' }] } },
    },
  ],
  [
    'another uid is another object (X-03)',
    remove(`${maps}/checked`, { preconditions: { uid: 'other' } }),
    {
      status: 409,
      body: {
        reason: 'Conflict',
        message:
          /^Operation cannot be fulfilled on ConfigMap "checked": the UID in the precondition \(other\) does not match the UID in record \(.+\)\. The object might have been deleted and then recreated$/,
      },
    },
  ],
  [
    'so is another version (X-03)',
    remove(`${maps}/checked`, { preconditions: { resourceVersion: '1' } }),
    {
      status: 409,
      body: {
        message:
          /the ResourceVersion in the precondition \(1\) does not match the ResourceVersion in record \(\d+\)\. The object might have been modified$/,
      },
    },
  ],
  [
    'a body of the wrong kind is refused (X-01)',
    remove(`${maps}/checked`, { kind: 'ConfigMap' }),
    { status: 400, body: { reason: 'BadRequest' } },
  ],
  [
    'a body may name itself and its group (X-01)',
    remove(`${maps}/checked`, { kind: 'DeleteOptions', apiVersion: 'meta.orch.io/v1' }),
    { status: 200, body: { kind: 'Status' } },
  ],
  made(maps, { name: 'yaml' }),
  [
    'it may be YAML (X-01)',
    remove(`${maps}/yaml`, 'propagationPolicy: Orphan\n', { 'content-type': 'application/yaml' }),
    { status: 200, body: { metadata: { finalizers: ['orphan'] } } },
  ],
]

const grace: Script = [
  ['a pod without a node', post(pods, pod('free')), { status: 201 }],
  [
    'goes at once and is the answer (X-04, X-14)',
    remove(`${pods}/free`),
    {
      status: 200,
      body: {
        kind: 'Pod',
        metadata: { name: 'free', deletionTimestamp: '2030-01-01T00:00:00Z' },
      },
    },
  ],
  ['a pod on a node', post(pods, pod('held', { nodeName: 'worker' })), { status: 201 }],
  [
    'has its grace (X-14, D-12, A2.8)',
    remove(`${pods}/held`),
    {
      status: 200,
      body: {
        kind: 'Pod',
        metadata: { deletionTimestamp: '2030-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 },
      },
    },
  ],
  [
    'which a later delete can only shorten (X-06, X-14)',
    remove(`${pods}/held?gracePeriodSeconds=60`),
    { status: 200, body: { metadata: { deletionGracePeriodSeconds: 30 } } },
  ],
  [
    'to less than a second, if it is negative (X-14)',
    remove(`${pods}/held`, { gracePeriodSeconds: -5 }),
    {
      status: 200,
      body: {
        metadata: { deletionTimestamp: '2030-01-01T00:00:01Z', deletionGracePeriodSeconds: 1 },
      },
    },
  ],
  [
    'and the agent ends it with none at all (X-14)',
    remove(`${pods}/held`, { gracePeriodSeconds: 0 }),
    { status: 200, body: { kind: 'Pod' } },
  ],
  ['then it is gone', { path: `${pods}/held` }, { status: 404 }],
]

const collection: Script = [
  ...['c1', 'c2', 'c3', 'other'].map((name) =>
    made(maps, { name, labels: { of: name === 'other' ? 'nobody' : 'all' } } as never),
  ),
  [
    'a selector chooses, a limit bounds (X-15)',
    remove(`${maps}?labelSelector=of%3Dall&limit=2`),
    {
      status: 200,
      body: {
        kind: 'ConfigMapList',
        metadata: { resourceVersion: /\d+/ },
        items: [{ metadata: { name: 'c1' } }, { metadata: { name: 'c2' } }],
      },
    },
  ],
  [
    'preconditions hold for each (X-03, X-15)',
    remove(`${maps}?labelSelector=of%3Dall`, { preconditions: { uid: 'other' } }),
    { status: 409, body: { reason: 'Conflict' } },
  ],
  [
    'so do the other options (X-15)',
    remove(`${maps}?fieldSelector=metadata.name%3Dc3`, { propagationPolicy: 'Orphan' }),
    { status: 200, body: { items: [{ metadata: { name: 'c3' } }] } },
  ],
  [
    'c3 waits for its orphans (X-15)',
    { path: `${maps}/c3` },
    { status: 200, body: { metadata: { finalizers: ['orphan'] } } },
  ],
  ['the others are as they were', { path: `${maps}/other` }, { status: 200 }],
  [
    'namespaces are deleted one by one (X-16)',
    remove('/api/v1/namespaces'),
    { status: 405, headers: { allow: 'GET, POST' } },
  ],
  [
    'some never (X-16)',
    remove('/api/v1/namespaces/default'),
    {
      status: 403,
      body: {
        reason: 'Forbidden',
        message: 'namespaces "default" is forbidden: this namespace may not be deleted',
      },
    },
  ],
]

for (const [fact, request, expected] of [...policies, ...checks, ...grace, ...collection]) {
  test(fact, async () => fits(await wire.request(request), expected))
}

test('what is said of each deletion of a collection is said once (X-15)', async () => {
  const path = '/apis/apps/v1/namespaces/orch-public/replicasets'
  for (const name of ['s1', 's2']) fits(await wire.request(post(path, set(name))), { status: 201 })
  const warning = '299 - "what it made stays; say \\"Background\\" to take it along"'
  fits(await wire.request(remove(path)), { status: 200, headers: { warning } })
  const kind = await wire.request(remove(path, { propagationPolicy: 'Background' }))
  assert.is(kind.headers.warning, undefined)
})

test('pages of a collection are deleted with the token of the last one (X-15, A4.18, A4.19)', async () => {
  const path = '/api/v1/namespaces/orch-public/configmaps'
  for (const name of ['p1', 'p2', 'p3']) await wire.request(post(path, { metadata: { name } }))
  const first = (await wire.request({ path: `${path}?limit=2` })).json() as {
    metadata: { continue: string }
  }
  const rest = await wire.request(remove(`${path}?limit=2&continue=${first.metadata.continue}`))
  fits(rest, { status: 200, body: { items: [{ metadata: { name: 'p3' } }] } })
  const left = (await wire.request({ path })).json() as { items: readonly unknown[] }
  assert.is(left.items.length, 2)
})

test.run()
