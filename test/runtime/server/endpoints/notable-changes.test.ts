/**
 * A9.54: what the versions of today hold, as against those that are gone. Each row is sent to a real server, and nothing
 * is kept: dry runs.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { removals } from '../../../../generated/removals.ts'
import { scheme } from '../../../../generated/scheme.ts'
import {
  type DisruptionBudget,
  matchingBudgets,
} from '../../../../runtime/registry/subresources/disruption-budgets.ts'
import { certificateRequest, rootCertificate } from '../../../support/certificates.ts'
import { contains, fits, startTestServer, type TestResponse } from '../harness.ts'

const test = suite('runtime/server: notable changes in the new versions')

const wire = await startTestServer()
test.after(() => wire.stop())

const domain = 'orch.io'

/** Creates an object of a kind, whose path has `default` for a namespace where it needs one. */
function create(path: string, body: object): Promise<TestResponse> {
  const metadata = { name: 'thing' }
  return wire.request({
    method: 'POST',
    path: `${path}?dryRun=All&fieldValidation=Strict`,
    headers: { 'content-type': 'application/json' },
    body: { metadata, ...body },
  })
}

type Row = readonly [fact: string, path: string, body: object, want: object | readonly RegExp[]]

const flow = `/apis/flowcontrol.apiserver.${domain}`
const limited = (more: object) => ({
  spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...more } },
})
const shares = (nominalConcurrencyShares: number) => ({
  spec: { limited: { nominalConcurrencyShares } },
})
const levels = 'prioritylevelconfigurations'

const slices = `/apis/discovery.${domain}/v1/namespaces/default/endpointslices`
const slice = (more: object) => ({
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'], ...more }],
})

const happened = `/apis/events.${domain}/v1/namespaces/default/events`
const event = (more: object) => ({
  eventTime: '2024-01-01T00:00:00.000000Z',
  type: 'Normal',
  action: 'Started',
  reason: 'Asked',
  note: 'Said.',
  regarding: { kind: 'Pod', name: 'web', namespace: 'default' },
  reportingController: 'demo',
  reportingInstance: 'demo-1',
  ...more,
})
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'

const hooks = `/apis/admissionregistration.${domain}/v1`
const hook = (more: object) => ({
  webhooks: [
    {
      name: 'one.example.com',
      clientConfig: { url: 'https://example.com/' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1', 'v1beta1'],
      ...more,
    },
  ],
})
const defaults = { failurePolicy: 'Fail', matchPolicy: 'Equivalent', timeoutSeconds: 10 }

const definitions = `/apis/apiextensions.${domain}/v1/customresourcedefinitions`
const version = (more: object) => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object' } },
  ...more,
})
const definition = (more: object) => ({
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'things', kind: 'Thing' },
    scope: 'Cluster',
    versions: [version({})],
    ...more,
  },
})

const reviews = `/apis/authorization.${domain}/v1/subjectaccessreviews`
const requests = `/apis/certificates.${domain}/v1/certificatesigningrequests`
const ingresses = `/apis/networking.${domain}/v1/namespaces/default/ingresses`
const backend = (port: object) => ({ service: { name: 'web', port } })
const http = (more: object) => ({
  paths: [{ path: '/', pathType: 'Prefix', backend: backend({ number: 80 }), ...more }],
})

const apps = '/apis/apps/v1/namespaces/default'
const labels = { app: 'web' }
const template = {
  metadata: { labels },
  spec: { containers: [{ name: 'web', image: 'web' }] },
}
const workload = (more: object) => ({
  spec: { selector: { matchLabels: labels }, template, ...more },
})
const unselected = [/spec\.selector/]
const rolling = { type: 'RollingUpdate' }
const stateful = { serviceName: 'web' }

