/** Match conditions decide whether a webhook is called at all (supplement Q-07). A1.7 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type HttpsServer, startHttpsServer } from '../../../support/https-server.ts'
import {
  type Ask,
  configMap,
  type PolicyServer,
  startPolicyServer,
} from '../../../support/policies.ts'
import { deny, patching, type Review, rule } from '../../../support/webhooks.ts'

interface Plane extends PolicyServer {
  /** Refuses whatever it is asked about. */
  readonly hooks: HttpsServer
}

const test = suite<Plane>('runtime/admission/webhook: conditions')

const refusing = deny({ message: 'asked', code: 403 })

test.before(async (context) => {
  const plane = await startPolicyServer({ on: false })
  Object.assign(context, plane, { hooks: await startHttpsServer(refusing) })
})
test.after(async ({ server, hooks }) => {
  await server.stop()
  await hooks.stop()
})

type Outcome = 'called' | 'left out' | string

const failure = (expression: string, why: string) =>
  `expression '${expression}' resulted in error: ${why}`

const heavy = "object.data.all(a, object.data.all(b, a != 'x'))"

const table: readonly (readonly [
  name: string,
  expressions: readonly string[],
  fail: Outcome,
  ignore: Outcome,
])[] = [
  ['a condition that is true', ['true'], 'called', 'called'],
  ['a condition that is false', ['true', 'false'], 'left out', 'left out'],
  ['of the object', ['object.data.size() > 0 && oldObject == null'], 'called', 'called'],
  ['of no namespace', ['namespaceObject == null'], 'called', 'called'],
  ['of its name', ["object.metadata.name.startsWith('other')"], 'left out', 'left out'],
  [
    'of the request',
    ["request.resource.resource == 'configmaps'", "request.userInfo.username == 'nobody'"],
    'left out',
    'left out',
  ],
  [
    'of a right',
    ["!authorizer.group('').resource('secrets').check('list').allowed()"],
    'left out',
    'left out',
  ],
  [
    'a condition that fails',
    ['object.nothing == 1'],
    failure('object.nothing == 1', 'no such key: nothing'),
    'left out',
  ],
  [
    'a condition that fails beside a false one',
    ['object.nothing == 1', 'false'],
    'left out',
    'left out',
  ],
  [
    'conditions that fail',
    ['object.one == 1', 'true', 'object.two == 2'],
    `[${failure('object.one == 1', 'no such key: one')}, ${failure('object.two == 2', 'no such key: two')}]`,
    'left out',
  ],
  [
    'conditions that cost too much together',
    Array.from({ length: 40 }, () => heavy),
    'validation failed due to running out of cost budget, no further validation rules will be run',
    'left out',
  ],
]

const configurations = '/apis/admissionregistration.orch.io/v1'
const plurals = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']

/** Registers webhooks at the paths that they are called by, does the work, and takes them away again. */
async function withWebhooks(
  { ask, hooks }: Plane,
  plural: string,
  webhooks: Readonly<Record<string, object>>,
  work: () => Promise<void>,
): Promise<void> {
  const path = `${configurations}/${plural}`
  const list = Object.entries(webhooks).map(([name, fields]) => ({
    name: `${name}.example.com`,
    clientConfig: { url: `${hooks.url}/${name}`, caBundle: hooks.caBundle },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    rules: [rule(['configmaps'])],
    ...fields,
  }))
  const made = await ask('POST', path, { metadata: { name: 'h' }, webhooks: list })
  assert.is(made.status, 201, made.message)
  await work()
  await ask('DELETE', `${path}/h`)
}

function all(...expressions: readonly string[]) {
  return expressions.map((expression, index) => ({ name: `c${index}`, expression }))
}

const maps = '/api/v1/namespaces/default/configmaps'
const said = (message: string) =>
  `admission webhook "hook.example.com" denied the request: ${message}`

