/** What requests to a real server leave in the audit log. U-01, U-02, U-04 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { platform } from '../../../../generated/platform.ts'
import { scheme as generated } from '../../../../generated/scheme.ts'
import { type AuditPolicy, createAuditor } from '../../../../runtime/audit/audit.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../../runtime/observe/observe.ts'
import { until } from '../../../support/until.ts'
import { contains, startTestServer, type TestRequest } from '../harness.ts'

const test = suite('runtime/server: audit')

type Event = Readonly<Record<string, unknown>>

const events: Event[] = []
const policy: AuditPolicy = {
  rules: [
    { level: 'None', nonResourceURLs: ['/livez*'] },
    { level: 'Metadata', resources: [{ resources: ['secrets'] }] },
    {
      level: 'Request',
      resources: [{ resources: ['services'] }],
      omitStages: ['RequestReceived'],
    },
    {
      level: 'RequestResponse',
      resources: [{ resources: ['configmaps'] }],
      omitStages: ['RequestReceived'],
      omitManagedFields: true,
    },
    { level: 'Metadata', namespaces: ['orch-public'], omitStages: ['RequestReceived'] },
    { level: 'Request', namespaces: ['orch-node-lease'], omitStages: ['RequestReceived'] },
    {
      level: 'RequestResponse',
      resources: [{ resources: ['namespaces'] }],
      omitStages: ['RequestReceived'],
    },
    { level: 'Metadata' },
  ],
}
const auditor = createAuditor(
  { policy, log: { output: (line) => void events.push(JSON.parse(line) as Event) } },
  { platform, clock: systemClock, log: silentLog },
)
const secrets = {
  group: '',
  version: 'v1',
  deprecated: '1.28',
  removed: '1.31',
  resources: { secrets: 'Secret' },
}
const tree = { ...generated, removals: [...(generated.removals ?? []), secrets] }
const wire = await startTestServer({ auditor, scheme: tree })
test.after(() => wire.stop())

const inside = '/api/v1/namespaces/default'
const json = { 'content-type': 'application/json' }
const yaml = { 'content-type': 'application/yaml', accept: 'application/yaml' }
const binary = { accept: 'application/vnd.orch.protobuf' }

const rows: readonly (readonly [string, TestRequest, readonly object[]])[] = [
  ['None leaves nothing', { path: '/livez/ping' }, []],
  [
    'Metadata leaves no bodies, but both stages and what was made',
    {
      method: 'POST',
      path: `${inside}/secrets`,
      headers: { ...json, 'user-agent': 'me/1', 'x-forwarded-for': '10.0.0.9, nonsense' },
      body: { metadata: { name: 's' } },
    },
    [
      {
        kind: 'Event',
        apiVersion: 'audit.orch.io/v1',
        level: 'Metadata',
        stage: 'RequestReceived',
        verb: 'create',
        requestURI: `${inside}/secrets`,
        user: { username: 'system:anonymous', groups: ['system:unauthenticated'] },
        sourceIPs: ['10.0.0.9', '127.0.0.1'],
        userAgent: 'me/1',
        objectRef: { resource: 'secrets', namespace: 'default', apiVersion: 'v1' },
        responseStatus: undefined,
      },
      {
        stage: 'ResponseComplete',
        objectRef: {
          resource: 'secrets',
          name: 's',
          uid: /^[\da-f-]{36}$/,
          resourceVersion: /^\d+$/,
        },
        responseStatus: { metadata: {}, code: 201 },
        requestObject: undefined,
        responseObject: undefined,
        annotations: { 'orch.io/deprecated': 'true', 'orch.io/removed-release': '1.31' },
      },
    ],
  ],
  [
    'Request leaves what was sent, as it was read: JSON of its kind, with defaults',
    {
      method: 'POST',
      path: `${inside}/services?dryRun=All`,
      headers: yaml,
      body: 'metadata:\n  name: web\nspec:\n  ports: [{port: 80}]\n',
    },
    [
      {
        level: 'Request',
        requestObject: {
          kind: 'Service',
          apiVersion: 'v1',
          metadata: { name: 'web', creationTimestamp: null },
          spec: {
            ports: { 0: { protocol: 'TCP', port: 80, targetPort: 80 } },
            sessionAffinity: 'None',
            type: 'ClusterIP',
          },
        },
        responseObject: undefined,
      },
    ],
  ],
  [
    'defaults that follow from other fields are in it, unknown fields are not',
    {
      method: 'POST',
      path: '/api/v1/namespaces/orch-node-lease/pods?dryRun=All',
      headers: json,
      body: {
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
        other: 1,
      },
    },
    [
      {
        requestObject: {
          metadata: { name: 'p', namespace: undefined },
          spec: { restartPolicy: 'Always', containers: { 0: { imagePullPolicy: 'Always' } } },
          other: undefined,
        },
      },
    ],
  ],
  [
    'a patch is recorded as it was sent',
    {
      method: 'PATCH',
      path: '/api/v1/namespaces/orch-node-lease',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { metadata: { labels: { a: 'b' } }, other: 1 },
    },
    [{ requestObject: { metadata: { labels: { a: 'b' } }, other: 1, kind: undefined } }],
  ],
  [
    'what somebody was refused to make is named',
    {
      method: 'POST',
      path: `${inside}/secrets`,
      headers: json,
      body: { metadata: { name: 'A B' } },
    },
    [{}, { objectRef: { name: 'A B' }, responseStatus: { code: 422 }, requestObject: undefined }],
  ],
  [
    'RequestResponse leaves both, without field ownership if it is omitted',
    {
      method: 'POST',
      path: `${inside}/configmaps`,
      headers: yaml,
      body: 'metadata:\n  generateName: c-\ndata: {a: b}\n',
    },
    [
      {
        objectRef: { name: /^c-/ },
        requestObject: { metadata: { generateName: 'c-' }, data: { a: 'b' } },
        responseObject: {
          kind: 'ConfigMap',
          data: { a: 'b' },
          metadata: { managedFields: undefined },
        },
      },
    ],
  ],
  [
    'a body with line breaks stays one line',
    {
      method: 'POST',
      path: '/api/v1/namespaces',
      headers: json,
      body: '{\n  "metadata": {\n "name": "lines" } }',
    },
    [
      {
        requestObject: { metadata: { name: 'lines' } },
        responseObject: {
          kind: 'Namespace',
          metadata: { managedFields: { 0: { operation: 'Update' } } },
        },
      },
    ],
  ],
  [
    'a get leaves the stored object',
    { path: '/api/v1/namespaces/lines' },
    [
      {
        verb: 'get',
        objectRef: { resource: 'namespaces', namespace: 'lines', name: 'lines' },
        responseObject: { kind: 'Namespace', metadata: { name: 'lines' } },
      },
    ],
  ],
  [
    'an answer in protobuf is recorded as JSON',
    { path: '/api/v1/namespaces/lines', headers: binary },
    [{ responseObject: { metadata: { name: 'lines' } } }],
  ],
  [
    'indented text is recorded as a line',
    { path: '/api/v1/namespaces/lines?pretty=true' },
    [{ responseObject: { metadata: { name: 'lines' } } }],
  ],
  [
    'a namespace is inside itself',
    { path: '/api/v1/namespaces/orch-public' },
    [{ level: 'Metadata', responseObject: undefined }],
  ],
  [
    'a refusal leaves its Status',
    { path: `${inside}/configmaps/none` },
    [
      {
        responseStatus: {
          metadata: {},
          status: 'Failure',
          message: 'configmaps "none" not found',
          reason: 'NotFound',
          details: { name: 'none', kind: 'configmaps' },
          code: 404,
        },
        responseObject: { kind: 'Status' },
      },
    ],
  ],
  [
    'a body that cannot be read leaves no object',
    { method: 'POST', path: '/api/v1/namespaces', headers: json, body: '{"a":' },
    [{ requestObject: undefined, responseStatus: { code: 400 } }],
  ],
  [
    'a body of a type that is not read leaves no object',
    {
      method: 'POST',
      path: '/api/v1/namespaces',
      headers: { 'content-type': 'text/plain' },
      body: '{"metadata":{"name":"plain"}}',
    },
    [{ requestObject: undefined, responseStatus: { code: 415 } }],
  ],
  [
    'a path that is no resource has the method for its verb and no object',
    { path: '/version' },
    [
      { verb: 'get', objectRef: undefined },
      { stage: 'ResponseComplete', responseStatus: { code: 200 } },
    ],
  ],
  [
    'a list of one name is about that name (R-02)',
    { path: `${inside}/configmaps?fieldSelector=metadata.name%3Dnone` },
    [{ verb: 'list', objectRef: { resource: 'configmaps', name: 'none' } }],
  ],
  [
    'a watch leaves its beginning and its end',
    { path: `${inside}/secrets?watch=true&timeoutSeconds=1` },
    [
      { verb: 'watch', stage: 'RequestReceived' },
      { stage: 'ResponseStarted', responseStatus: { code: 200 } },
      { stage: 'ResponseComplete', responseStatus: { code: 200 } },
    ],
  ],
]

for (const [fact, request, want] of rows) {
  test(fact, async () => {
    events.length = 0
    const reply = await wire.request(request)
    await until('recorded', () => events.length >= want.length)
    assert.is(events.length, want.length, JSON.stringify(events))
    for (const [at, one] of want.entries()) {
      contains(events[at], one, String(at))
      assert.is(events[at]?.auditID, reply.headers['audit-id'])
    }
  })
}

test.run()