/** By statement: what is asked for, and the parts of the answer, or of the refusal. */
const rows: Readonly<Record<string, readonly Row[]>> = {
  'A9.55': [
    ['unset shares are 30', `${flow}/v1/${levels}`, limited({}), shares(30)],
    [
      'a zero that is meant stays',
      `${flow}/v1/${levels}`,
      limited({ nominalConcurrencyShares: 0 }),
      shares(0),
    ],
    [
      'v1beta3 has the new name',
      `${flow}/v1beta3/${levels}`,
      limited({ nominalConcurrencyShares: 7 }),
      shares(7),
    ],
    [
      'the old name is unknown',
      `${flow}/v1/${levels}`,
      limited({ assuredConcurrencyShares: 7 }),
      [/unknown field \\"spec\.limited\.assuredConcurrencyShares/],
    ],
  ],
  'A9.56': [
    [
      'node and zone have fields',
      slices,
      slice({ nodeName: 'n', zone: 'z' }),
      { endpoints: [{ nodeName: 'n', zone: 'z' }] },
    ],
    [
      'the topology of old cannot be written',
      slices,
      slice({ deprecatedTopology: { a: 'b' } }),
      { endpoints: [{ deprecatedTopology: undefined }] },
    ],
    [
      'topology is unknown',
      slices,
      slice({ topology: { a: 'b' } }),
      [/unknown field \\"endpoints\[0\]\.topology/],
    ],
  ],
  'A9.57': [
    [
      'an event has its new names',
      happened,
      event({}),
      { regarding: { name: 'web' }, note: 'Said.', reportingController: 'demo' },
    ],
    [
      'the old ones are unknown',
      happened,
      event({ involvedObject: {}, message: 'Said.' }),
      [/unknown field \\"involvedObject\\"/, /unknown field \\"message\\"/],
    ],
    // D-25
    ['what is from older times stays unset', happened, event({ deprecatedCount: 1 }), [/count/]],
    ['it has an action', happened, event({ action: undefined }), [/action/]],
    ['a reason', happened, event({ reason: undefined }), [/reason/]],
    ['a controller', happened, event({ reportingController: undefined }), [/reportingController/]],
    ['an instance', happened, event({ reportingInstance: undefined }), [/reportingInstance/]],
    ['and one of two types', happened, event({ type: 'Strange' }), [/type/]],
  ],
  'A6.6': [
    [
      'an event of a warning and of a normal thing',
      happened,
      event({ type: 'Warning' }),
      { type: 'Warning', action: 'Started', reason: 'Asked', reportingInstance: 'demo-1' },
    ],
    [
      'its times and counts',
      happened,
      event({ series: { count: 2, lastObservedTime: '2024-01-01T00:00:01.000000Z' } }),
      {
        eventTime: '2024-01-01T00:00:00.000000Z',
        series: { count: 2, lastObservedTime: '2024-01-01T00:00:01.000000Z' },
      },
    ],
    ['no other type', happened, event({ type: 'Error' }), [/type/]],
    ...['FirstTimestamp', 'LastTimestamp'].map(
      (field) =>
        [
          `deprecated${field} stays unset`,
          happened,
          event({ [`deprecated${field}`]: '2024-01-01T00:00:00Z' }),
          [new RegExp(field, 'i')],
        ] as const,
    ),
    ...['component', 'host'].map(
      (field) =>
        [
          `deprecatedSource.${field} stays unset`,
          happened,
          event({ deprecatedSource: { [field]: 'x' } }),
          [/source/],
        ] as const,
    ),
  ],
  'A9.58': [
    ['an empty selector is one', budgets, { spec: { selector: {} } }, { spec: { selector: {} } }],
    ['none is none', budgets, { spec: {} }, { spec: { selector: undefined } }],
  ],
  'A9.59': [
    [
      'defaults are the safe ones',
      `${hooks}/validatingwebhookconfigurations`,
      hook({}),
      { webhooks: [defaults] },
    ],
    [
      'of the other kind too',
      `${hooks}/mutatingwebhookconfigurations`,
      hook({}),
      { webhooks: [defaults] },
    ],
    [
      'side effects are given',
      `${hooks}/validatingwebhookconfigurations`,
      hook({ sideEffects: undefined }),
      [/webhooks\[0\]\.sideEffects: Required/],
    ],
    [
      'review versions are given',
      `${hooks}/validatingwebhookconfigurations`,
      hook({ admissionReviewVersions: undefined }),
      [/webhooks\[0\]\.admissionReviewVersions: Required/],
    ],
  ],
  'A9.60': [
    ['a definition as it is now', definitions, definition({}), { spec: { scope: 'Cluster' } }],
    [
      'the scope is given',
      definitions,
      definition({ scope: undefined }),
      [/spec\.scope: Required/],
    ],
    [
      'there is no version beside the list',
      definitions,
      definition({ version: 'v1' }),
      [/unknown field \\"spec\.version\\"/],
    ],
    [
      'nor validation',
      definitions,
      definition({ validation: {} }),
      [/unknown field \\"spec\.validation\\"/],
    ],
    [
      'nor subresources',
      definitions,
      definition({ subresources: {} }),
      [/unknown field \\"spec\.subresources\\"/],
    ],
    [
      'nor columns',
      definitions,
      definition({ additionalPrinterColumns: [] }),
      [/unknown field \\"spec\.additionalPrinterColumns\\"/],
    ],
    [
      'a webhook converts under its own field',
      definitions,
      definition({ conversion: { strategy: 'None', webhookClientConfig: {} } }),
      [/unknown field \\"spec\.conversion\.webhookClientConfig\\"/],
    ],
    [
      'and so do its versions',
      definitions,
      definition({ conversion: { strategy: 'None', conversionReviewVersions: [] } }),
      [/unknown field \\"spec\.conversion\.conversionReviewVersions\\"/],
    ],
    [
      'the path of a column has another case',
      definitions,
      definition({
        versions: [
          version({ additionalPrinterColumns: [{ name: 'A', type: 'string', JSONPath: '.spec' }] }),
        ],
      }),
      [/unknown field \\"spec\.versions\[0\]\.additionalPrinterColumns\[0\]\.JSONPath\\"/],
    ],
  ],
  'A9.61': [
    [
      'group is unknown',
      reviews,
      { metadata: {}, spec: { user: 'jane', group: ['a'] } },
      [/unknown field \\"spec\.group\\"/],
    ],
  ],
  'A9.62': [
    [
      'the signer is given',
      requests,
      { spec: { request: 'AA==', usages: ['client auth'] } },
      [/spec\.signerName: Required/],
    ],
    [
      'and is not the one of old',
      requests,
      {
        spec: { request: 'AA==', signerName: `${domain}/legacy-unknown`, usages: ['client auth'] },
      },
      [/spec\.signerName: Invalid/],
    ],
    [
      'usages are given',
      requests,
      { spec: { request: 'AA==', signerName: 'example.com/a' } },
      [/spec\.usages: Required/],
    ],
    [
      'known',
      requests,
      { spec: { request: 'AA==', signerName: 'example.com/a', usages: ['nothing'] } },
      [/spec\.usages\[0\]: (Unsupported|Invalid)/],
    ],
    [
      'and given once',
      requests,
      {
        spec: {
          request: 'AA==',
          signerName: 'example.com/a',
          usages: ['client auth', 'client auth'],
        },
      },
      [/spec\.usages\[1\]: Duplicate/],
    ],
  ],
  'A9.63': [
    [
      'the default backend has a new name',
      ingresses,
      { spec: { defaultBackend: backend({ number: 80 }) } },
      { spec: { defaultBackend: backend({ number: 80 }) } },
    ],
    [
      'and not the old one',
      ingresses,
      { spec: { backend: {} } },
      [/unknown field \\"spec\.backend\\"/],
    ],
    [
      'a port may be a name',
      ingresses,
      { spec: { defaultBackend: backend({ name: 'http' }) } },
      { spec: { defaultBackend: backend({ name: 'http' }) } },
    ],
    [
      'the flat names are gone',
      ingresses,
      { spec: { defaultBackend: { serviceName: 'web', servicePort: 80 } } },
      [
        /unknown field \\"spec\.defaultBackend\.serviceName\\"/,
        /unknown field \\"spec\.defaultBackend\.servicePort\\"/,
      ],
    ],
    [
      'a path says its type',
      ingresses,
      { spec: { rules: [{ http: http({ pathType: undefined }) }] } },
      [/spec\.rules\[0\]\.http\.paths\[0\]\.pathType: Required/],
    ],
    [
      'which is one of three',
      ingresses,
      { spec: { rules: [{ http: http({ pathType: 'Regex' }) }] } },
      [/pathType: Unsupported.*Exact.*ImplementationSpecific.*Prefix/],
    ],
  ],
  'A9.64': [
    ['a set rolls', `${apps}/daemonsets`, workload({}), { spec: { updateStrategy: rolling } }],
    [
      'its selector is given',
      `${apps}/daemonsets`,
      { spec: { template } },
      [/`selector` does not match template `labels`/],
    ],
    [
      'it counts no generations',
      `${apps}/daemonsets`,
      workload({ templateGeneration: 1 }),
      [/unknown field \\"spec\.templateGeneration\\"/],
    ],
  ],
  'A9.65': [
    [
      'a deployment has its defaults',
      `${apps}/deployments`,
      workload({}),
      {
        spec: {
          progressDeadlineSeconds: 600,
          revisionHistoryLimit: 10,
          strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        },
      },
    ],
    ['its selector is given', `${apps}/deployments`, { spec: { template } }, unselected],
    [
      'it does not roll back by itself',
      `${apps}/deployments`,
      workload({ rollbackTo: {} }),
      [/unknown field \\"spec\.rollbackTo\\"/],
    ],
  ],
  'A9.66': [
    [
      'a set rolls',
      `${apps}/statefulsets`,
      workload(stateful),
      { spec: { updateStrategy: rolling } },
    ],
    [
      'its selector is given',
      `${apps}/statefulsets`,
      { spec: { template, ...stateful } },
      unselected,
    ],
  ],
  'A9.67': [['its selector is given', `${apps}/replicasets`, { spec: { template } }, unselected]],
}

for (const [id, cases] of Object.entries(rows)) {
  for (const [fact, path, body, want] of cases) {
    const plural = path.split('/').at(-1)
    test(`${id}: ${plural}: ${fact}`, async () => {
      const reply = await create(path, body)
      if (!Array.isArray(want)) fits(reply, { status: 201, body: want })
      else
        for (const each of want)
          fits(reply, { status: reply.status < 400 ? 422 : reply.status, body: each })
    })
  }
}

// A9.58
test('an empty selector of a budget selects all pods, none selects none', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', labels } }
  const budget = (spec: DisruptionBudget['spec']): DisruptionBudget => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'thing' },
    ...(spec && { spec }),
  })
  const all = budget({ selector: {} })
  const none = budget({})
  assert.equal(matchingBudgets(pod, [all, none]), [all])
})

