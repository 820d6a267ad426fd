/** Which requests a webhook is asked about, and in which version. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { change, make, pod } from '../../../support/admission.ts'
import { inDefault, kindAt } from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'
import {
  allow,
  configuration,
  configurations,
  openWithWebhooks,
  patching,
  type ReceivedReview,
  type RegistryWithWebhooks,
  rule,
  withHooks,
} from '../../../support/webhooks.ts'

const test = suite<RegistryWithWebhooks>('runtime/admission/webhook: match')

test.before(async (context) => {
  Object.assign(context, await openWithWebhooks())
})
test.after(({ close }) => close())

const maps = 'api/v1/configmaps'
let next = 0

/** One write of each sort: creation, change, change of a subresource, deletion; and one of a kind of the cluster. */
async function writes(opened: RegistryWithWebhooks): Promise<void> {
  const name = `w${next++}`
  await make(opened, 'api/v1/pods', pod(name))
  await change(opened, 'api/v1/pods', name, { metadata: { labels: { a: 'b' } } })
  const status = { status: { phase: 'Running' } }
  await change(opened, 'api/v1/pods', name, status, { subresource: 'status' })
  const options = { dryRun: false, gracePeriodSeconds: 0 }
  await opened.registry.delete(inDefault(kindAt('api/v1/pods'), name), options)
  await make(opened, 'apis/scheduling.orch.io/v1/priorityclasses', {
    metadata: { name },
    value: 1,
  })
}

const all = ['CREATE pods', 'UPDATE pods', 'UPDATE pods/status', 'DELETE pods']
const cluster = 'CREATE priorityclasses'

function shown({ operation, resource, subResource }: ReceivedReview): string {
  const { resource: plural } = resource as { readonly resource: string }
  return `${operation} ${plural}${subResource ? `/${subResource}` : ''}`
}

const rules: readonly [string, readonly object[], readonly string[]][] = [
  ['one operation', [rule(['pods'], { operations: ['CREATE'] })], ['CREATE pods']],
  [
    'two operations',
    [rule(['pods'], { operations: ['CREATE', 'DELETE'] })],
    ['CREATE pods', 'DELETE pods'],
  ],
  ['a subresource', [rule(['pods/status'])], ['UPDATE pods/status']],
  ['a subresource of everything', [rule(['*/status'])], ['UPDATE pods/status']],
  ['a resource and what is below it', [rule(['pods/*'])], all],
  ['everything but subresources', [rule(['*'])], [all[0], all[1], all[3], cluster] as string[]],
  ['everything', [rule(['*/*'])], [...all, cluster]],
  ['everything of the cluster', [rule(['*/*'], { scope: 'Cluster' })], [cluster]],
  ['everything in namespaces', [rule(['*/*'], { scope: 'Namespaced' })], all],
  ['the core group', [rule(['*/*'], { group: '' })], all],
  ['another group', [rule(['*/*'], { group: 'scheduling.orch.io' })], [cluster]],
  ['a group that is not there', [rule(['*/*'], { group: 'example.com' })], []],
  ['a version that is not there', [rule(['pods'], { version: 'v2' })], []],
  [
    'one of two rules',
    [rule(['pods'], { operations: ['DELETE'] }), rule(['pods/status'])],
    ['UPDATE pods/status', 'DELETE pods'],
  ],
]

for (const [what, given, want] of rules) {
  test(`a webhook is asked about ${what} (Q-07)`, async (opened) => {
    const fields = { rules: given }
    await withHooks(opened, [{ name: 'look', answer: allow, fields }], async (asked) => {
      await writes(opened)
      assert.equal(asked.map(shown), want)
    })
  })
}

test('labels of the namespace decide, for a namespace its own (Q-07)', async (opened) => {
  for (const [name, labels] of [
    ['inside', { team: 'red' }],
    ['outside', { team: 'blue' }],
  ] as const) {
    await make(opened, 'api/v1/namespaces', { metadata: { name, labels } })
  }
  const fields = {
    rules: [rule(['configmaps', 'namespaces', 'priorityclasses'])],
    namespaceSelector: { matchLabels: { team: 'red' } },
  }
  await withHooks(opened, [{ name: 'red', answer: allow, fields }], async (asked) => {
    for (const namespace of ['inside', 'outside', 'default']) {
      await make(opened, maps, { metadata: { name: 'm', namespace } })
    }
    await make(opened, 'api/v1/namespaces', { metadata: { name: 'new', labels: { team: 'red' } } })
    await make(opened, 'api/v1/namespaces', { metadata: { name: 'plain' } })
    await change(opened, 'api/v1/namespaces', 'outside', { metadata: { labels: { team: 'red' } } })
    await make(opened, 'apis/scheduling.orch.io/v1/priorityclasses', {
      metadata: { name: 'red' },
      value: 1,
    })
    assert.equal(
      asked.map(({ namespace, name }) => [namespace, name]),
      [
        ['inside', 'm'],
        ['new', 'new'],
        ['outside', 'outside'],
        [undefined, 'red'],
      ],
    )
  })
})

