/** Policies over HTTP: what they say, of what, and what comes of it (supplement ). A1.7 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  binding,
  bindingsPath,
  configMap,
  configMapRules,
  enforce,
  type PolicyServer,
  policiesPath,
  policy,
  startPolicyServer,
} from '../../../support/policies.ts'

const test = suite<{ plane: PolicyServer }>('runtime/admission/policy')

test.before(async (context) => {
  context.plane = await startPolicyServer()
})
test.after(({ plane }) => plane?.server.stop())

const configMaps = '/api/v1/namespaces/default/configmaps'
let names = 0
const fresh = () => `case-${names++}`

/** What becomes of a config map under one policy and one binding. */
interface Case {
  readonly spec: object
  readonly binding?: object
  readonly data?: object
  readonly labels?: object
}

async function created({ ask }: PolicyServer, { spec, binding: bound, data, labels }: Case) {
  const undo = await enforce(ask, [policy('p', spec)], [binding('b', 'p', bound)])
  const name = fresh()
  const reply = await ask('POST', configMaps, configMap(name, data, labels && { labels }))
  await undo()
  return { ...reply, name }
}

const says = (expression: string, more: object = {}) => ({ validations: [{ expression, ...more }] })
const head = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: "

/** A refusal by its text after the policy and the binding; undefined for what passes. */
const verdicts: readonly (readonly [name: string, given: Case, want: string | undefined])[] = [
  ['an expression that is true lets pass', { spec: says('true') }, undefined],
  [
    'the expression is told where there is no message',
    { spec: says(' object.data.size() > 0 && false '), data: { a: '1' } },
    'failed expression: object.data.size() > 0 && false',
  ],
  ['a message is told', { spec: says('false', { message: ' not so ' }) }, 'not so'],
  [
    'a message is made',
    {
      spec: says('false', { message: 'plain', messageExpression: "'no ' + object.metadata.name" }),
    },
    'no case-N',
  ],
  [
    'a made message that fails gives way to the plain one',
    { spec: says('false', { message: 'plain', messageExpression: 'string(object.nothing)' }) },
    'plain',
  ],
  [
    'a made message of several lines gives way, too',
    { spec: says('false', { message: 'plain', messageExpression: '"a\\nb"' }) },
    'plain',
  ],
  [
    'what cannot be evaluated refuses',
    { spec: says('object.nothing == 1') },
    "expression 'object.nothing == 1' resulted in error: no such key: nothing",
  ],
  [
    'and does not where failures are ignored',
    { spec: { ...says('object.nothing == 1'), failurePolicy: 'Ignore' } },
    undefined,
  ],
  [
    'what is false refuses even where failures are ignored',
    { spec: { ...says('false'), failurePolicy: 'Ignore' } },
    'failed expression: false',
  ],
  [
    'variables are read by name, those before them included',
    {
      spec: {
        variables: [
          { name: 'count', expression: 'size(object.data)' },
          { name: 'twice', expression: 'variables.count * 2' },
        ],
        ...says('variables.twice < 4', { messageExpression: 'string(variables.twice)' }),
      },
      data: { a: '1', b: '2' },
    },
    '4',
  ],
  [
    'a variable that nobody reads is not evaluated',
    { spec: { variables: [{ name: 'bad', expression: '1/0 == 1' }], ...says('true') } },
    undefined,
  ],
  [
    'a variable that fails fails its reader',
    {
      spec: {
        variables: [{ name: 'bad', expression: 'object.nothing' }],
        ...says('variables.bad == 1'),
      },
    },
    'expression \'variables.bad == 1\' resulted in error: composited variable "bad" fails to evaluate: no such key: nothing',
  ],
  [
    'a condition that is false leaves the policy out',
    {
      spec: {
        matchConditions: [{ name: 'never', expression: 'object.metadata.name == "x"' }],
        ...says('false'),
      },
    },
    undefined,
  ],
  [
    'a condition that is false wins over one that fails',
    {
      spec: {
        matchConditions: [
          { name: 'fails', expression: 'object.nothing == 1' },
          { name: 'never', expression: 'false' },
        ],
        ...says('false'),
      },
    },
    undefined,
  ],
  [
    'conditions that fail refuse, all of them named',
    {
      spec: {
        matchConditions: [
          { name: 'one', expression: 'object.one == 1' },
          { name: 'two', expression: 'object.two == 2' },
        ],
        ...says('true'),
      },
    },
    "[expression 'object.one == 1' resulted in error: no such key: one, expression 'object.two == 2' resulted in error: no such key: two]",
  ],
  [
    'conditions that fail leave the policy out where failures are ignored',
    {
      spec: {
        matchConditions: [{ name: 'one', expression: 'object.one == 1' }],
        ...says('false'),
        failurePolicy: 'Ignore',
      },
    },
    undefined,
  ],
  // Y-09
  [
    'the request is seen',
    {
      spec: says(
        [
          "request.operation == 'CREATE'",
          "request.kind.kind == 'ConfigMap' && request.kind.version == 'v1' && request.kind.group == ''",
          "request.resource.resource == 'configmaps' && request.requestResource == request.resource",
          "request.namespace == 'default' && request.name == object.metadata.name",
          "!has(request.subResource) && request.dryRun == false && 'system:unauthenticated' in request.userInfo.groups",
          "request.options.kind == 'CreateOptions'",
          'oldObject == null',
          "namespaceObject.metadata.name == 'default' && namespaceObject.status.phase == 'Active'",
          "namespaceObject.metadata.creationTimestamp > timestamp('2020-01-01T00:00:00Z')",
        ].join(' && '),
      ),
    },
    undefined,
  ],
  [
    'rights can be checked, about anything and about the request itself, for anybody',
    {
      spec: {
        ...says("authorizer.group('').resource('pods').namespace('x').check('get').allowed()"),
        matchConditions: [
          { name: 'path', expression: "authorizer.path('/healthz').check('get').allowed()" },
          {
            name: 'account',
            expression:
              "authorizer.serviceAccount('default', 'some').group('apps').resource('deployments').subresource('scale').name('x').check('get').allowed()",
          },
          { name: 'own', expression: "authorizer.requestResource.check('delete').allowed()" },
        ],
      },
    },
    undefined,
  ],
  [
    'an annotation that fails refuses whatever the binding does',
    {
      spec: { auditAnnotations: [{ key: 'k', valueExpression: 'string(object.nothing)' }] },
      binding: { validationActions: ['Audit'] },
    },
    "expression 'string(object.nothing)' resulted in error: no such key: nothing",
  ],
  [
    'one expression may cost so much',
    {
      spec: says("object.data.all(a, object.data.all(b, object.data.all(c, a + b + c != 'x')))"),
      data: Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`key-${i}`, 'x'])),
    },
    "expression 'object.data.all(a, object.data.all(b, object.data.all(c, a + b + c != 'x')))' resulted in error: operation cancelled: actual cost limit exceeded",
  ],
  [
    'all of them together, too',
    {
      spec: {
        validations: Array.from({ length: 60 }, () => ({
          expression: 'object.data.all(a, object.data.all(b, a != "x" || b != "x"))',
        })),
      },
      data: Object.fromEntries(Array.from({ length: 210 }, (_, i) => [`key-${i}`, 'x'])),
    },
    'validation failed due to running out of cost budget, no further validation rules will be run',
  ],
]

