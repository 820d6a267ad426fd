// Admission webhooks of an operator: what handlers see and say, and a real server that asks them over TLS.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { validatingWebhookConfigurations } from '../../../generated/apis/admissionregistration/v1/validating-webhook.ts'
import { type ConfigMap, configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import { ingresses } from '../../../generated/apis/networking/v1/ingress.ts'
import { platform } from '../../../generated/platform.ts'
import { publicNames, wellKnown } from '../../../generated/well-known.ts'
import { deferred } from '../../../runtime/kernel/async/deferred.ts'
import { isStatus, type StatusError } from '../../../runtime/kernel/errors/status-error.ts'
import { type Log, type LogFields, silentLog } from '../../../runtime/observe/observe.ts'
import { operatorMetrics } from '../../../runtime/operator/operator.ts'
import { startControlPlane } from '../../../runtime/testing/control-plane.ts'
import { virtualClock } from '../../../runtime/testing/testing.ts'
import { admissionHandler } from '../../../runtime/webhook-server/admission/answer-admission.ts'
import {
  type AnyAdmissionWebhook,
  defineWebhook,
  serveWebhooks,
} from '../../../runtime/webhook-server/webhook-server.ts'

const test = suite('runtime/webhook-server: admission')

/** The error that a request is answered with. */
async function refused(work: Promise<unknown>): Promise<StatusError> {
  try {
    await work
  } catch (error) {
    if (isStatus(error)) return error
    throw error
  }
  throw new Error('the request was not refused')
}

const menu = defineWebhook({
  name: 'menus.shop.example.com',
  for: configMaps,
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  mutate(draft, { operation, userInfo }) {
    draft.metadata.annotations = { ...draft.metadata.annotations, 'a/by': userInfo.username ?? '' }
    const { data } = draft
    if (data === undefined) return
    data[`${operation}.last`] = 'yes'
    delete data.secret
  },
  validate({ data, metadata }, { operation, oldObject, refuse, warn, annotate }) {
    if (metadata.name === 'kept' && operation === 'DELETE') refuse('it is needed')
    if (data?.soup === 'cold') refuse('data.soup', 'must be hot')
    if (data?.bread === '') refuse('data[bread]', 'must be baked')
    if (oldObject?.data?.soup === 'hot' && data?.soup === undefined) refuse('data.soup', 'was here')
    if (data?.old !== undefined) warn('old is deprecated')
    annotate('looked', operation)
  },
})

test('a draft that a handler changes is what is stored', async () => {
  await using plane = await startControlPlane({ webhooks: [menu] })
  const maps = plane.client.resource(configMaps)
  const { data, metadata } = await maps.create({
    metadata: { name: 'x' },
    data: { a: '1', secret: 'x' },
  })
  assert.equal(data, { a: '1', 'CREATE.last': 'yes' })
  assert.ok(metadata.annotations?.['a/by'])
  const patched = await maps.mergePatch('x', { data: { b: '2' } })
  assert.equal(patched.data, { a: '1', b: '2', 'CREATE.last': 'yes', 'UPDATE.last': 'yes' })
})

test('a refusal names each field with its value, and a refusal of the whole is Forbidden', async () => {
  await using plane = await startControlPlane({ webhooks: [menu] })
  const maps = plane.client.resource(configMaps)
  const one = await refused(maps.create({ metadata: { name: 'x' }, data: { soup: 'cold' } }))
  const start = 'admission webhook "menus.shop.example.com" denied the request:'
  assert.is(one.code, 422)
  assert.is(
    one.message,
    `${start} ConfigMap "x" is invalid: data.soup: Invalid value: "cold": must be hot`,
  )
  const both = await refused(
    maps.create({ metadata: { name: 'x' }, data: { soup: 'cold', bread: '' } }),
  )
  assert.equal(
    both.details?.causes?.map(({ field, reason }) => [field, reason]),
    [
      ['data.soup', 'FieldValueInvalid'],
      ['data[bread]', 'FieldValueInvalid'],
    ],
  )
  await maps.create({ metadata: { name: 'x' }, data: { soup: 'hot' } })
  const gone = await refused(maps.mergePatch('x', { data: { soup: null } }))
  assert.match(gone.message, 'data.soup: Required value: was here')
  await maps.create({ metadata: { name: 'kept' } })
  const deletion = await refused(maps.delete('kept'))
  assert.equal([deletion.code, deletion.message], [403, `${start} it is needed`])
  assert.ok(await maps.delete('x'))
})

test('a fork has the webhooks of its origin, and so has what begins with a snapshot', async () => {
  await using plane = await startControlPlane({ webhooks: [menu] })
  const snapshot = await plane.snapshot()
  await using fork = await plane.fork()
  await plane.stop()
  await using other = await startControlPlane({ from: snapshot })
  for (const { client } of [fork, other]) {
    const maps = client.resource(configMaps)
    const { data } = await maps.create({ metadata: { name: 'x' }, data: { a: '1' } })
    assert.equal(data, { a: '1', 'CREATE.last': 'yes' })
    const { message } = await refused(
      maps.create({ metadata: { name: 'y' }, data: { soup: 'cold' } }),
    )
    assert.match(message, 'must be hot')
  }
})

/** A log that keeps the errors. */
function errorsOnly(): { readonly log: Log; readonly errors: string[] } {
  const errors: string[] = []
  const nothing = () => {}
  const error = (event: string, facts: LogFields | undefined, cause: unknown) =>
    void errors.push(`${event}: ${facts?.operation} ${facts?.object}: ${(cause as Error).message}`)
  return {
    errors,
    log: { debugging: false, debug: nothing, info: nothing, warn: nothing, error },
  }
}

test('a handler that throws has not refused: the failure policy decides, and the log has the error', async () => {
  const fails = (failurePolicy: 'Fail' | 'Ignore') =>
    defineWebhook({
      ...{ name: 'failing.shop.example.com', for: configMaps, failurePolicy },
      validate() {
        throw new Error('no connection to db.internal')
      },
    })
  const { log, errors } = errorsOnly()
  await using strict = await startControlPlane({ webhooks: [fails('Fail')], log })
  const draft = { metadata: { name: 'x' } }
  const error = await refused(strict.client.resource(configMaps).create(draft))
  assert.is(error.code, 500)
  assert.match(error.message, 'the webhook failed: its log says why')
  assert.not.match(error.message, 'db.internal')
  assert.ok(errors.includes('a webhook failed: CREATE default/x: no connection to db.internal'))
  await using lenient = await startControlPlane({ webhooks: [fails('Ignore')] })
  assert.ok(await lenient.client.resource(configMaps).create(draft))
})

test('a handler that hangs is answered for before the server gives up, and hears of it', async () => {
  const clock = virtualClock()
  const begun = deferred()
  let aborted = false
  const hanging = defineWebhook({
    ...{ name: 'hanging.shop.example.com', for: configMaps, timeoutSeconds: 3 },
    validate(_, { signal }) {
      signal.addEventListener('abort', () => {
        aborted = true
      })
      begun.resolve()
      return new Promise(() => {})
    },
  })
  await using plane = await startControlPlane({ webhooks: [hanging], clock })
  const request = refused(plane.client.resource(configMaps).create({ metadata: { name: 'x' } }))
  await begun.promise
  clock.advance(2700)
  const error = await request
  assert.match(error.message, 'did not answer within 2.7 s: its log says which one hangs')
  assert.ok(aborted)
})

test('what is incomplete is for the server to refuse, unless the handler completes it', async () => {
  const filling = defineWebhook({
    ...{ name: 'filling.shop.example.com', for: pods },
    mutate(draft) {
      const [first] = draft.spec?.containers ?? []
      if (first?.image === 'default') first.image = 'nginx'
      if (draft.metadata.name === 'throws') throw new Error('there is no spec')
    },
  })
  await using plane = await startControlPlane({ webhooks: [filling] })
  const resource = plane.client.resource(pods)
  const containers = [{ name: 'c', image: 'default' }]
  const made = await resource.create({ metadata: { name: 'p' }, spec: { containers } })
  assert.is(made.spec?.containers[0]?.image, 'nginx')
  const error = await refused(
    resource.create({
      metadata: { name: 'throws' },
      spec: { containers: [{ image: 'i' }] },
    } as never),
  )
  assert.match(error.message, 'spec.containers[0].name: Required value')
})

test('a webhook of a subresource, of selected objects and under conditions is asked about those only', async () => {
  const asked: string[] = []
  const note = (name: string, more: object) =>
    defineWebhook<ConfigMap>({
      ...{ name: `${name}.shop.example.com`, for: configMaps, ...more },
      validate: ({ metadata }) => void asked.push(`${name} ${metadata.name}`),
    })
  const webhooks = [
    note('selected', { objectSelector: { matchLabels: { look: 'here' } } }),
    note('place', { namespaceSelector: { matchLabels: { 'orch.io/metadata.name': 'other' } } }),
    note('condition', {
      matchConditions: [{ name: 'large', expression: 'has(object.data)' }],
    }),
    defineWebhook({
      ...{ name: 'status.shop.example.com', for: pods, subresource: 'status' },
      validate: ({ metadata }) => void asked.push(`status ${metadata.name}`),
    }),
  ]
  await using plane = await startControlPlane({ webhooks })
  const maps = plane.client.resource(configMaps)
  await maps.create({ metadata: { name: 'plain' } })
  await maps.create({ metadata: { name: 'labelled', labels: { look: 'here' } } })
  await maps.create({ metadata: { name: 'full' }, data: { a: '1' } })
  const spec = { containers: [{ name: 'c', image: 'i' }] }
  const pod = await plane.client.resource(pods).create({ metadata: { name: 'p' }, spec })
  await plane.client.resource(pods).updateStatus({ ...pod, status: { phase: 'Running' } })
  assert.equal(asked, ['selected labelled', 'condition full', 'status p'])
})

test('a dry run is said, warnings and notes reach the server', async () => {
  const seen: boolean[] = []
  const looking = defineWebhook({
    ...{ name: 'looking.shop.example.com', for: ingresses },
    validate: (_, { dryRun, warn }) => {
      seen.push(dryRun)
      warn('mind the gap')
    },
  })
  await using plane = await startControlPlane({ webhooks: [looking] })
  const draft = {
    metadata: { name: 'i' },
    spec: { defaultBackend: { resource: { kind: 'Bucket', name: 'b' } } },
  }
  await plane.client.resource(ingresses).create(draft, { dryRun: true })
  const body = JSON.stringify({ ...draft, kind: 'Ingress', apiVersion: 'networking.orch.io/v1' })
  const { headers } = await plane.transport.send({
    method: 'POST',
    path: '/apis/networking.orch.io/v1/namespaces/default/ingresses',
    headers: { 'content-type': 'application/json' },
    body,
  })
  assert.match(String(headers.warning), 'mind the gap')
  assert.equal(seen, [true, false])
})

const uid = 'review-1'
const map = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x' } }

/** A review as servers send it. */
function reviewOf(request: object, apiVersion = 'admission.k8s.io/v1') {
  const kind = { group: '', version: 'v1', kind: 'ConfigMap' }
  return { kind: 'AdmissionReview', apiVersion, request: { uid, kind, userInfo: {}, ...request } }
}

const call = {
  ...{ signal: new AbortController().signal, log: silentLog, span: undefined, note() {} },
}

async function ask(
  step: 'mutate' | 'validate',
  review: unknown,
  webhook: AnyAdmissionWebhook = menu,
) {
  await using plane = await startControlPlane()
  return admissionHandler(webhook, step, { client: plane.client, platform, publicNames })(
    review,
    call,
  )
}

for (const apiVersion of [
  'admission.k8s.io/v1',
  'admission.k8s.io/v1beta1',
  'admission.orch.io/v1',
]) {
  test(`a review of ${apiVersion} is answered in that version`, async () => {
    const object = { ...map, data: { soup: 'hot' } }
    const answer = await ask('mutate', reviewOf({ operation: 'CREATE', object }, apiVersion))
    assert.equal(Object.keys(answer), ['kind', 'apiVersion', 'response'])
    const { response, ...head } = answer as { readonly response: Record<string, unknown> }
    assert.equal(head, { kind: 'AdmissionReview', apiVersion })
    assert.equal([response.uid, response.allowed, response.patchType], [uid, true, 'JSONPatch'])
    const patch = JSON.parse(Buffer.from(String(response.patch), 'base64').toString())
    assert.equal(patch.at(-1), { op: 'add', path: '/data/CREATE.last', value: 'yes' })
  })
}

for (const [group, domain] of [
  ['admission.k8s.io', 'kubernetes.io'],
  ['admission.orch.io', 'orch.io'],
] as const) {
  test(`a handler and its changes have the names of its program in reviews of ${group}`, async () => {
    const seen: unknown[] = []
    const zones = defineWebhook<ConfigMap>({
      name: 'zones.shop.example.com',
      for: configMaps,
      mutate(draft) {
        seen.push(draft.metadata.labels)
        draft.metadata.labels = { ...draft.metadata.labels, [wellKnown.zone]: 'a' }
      },
    })
    const labels = { [`${domain}/os`]: 'linux', colour: 'red' }
    const object = { ...map, metadata: { name: 'x', labels } }
    const review = reviewOf({ operation: 'CREATE', object }, `${group}/v1`)
    const { response } = (await ask('mutate', review, zones)) as { response: { patch: string } }
    assert.equal(seen, [{ [wellKnown.os]: 'linux', colour: 'red' }])
    const path = `/metadata/labels/topology.${domain}~1zone`
    assert.equal(JSON.parse(Buffer.from(response.patch, 'base64').toString()), [
      { op: 'add', path, value: 'a' },
    ])
  })
}

const noReviews: readonly [what: string, review: unknown, why: RegExp][] = [
  ['nothing', null, /expected an AdmissionReview with a request/],
  ['another kind', { ...reviewOf({}), kind: 'ConversionReview' }, /expected an AdmissionReview/],
  ['no identity', reviewOf({ uid: 3, operation: 'CREATE', object: map }), /expected request.uid/],
  ['no object', reviewOf({ operation: 'CREATE' }), /expected request.object/],
  ['a list as object', reviewOf({ operation: 'CREATE', object: [] }), /expected request.object/],
  ['no old object', reviewOf({ operation: 'UPDATE', object: map }), /expected request.oldObject/],
  ['a deletion', reviewOf({ operation: 'DELETE', oldObject: map }), /is not for DELETE/],
  ['a connection', reviewOf({ operation: 'CONNECT' }), /is not for CONNECT/],
  [
    'an object of another kind',
    reviewOf({ operation: 'CREATE', kind: { group: '', version: 'v1', kind: 'Pod' }, object: map }),
    /is for ConfigMap of v1, not Pod of \/v1: the server has a configuration that orch package/,
  ],
]

for (const [what, review, why] of noReviews) {
  test(`${what} is no review for a webhook`, async () => {
    const error = await refused(ask('mutate', review))
    assert.is(error.code, 400)
    assert.match(error.message, why)
  })
}

test('an object of the wrong types is left to the server', async () => {
  const object = { ...map, data: 'soup' }
  const { response } = (await ask('mutate', reviewOf({ operation: 'CREATE', object }))) as {
    readonly response: object
  }
  assert.equal(response, { uid, allowed: true })
})

test('reviews are counted by path and status', async () => {
  await using plane = await startControlPlane()
  const metrics = await operatorMetrics()
  const server = await serveWebhooks({
    ...{ client: plane.client, name: 'menus', namespace: 'default', webhooks: [menu], metrics },
    ...{ url: 'https://localhost', listen: { host: 'localhost', port: 0 } },
  })
  try {
    await plane.client.resource(configMaps).create({ metadata: { name: 'x' }, data: { a: 'b' } })
    const text = metrics.text('prometheus')
    for (const step of ['mutate', 'validate']) {
      const labels = `webhook="/${step}/menus.shop.example.com"`
      assert.match(text, `controller_runtime_webhook_requests_total{code="200",${labels}} 1`)
      assert.match(text, `controller_runtime_webhook_requests_in_flight{${labels}} 0`)
    }
  } finally {
    await server.close()
  }
})

const wrong: readonly [why: RegExp, webhook: () => unknown][] = [
  [
    /expected a name with a domain of yours, such as configmaps.web.example.com/,
    () => defineWebhook({ name: 'menu', for: configMaps, validate() {} }),
  ],
  [/expected mutate, validate or both/, () => defineWebhook({ name: 'a.b.c', for: configMaps })],
  [
    /an object that is deleted cannot be changed/,
    () => defineWebhook({ name: 'a.b.c', for: configMaps, operations: ['DELETE'], mutate() {} }),
  ],
  [
    /those of pods with an object of its kind: .*status/,
    () => defineWebhook({ name: 'a.b.c', for: pods, subresource: 'eviction', validate() {} }),
  ],
  [
    /timeoutSeconds from 1 to 30/,
    () => defineWebhook({ name: 'a.b.c', for: pods, timeoutSeconds: 60, validate() {} }),
  ],
]

for (const [why, declare] of wrong) {
  test(`a webhook that no server takes is told at once: ${why.source}`, () => {
    assert.throws(declare, why)
  })
}

test('the configurations of a control plane name every kind by both of its groups', async () => {
  const looking = defineWebhook({ name: 'a.b.c', for: ingresses, validate() {} })
  await using plane = await startControlPlane({ webhooks: [looking] })
  const { webhooks = [] } = await plane.client
    .resource(validatingWebhookConfigurations)
    .get('operator')
  assert.equal(webhooks[0]?.rules?.[0]?.apiGroups, ['networking.orch.io', 'networking.k8s.io'])
})

test.run()
