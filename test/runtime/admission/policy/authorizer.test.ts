/** Rights: what expressions may ask about them, and which ones authors of policies need (supplement Y-03, Q-11). A2.48 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { authorizerOf } from '../../../support/authorizer.ts'
import {
  binding,
  bindingsPath,
  configMap,
  enforce,
  type PolicyServer,
  policiesPath,
  policy,
  startPolicyServer,
} from '../../../support/policies.ts'

interface Asked {
  readonly who: string
  readonly right: object
}

const test = suite<{ plane: PolicyServer; asked: Asked[] }>('runtime/admission/policy: rights')

/** Everybody may send every request; what expressions ask about is allowed but reading secrets and breaking things. */
test.before(async (context) => {
  const asked: Asked[] = []
  context.asked = asked
  context.plane = await startPolicyServer({
    authorizer: authorizerOf(({ username }, right) => {
      if (right.version !== undefined) return true
      asked.push({ who: username, right })
      return right.resource !== 'secrets' && right.verb !== 'break'
    }),
  })
})
test.before.each(({ asked }) => {
  asked.length = 0
})
test.after(({ plane }) => plane?.server.stop())

const configMaps = '/api/v1/namespaces/default/configmaps'

const table: readonly (readonly [name: string, expression: string, passes: boolean])[] = [
  [
    'what is allowed',
    "authorizer.group('apps').resource('deployments').check('get').allowed()",
    true,
  ],
  ['what is not', "authorizer.group('').resource('secrets').check('get').allowed()", false],
  ['the request itself', "authorizer.requestResource.check('break').allowed()", false],
  ['a reason', "authorizer.path('/a').check('get').reason() == ''", true],
  ['a path', "authorizer.path('/healthz').check('get').allowed()", true],
  [
    'one question after the other',
    "authorizer.path('/a').check('get').allowed() && authorizer.path('/b').check('break').allowed()",
    false,
  ],
]

for (const [name, expression, passes] of table) {
  test(`an expression asks about ${name}`, async ({ plane: { ask }, asked }) => {
    const undo = await enforce(
      ask,
      [policy('p', { validations: [{ expression }] })],
      [binding('b', 'p')],
    )
    const { status } = await ask('POST', `${configMaps}?dryRun=All`, configMap('one'))
    await undo()
    assert.is(status, passes ? 201 : 422)
    assert.is(asked.length, name.startsWith('one question') ? 2 : 1)
  })
}

test('one expression asks as often as it wants to know', async ({ plane: { ask }, asked }) => {
  const expression = ['a', 'b', 'c']
    .map((name) => `authorizer.path('/${name}').check('get').allowed()`)
    .join(' && ')
  const undo = await enforce(
    ask,
    [policy('p', { validations: [{ expression }] })],
    [binding('b', 'p')],
  )
  const { status } = await ask('POST', `${configMaps}?dryRun=All`, configMap('one'))
  await undo()
  assert.is(status, 201)
  assert.is(asked.length, 3)
})

test('the whole question is passed on, in the name of the caller or of a service account', async ({
  plane: { ask },
  asked,
}) => {
  const expressions = [
    "authorizer.group('apps').resource('deployments').subresource('scale').namespace('x').name('y').check('get').allowed()",
    "authorizer.requestResource.check('create').allowed()",
    "authorizer.serviceAccount('shop', 'robot').path('/metrics').check('get').allowed()",
  ]
  const asks = expressions.map((expression) => ({ expression }))
  const undo = await enforce(ask, [policy('p', { validations: asks })], [binding('b', 'p')])
  assert.is((await ask('POST', `${configMaps}?dryRun=All`, configMap('one'))).status, 201)
  await undo()
  const empty = { group: '', resource: '', name: '' }
  assert.equal(asked, [
    {
      who: 'system:anonymous',
      right: {
        verb: 'get',
        group: 'apps',
        resource: 'deployments',
        name: 'y',
        subresource: 'scale',
        namespace: 'x',
      },
    },
    {
      who: 'system:anonymous',
      right: {
        verb: 'create',
        group: '',
        resource: 'configmaps',
        name: 'one',
        namespace: 'default',
      },
    },
    {
      who: 'system:serviceaccount:shop:robot',
      right: { verb: 'get', ...empty, path: '/metrics' },
    },
  ])
})

const secretKind = { apiVersion: 'v1', kind: 'Secret' }
const validations = [{ expression: 'true' }]

test('who may not read the parameters may not write the policy', async ({
  plane: { ask },
  asked,
}) => {
  const { status, message } = await ask(
    'POST',
    policiesPath,
    policy('spy', { paramKind: secretKind, validations }),
  )
  assert.is(status, 422)
  assert.is(
    message,
    'ValidatingAdmissionPolicy.admissionregistration.orch.io "spy" is invalid: spec.paramKind: Forbidden: user system:anonymous must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)',
  )
  assert.equal(asked, [
    {
      who: 'system:anonymous',
      right: { verb: 'get', group: '', resource: 'secrets', name: '*', namespace: '*' },
    },
  ])
  await ask('POST', policiesPath, policy('later', { validations }))
  const edited = await ask('PATCH', `${policiesPath}/later`, { spec: { paramKind: secretKind } })
  assert.is(edited.status, 422)
  await ask('DELETE', `${policiesPath}/later`)
})

test('who may not read the parameters may not bind them', async ({ plane: { ask }, asked }) => {
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' }
  await ask('POST', policiesPath, policy('open', { paramKind, validations }))
  asked.length = 0
  const bound = (name: string, ref: object) =>
    ask(
      'POST',
      bindingsPath,
      binding(name, 'open', { paramRef: { parameterNotFoundAction: 'Deny', ...ref } }),
    )
  assert.is((await bound('a', { name: 'x', namespace: 'shop' })).status, 201)
  assert.is((await bound('b', { selector: {} })).status, 201)
  const about = { group: '', resource: 'configmaps' }
  assert.equal(
    asked.map(({ right }) => right),
    [
      { verb: 'get', ...about, name: 'x', namespace: 'shop' },
      { verb: 'list', ...about, name: '', namespace: '*' },
    ],
  )
  await ask('PATCH', `${bindingsPath}/a`, { metadata: { labels: { a: 'b' } } })
  assert.is(asked.length, 2)
  for (const name of ['a', 'b']) await ask('DELETE', `${bindingsPath}/${name}`)
  await ask('DELETE', `${policiesPath}/open`)
})

test('conditions of webhooks ask, too', async ({ plane: { ask }, asked }) => {
  const hooks = '/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations'
  const webhook = {
    name: 'hook.example.com',
    clientConfig: { url: 'https://127.0.0.1:1' },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] }],
    matchConditions: [
      { name: 'c', expression: "authorizer.group('').resource('secrets').check('get').allowed()" },
    ],
  }
  await ask('POST', hooks, { metadata: { name: 'h' }, webhooks: [webhook] })
  assert.is((await ask('POST', `${configMaps}?dryRun=All`, configMap('one'))).status, 201)
  assert.is(asked.length, 1)
  await ask('DELETE', `${hooks}/h`)
})

test.run()