for (const [name, given, want] of verdicts) {
  test(name, async ({ plane }) => {
    const { status, message, name: object } = await created(plane, given)
    const start = `configmaps "${object}" is forbidden: ${head}`
    assert.is(
      message.replaceAll(object, 'case-N'),
      want ? `${start}${want}`.replaceAll(object, 'case-N') : '',
    )
    assert.is(status, want === undefined ? 201 : 422)
  })
}

const codes = [
  [undefined, 422, 'Invalid'],
  ['Invalid', 422, 'Invalid'],
  ['Forbidden', 403, 'Forbidden'],
  ['RequestEntityTooLarge', 413, 'RequestEntityTooLarge'],
] as const

for (const [reason, code, word] of codes) {
  test(`a refusal for the reason ${reason} has the code ${code}`, async ({ plane }) => {
    const spec = says('false', { message: 'no', ...(reason && { reason }) })
    const { status, json, name } = await created(plane, { spec })
    const message = `${head}no`
    assert.is(status, code)
    assert.equal(json, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `configmaps "${name}" is forbidden: ${message}`,
      reason: word,
      details: { name, kind: 'configmaps', causes: [{ message }] },
      code,
    })
  })
}

test('warnings are told with the answer, whether the request passes or not', async ({ plane }) => {
  const warned = "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': be careful"
  const spec = says('false', { message: 'be careful' })
  const passed = await created(plane, { spec, binding: { validationActions: ['Warn', 'Audit'] } })
  assert.is(passed.status, 201)
  assert.equal(passed.warnings, [warned])
  const undo = await enforce(
    plane.ask,
    [policy('p', spec)],
    [binding('b', 'p', { validationActions: ['Warn'] }), binding('c', 'p')],
  )
  const refused = await plane.ask('POST', configMaps, configMap(fresh()))
  await undo()
  assert.is(refused.status, 422)
  assert.equal(refused.warnings, [warned])
})