test('labels of the object decide, old or new (Q-07)', async (opened) => {
  const fields = {
    objectSelector: { matchExpressions: [{ key: 'watched', operator: 'Exists' }] },
  }
  await withHooks(opened, [{ name: 'watch', answer: allow, fields }], async (asked) => {
    const name = 'labelled'
    const target = inDefault(kindAt(maps), name)
    const label = (watched: string | null) =>
      change(opened, maps, name, { metadata: { labels: { watched } } })
    await make(opened, maps, { metadata: { name } })
    await label('yes')
    await label(null)
    await change(opened, maps, name, { data: { a: 'b' } })
    await label('again')
    await opened.registry.delete(target, { dryRun: false })
    assert.equal(
      asked.map(({ operation }) => operation),
      ['UPDATE', 'UPDATE', 'UPDATE', 'DELETE'],
    )
  })
})

const scalers = 'apis/autoscaling/v2/horizontalpodautoscalers'

function scaler(name: string) {
  const target = { type: 'Utilization', averageUtilization: 60 }
  return {
    metadata: { name },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 3,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    },
  }
}

const inV1 = {
  rules: [rule(['horizontalpodautoscalers'], { group: 'autoscaling', version: 'v1' })],
}

test('a request in another version is shown in the registered one (Q-07)', async (opened) => {
  await withHooks(opened, [{ name: 'v1', answer: allow, fields: inV1 }], async (asked) => {
    await make(opened, scalers, scaler('web'))
    const [one] = asked
    const version = (name: string) =>
      ((one as ReceivedReview)[name] as { readonly version: string }).version
    assert.equal(['kind', 'resource', 'requestKind', 'requestResource'].map(version), [
      'v1',
      'v1',
      'v2',
      'v2',
    ])
    assert.is(one?.object?.apiVersion, 'autoscaling/v1')
    const { spec } = (one as ReceivedReview).object as unknown as { spec: Record<string, unknown> }
    assert.is(spec.targetCPUUtilizationPercentage, 60)
  })
})

test('who asks for the exact version is not asked about others (Q-07)', async (opened) => {
  const fields = { ...inV1, matchPolicy: 'Exact' }
  await withHooks(opened, [{ name: 'exact', answer: allow, fields }], async (asked) => {
    await make(opened, scalers, scaler('other'))
    assert.is(asked.length, 0)
  })
})

test('a patch to the registered version arrives in the other one (Q-07, Q-08)', async (opened) => {
  const answer = patching({
    op: 'replace',
    path: '/spec/targetCPUUtilizationPercentage',
    value: 80,
  })
  const hook = { name: 'v1', mutating: true, answer, fields: inV1 } as const
  await withHooks(opened, [hook], async () => {
    const { object } = await make<ReturnType<typeof scaler>>(opened, scalers, scaler('patched'))
    assert.is(object.spec.metrics[0]?.resource.target.averageUtilization, 80)
  })
})

const refused: readonly [string, object, string][] = [
  [
    'no effects',
    { sideEffects: null },
    'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
  ],
  [
    'effects',
    { sideEffects: 'Some' },
    'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
  ],
  [
    'no known version',
    { admissionReviewVersions: ['v2'] },
    'webhooks[0].admissionReviewVersions: Invalid value: []string{"v2"}: must include at least one of v1, v1beta1',
  ],
  [
    'a timeout beyond the bounds',
    { timeoutSeconds: 31 },
    'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
  ],
  [
    'no time',
    { timeoutSeconds: 0 },
    'webhooks[0].timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds',
  ],
  [
    'no version',
    { admissionReviewVersions: [] },
    'webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1',
  ],
  [
    'a name of one word',
    { name: 'look' },
    'webhooks[0].name: Invalid value: "look": should be a domain with at least three segments separated by dots',
  ],
  [
    'an address without encryption',
    { clientConfig: { url: 'http://example.com/' } },
    'webhooks[0].clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
  ],
]

for (const [what, fields, why] of refused) {
  test(`a webhook with ${what} is refused (Q-06, Q-09, A9.59)`, async (opened) => {
    const bad = configuration(opened, 'bad', fields as Record<string, unknown>)
    const error = await assertRejects(make(opened, configurations('validating'), bad), 'Invalid')
    assert.is(
      error.message,
      `ValidatingWebhookConfiguration.admissionregistration.orch.io "bad" is invalid: ${why}`,
    )
  })
}

test('what a configuration does not say is what it was in version 1 (A9.59, Q-06)', async (opened) => {
  const path = configurations('mutating')
  const { object } = await make<{ webhooks: readonly Record<string, unknown>[] }>(
    opened,
    path,
    configuration(opened, 'defaulted', { rules: [] }),
  )
  const [webhook] = object.webhooks
  const { failurePolicy, matchPolicy, timeoutSeconds, reinvocationPolicy } = webhook ?? {}
  assert.equal(
    { failurePolicy, matchPolicy, timeoutSeconds, reinvocationPolicy },
    {
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      timeoutSeconds: 10,
      reinvocationPolicy: 'Never',
    },
  )
  await opened.registry.delete({ kind: kindAt(path), name: 'defaulted' }, { dryRun: false })
})

test.run()