for (const plural of plurals) {
  for (const [name, expressions, fail, ignore] of table) {
    for (const [failurePolicy, want] of [
      ['Fail', fail],
      ['Ignore', ignore],
    ] as const) {
      test(`${plural}, ${name}: ${failurePolicy}`, async (plane) => {
        const { ask, hooks } = plane
        const fields = { failurePolicy, matchConditions: all(...expressions) }
        await withWebhooks(plane, plural, { hook: fields }, async () => {
          const before = hooks.bodies.length
          const data = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`key-${i}`, 'v']))
          const body = configMap('one', data)
          const { status, message } = await ask('POST', `${maps}?dryRun=All`, body)
          assert.is(hooks.bodies.length - before, want === 'called' ? 1 : 0)
          if (want === 'left out') assert.is(status, 201, message)
          else {
            assert.is(status, 403)
            const refused = `configmaps "one" is forbidden: ${want}`
            assert.is(message, want === 'called' ? said('asked') : refused)
          }
        })
      })
    }
  }
}

/** The codes of three requests about one map: its creation, a change of its label, its deletion. */
async function life(ask: Ask, name: string): Promise<readonly number[]> {
  const labels = (value: string) => ({ metadata: { labels: { stage: value } } })
  const replies = [
    await ask('POST', maps, { metadata: { name, labels: { stage: 'new' } } }),
    await ask('PATCH', `${maps}/${name}`, labels('used')),
    await ask('DELETE', `${maps}/${name}`),
  ]
  return replies.map(({ status }) => status)
}

const stages: readonly (readonly [what: string, expression: string, codes: readonly number[]])[] = [
  ['a creation', "request.operation == 'CREATE'", [403, 404, 404]],
  ['a change', 'object != null && oldObject != null', [201, 403, 200]],
  [
    'what a change leaves',
    "object != null && object.metadata.labels.stage == 'used'",
    [201, 403, 200],
  ],
  [
    'what a change found',
    "oldObject != null && oldObject.metadata.labels.stage == 'new'",
    [201, 403, 403],
  ],
  ['a deletion', 'object == null', [201, 200, 403]],
  ['a caller', "request.userInfo.username == 'system:anonymous'", [403, 404, 404]],
  ['another caller', "request.userInfo.username != 'system:anonymous'", [201, 200, 200]],
]

for (const plural of plurals) {
  for (const [index, [what, expression, codes]] of stages.entries()) {
    test(`${plural} act on ${what} where a condition says so`, async (plane) => {
      const matchConditions = all(expression)
      const name = `${plural.slice(0, 3)}${index}`
      await withWebhooks(plane, plural, { hook: { matchConditions } }, async () => {
        assert.equal(await life(plane.ask, name), codes)
      })
      await plane.ask('DELETE', `${maps}/${name}`)
    })
  }
}

test('conditions see what the webhooks before left of the object', async (plane) => {
  const { ask, hooks } = plane
  const label = patching({ op: 'add', path: '/metadata/labels', value: { painted: 'yes' } })
  hooks.answer((review: Review, { path }) => (path.startsWith('/paint') ? label : refusing)(review))
  const painted = "has(object.metadata.labels) && object.metadata.labels.painted == 'yes'"
  await withWebhooks(
    plane,
    'mutatingwebhookconfigurations',
    {
      early: { matchConditions: all(painted) },
      paint: {},
      late: { matchConditions: all(painted) },
    },
    async () => {
      const { message } = await ask('POST', maps, configMap('p'))
      assert.is(message, 'admission webhook "late.example.com" denied the request: asked')
    },
  )
  hooks.answer(refusing)
})

test('conditions see the object in the version that the webhook asked for', async (plane) => {
  const { ask } = plane
  const scalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers'
  const rules = [rule(['horizontalpodautoscalers'], { group: 'autoscaling', version: 'v1' })]
  const matchConditions = all(
    "object.apiVersion == 'autoscaling/v1'",
    'object.spec.targetCPUUtilizationPercentage == 50',
    "request.resource.version == 'v1' && request.requestResource.version == 'v2'",
  )
  const metrics = [
    {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
    },
  ]
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
  await withWebhooks(plane, plurals[0] ?? '', { hook: { rules, matchConditions } }, async () => {
    const spec = { scaleTargetRef, maxReplicas: 2, metrics }
    const { message } = await ask('POST', scalers, { metadata: { name: 'web' }, spec })
    assert.is(message, said('asked'))
  })
})

test.run()