test('a change sees the old object, a deletion nothing else', async ({ plane }) => {
  const { ask } = plane
  const name = fresh()
  await ask('POST', configMaps, configMap(name, { keep: 'yes' }))
  const expression =
    "request.operation == 'DELETE' ? object == null && !has(oldObject.data) : object.data == oldObject.data"
  const undo = await enforce(ask, [policy('p', says(expression))], [binding('b', 'p')])
  const path = `${configMaps}/${name}`
  assert.is((await ask('PATCH', path, { data: { more: '1' } })).status, 422)
  assert.is((await ask('DELETE', path)).status, 422)
  await undo()
  const undone = await ask('PATCH', path, { data: { keep: null } })
  assert.is(undone.status, 200)
  const again = await enforce(ask, [policy('p', says(expression))], [binding('b', 'p')])
  assert.is((await ask('DELETE', path)).status, 200)
  await again()
})

test('several policies are asked in the order of their names; the first refusal is told', async ({
  plane,
}) => {
  const undo = await enforce(
    plane.ask,
    [policy('z', says('false')), policy('a', says('false')), policy('m', says('true'))],
    [binding('1', 'z'), binding('2', 'a'), binding('3', 'm'), binding('4', 'nobody')],
  )
  const { message } = await plane.ask('POST', configMaps, configMap('many'))
  await undo()
  assert.match(message, "ValidatingAdmissionPolicy 'a' with binding '2' denied request")
})

test('a policy without a binding has no effect, nor a binding without a policy', async ({
  plane,
}) => {
  const undo = await enforce(plane.ask, [policy('p', says('false'))], [binding('b', 'q')])
  assert.is((await plane.ask('POST', configMaps, configMap(fresh()))).status, 201)
  await undo()
})

test('a policy that refuses everything refuses neither policies nor bindings', async ({
  plane,
}) => {
  const everything = {
    matchConstraints: {
      resourceRules: [
        { apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] },
      ],
    },
  }
  const { ask } = plane
  await enforce(ask, [policy('p', { ...everything, ...says('false') })], [binding('b', 'p')])
  const hook = '/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations'
  assert.is((await ask('POST', hook, { metadata: { name: 'h' } })).status, 422)
  assert.is((await ask('POST', bindingsPath, binding('c', 'p'))).status, 201)
  assert.is((await ask('DELETE', `${bindingsPath}/c`)).status, 200)
  assert.is((await ask('DELETE', `${bindingsPath}/b`)).status, 200)
  assert.is((await ask('DELETE', `${policiesPath}/p`)).status, 200)
  assert.is((await ask('POST', hook, { metadata: { name: 'h' } })).status, 201)
})

test('an edited policy counts at once, and one that comes back', async ({ plane }) => {
  const { ask } = plane
  const undo = await enforce(ask, [policy('p', says('false'))], [binding('b', 'p')])
  assert.is((await ask('POST', configMaps, configMap(fresh()))).status, 422)
  await ask('PATCH', `${policiesPath}/p`, { spec: says('true') })
  assert.is((await ask('POST', configMaps, configMap(fresh()))).status, 201)
  await ask('PATCH', `${policiesPath}/p`, { spec: says('false') })
  assert.is((await ask('POST', configMaps, configMap(fresh()))).status, 422)
  await ask('DELETE', `${bindingsPath}/b`)
  assert.is((await ask('POST', configMaps, configMap(fresh()))).status, 201)
  await undo()
})

test('a dry run is judged like a request', async ({ plane }) => {
  const undo = await enforce(plane.ask, [policy('p', says('request.dryRun'))], [binding('b', 'p')])
  const dry = await plane.ask('POST', `${configMaps}?dryRun=All`, configMap(fresh()))
  assert.is(dry.status, 201)
  assert.is((await plane.ask('POST', configMaps, configMap(fresh()))).status, 422)
  await undo()
})

test('v1alpha1 shows and takes the same policies', async ({ plane }) => {
  const alpha = '/apis/admissionregistration.orch.io/v1alpha1'
  const { ask } = plane
  const spec = { matchConstraints: configMapRules, ...says('false') }
  await ask('POST', `${alpha}/validatingadmissionpolicies`, { metadata: { name: 'old' }, spec })
  const bound = await ask('POST', `${alpha}/validatingadmissionpolicybindings`, binding('o', 'old'))
  assert.is(bound.status, 201)
  assert.is((await ask('POST', configMaps, configMap(fresh()))).status, 422)
  assert.is((await ask('GET', `${policiesPath}/old`)).status, 200)
  await ask('DELETE', `${alpha}/validatingadmissionpolicybindings/o`)
  await ask('DELETE', `${alpha}/validatingadmissionpolicies/old`)
})

test('without the gate policies are stored and do nothing', async () => {
  const { ask, server } = await startPolicyServer({ on: false })
  await enforce(ask, [policy('p', says('false'))], [binding('b', 'p')])
  assert.is((await ask('POST', configMaps, configMap('free'))).status, 201)
  await server.stop()
})

test.run()