// A9.53
test('what was stored in a version that is gone is there in the one that took its place', () => {
  const replaced = removals.filter(({ replacement }) => replacement !== undefined)
  assert.ok(replaced.length > 20)
  for (const { replacement = '', resources } of replaced) {
    for (const [plural, kind] of Object.entries(resources)) {
      assert.is(
        scheme.routes[`apis/${replacement}/${plural}`]?.kind,
        kind,
        `${replacement} ${kind}`,
      )
    }
  }
})

// A9.24
test('flow control of v1beta3 is served, with a warning that names its end', async () => {
  fits(await wire.request({ path: `${flow}/v1beta3/flowschemas` }), {
    status: 200,
    headers: {
      warning:
        '299 - "flowcontrol.apiserver.orch.io/v1beta3 FlowSchema is deprecated in v1.29+, unavailable in v1.32+; ' +
        'use flowcontrol.apiserver.orch.io/v1 FlowSchema"',
    },
  })
  const { headers } = await wire.request({ path: `${flow}/v1/flowschemas` })
  assert.is(headers.warning, undefined)
})

// A1.9
test('the release is 1.29', async () => {
  fits(await wire.request({ path: '/version' }), { status: 200, body: { major: '1', minor: '29' } })
})

// A9.62
test('the status of a certificate request has each condition once, with a status, and nothing but certificates', async () => {
  const name = 'signed'
  const made = await wire.request({
    method: 'POST',
    path: requests,
    body: {
      metadata: { name },
      spec: { request: certificateRequest, signerName: 'example.com/a', usages: ['client auth'] },
    },
  })
  fits(made, { status: 201 })
  const condition = { type: 'Failed', status: 'True', reason: 'Asked', message: 'No.' }
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const key = base64(rootCertificate.replaceAll('CERTIFICATE', 'PUBLIC KEY'))
  const certificate = base64(rootCertificate)
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ conditions: [condition, condition] }, /status\.conditions\[1\]\.type: Duplicate value/],
    [{ conditions: [{ type: 'Failed' }] }, /status\.conditions\[0\]\.status: Required value/],
    [{ certificate: base64('text') }, /status\.certificate: Invalid value/],
    [{ certificate: key }, /status\.certificate: Invalid value/],
  ]
  for (const [status, why] of wrong) {
    const body = { ...(made.json() as object), status }
    const reply = await wire.request({
      method: 'PUT',
      path: `${requests}/${name}/status?dryRun=All`,
      body,
    })
    fits(reply, { status: 422, body: { message: why } })
  }
  const body = { ...(made.json() as object), status: { certificate } }
  const right = await wire.request({
    method: 'PUT',
    path: `${requests}/${name}/status?dryRun=All`,
    body,
  })
  fits(right, { status: 200, body: { status: { certificate } } })
})

// A9.64-A9.67
test('the selector of a workload never changes', async () => {
  for (const plural of ['daemonsets', 'deployments', 'replicasets', 'statefulsets']) {
    const path = `${apps}/${plural}`
    const body = {
      metadata: { name: 'kept' },
      ...workload(plural === 'statefulsets' ? stateful : {}),
    }
    fits(await wire.request({ method: 'POST', path, body }), { status: 201 })
    const patch = [
      { op: 'replace', path: '/spec/selector/matchLabels', value: { app: 'other' } },
      { op: 'replace', path: '/spec/template/metadata/labels', value: { app: 'other' } },
    ]
    const reply = await wire.request({
      method: 'PATCH',
      path: `${path}/kept`,
      headers: { 'content-type': 'application/json-patch+json' },
      body: patch,
    })
    fits(reply, { status: 422 })
    contains(reply.json(), { reason: 'Invalid' }, '')
  }
})

test.run()
