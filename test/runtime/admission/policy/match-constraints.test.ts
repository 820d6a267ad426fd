/** Which requests a policy and its binding are about, and with which parameters (supplement ). */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  binding,
  configMap,
  enforce,
  type PolicyServer,
  policy,
  startPolicyServer,
} from '../../../support/policies.ts'

const test = suite<{ plane: PolicyServer }>('runtime/admission/policy: matching')

const configMaps = '/api/v1/namespaces/default/configmaps'

test.before(async (context) => {
  const plane = await startPolicyServer()
  context.plane = plane
  const { ask } = plane
  for (const [name, team] of [
    ['red', 'a'],
    ['blue', 'b'],
  ]) {
    await ask('POST', '/api/v1/namespaces', { metadata: { name, labels: { team } } })
  }
})
test.after(({ plane }) => plane?.server.stop())

let names = 0
const fresh = () => `case-${names++}`

function deployment(name: string) {
  const labels = { app: name }
  const spec = { containers: [{ name: 'main', image: 'example/app:1' }] }
  return {
    metadata: { name, labels: { tier: 'web' } },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  }
}

function rule(resources: string, more: object = {}) {
  const [group = '', version = '', resource = ''] = resources.split(' ')
  return {
    apiGroups: [group === 'core' ? '' : group],
    apiVersions: [version],
    resources: [resource],
    operations: ['CREATE'],
    ...more,
  }
}

type Constraints = Readonly<Record<string, unknown>>

/** Whether a policy that refuses everything it is asked about refuses the creation of a Deployment in `red`. */
const matches: readonly (readonly [
  name: string,
  constraints: Constraints,
  refused: boolean,
  bound?: Constraints,
])[] = [
  ['the resource', { resourceRules: [rule('apps v1 deployments')] }, true],
  ['another resource', { resourceRules: [rule('apps v1 replicasets')] }, false],
  ['any resource', { resourceRules: [rule('* * *')] }, true],
  ['it and its subresources', { resourceRules: [rule('apps v1 deployments/*')] }, true],
  ['one subresource only', { resourceRules: [rule('apps v1 deployments/scale')] }, false],
  [
    'another operation',
    { resourceRules: [rule('apps v1 deployments', { operations: ['DELETE'] })] },
    false,
  ],
  ['the scope', { resourceRules: [rule('apps v1 deployments', { scope: 'Namespaced' })] }, true],
  ['another scope', { resourceRules: [rule('apps v1 deployments', { scope: 'Cluster' })] }, false],
  [
    'other names',
    { resourceRules: [rule('apps v1 deployments', { resourceNames: ['other'] })] },
    false,
  ],
  [
    'what is excluded',
    {
      resourceRules: [rule('* * *')],
      excludeResourceRules: [rule('apps * deployments')],
    },
    false,
  ],
  [
    'what is excluded by other names',
    {
      resourceRules: [rule('* * *')],
      excludeResourceRules: [rule('apps * deployments', { resourceNames: ['other'] })],
    },
    true,
  ],
  [
    'a namespace by its labels',
    {
      resourceRules: [rule('apps v1 deployments')],
      namespaceSelector: { matchLabels: { team: 'a' } },
    },
    true,
  ],
  [
    'another namespace',
    {
      resourceRules: [rule('apps v1 deployments')],
      namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['a'] }] },
    },
    false,
  ],
  [
    'an object by its labels',
    {
      resourceRules: [rule('apps v1 deployments')],
      objectSelector: { matchLabels: { tier: 'web' } },
    },
    true,
  ],
  [
    'other objects',
    {
      resourceRules: [rule('apps v1 deployments')],
      objectSelector: { matchLabels: { tier: 'db' } },
    },
    false,
  ],
  [
    'all that the policy matches, for a binding without rules',
    { resourceRules: [rule('apps v1 deployments')] },
    true,
    { objectSelector: { matchLabels: { tier: 'web' } } },
  ],
  [
    'less than the policy, by the rules of its binding',
    { resourceRules: [rule('* * *')] },
    false,
    { resourceRules: [rule('core v1 pods')] },
  ],
  [
    'less than the policy, by namespaces of its binding',
    { resourceRules: [rule('apps v1 deployments')] },
    false,
    { namespaceSelector: { matchLabels: { team: 'b' } } },
  ],
  [
    'no more than the policy, whatever its binding says',
    { resourceRules: [rule('core v1 pods')] },
    false,
    { resourceRules: [rule('* * *')] },
  ],
]

for (const [name, matchConstraints, refused, matchResources] of matches) {
  test(`a policy matches, or not: ${name}`, async ({ plane: { ask } }) => {
    const spec = { matchConstraints, validations: [{ expression: 'false' }] }
    const bound = { ...(matchResources && { matchResources }) }
    const undo = await enforce(ask, [policy('p', spec)], [binding('b', 'p', bound)])
    const { status } = await ask(
      'POST',
      '/apis/apps/v1/namespaces/red/deployments?dryRun=All',
      deployment(fresh()),
    )
    await undo()
    assert.is(status, refused ? 422 : 201)
  })
}

test('another version of the same objects matches, and is shown in that version, unless the match is exact', async ({
  plane: { ask },
}) => {
  const rules = [rule('autoscaling v1 horizontalpodautoscalers')]
  const autoscaler = (name: string) => ({
    metadata: { name },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 3,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
        },
      ],
    },
  })
  const messageExpression = [
    'request.kind.version',
    'request.requestKind.version',
    'request.resource.version',
    'request.requestResource.version',
    'object.apiVersion',
    'string(object.spec.targetCPUUtilizationPercentage)',
  ].join(" + ' ' + ")
  const validations = [{ expression: 'false', messageExpression }]
  const path = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers'
  const want = [
    ['Equivalent', 422, 'denied request: v1 v2 v1 v2 autoscaling/v1 50'],
    ['Exact', 201, ''],
  ] as const
  for (const [matchPolicy, code, text] of want) {
    const matchConstraints = { resourceRules: rules, matchPolicy }
    const undo = await enforce(
      ask,
      [policy('p', { matchConstraints, validations })],
      [binding('b', 'p')],
    )
    const { status, message } = await ask('POST', path, autoscaler(fresh()))
    await undo()
    assert.is(status, code, message)
    assert.match(message, text)
  }
})

test('subresources are matched by their own name and seen in their own form', async ({
  plane: { ask },
}) => {
  const path = '/apis/apps/v1/namespaces/blue/deployments'
  const name = fresh()
  await ask('POST', path, deployment(name))
  const matchConstraints = {
    resourceRules: [rule('apps v1 deployments/scale', { operations: ['UPDATE'] })],
  }
  const expression =
    "object.kind == 'Scale' && request.subResource == 'scale' && object.spec.replicas < 3"
  const undo = await enforce(
    ask,
    [policy('p', { matchConstraints, validations: [{ expression }] })],
    [binding('b', 'p')],
  )
  const scale = (replicas: number) => ask('PATCH', `${path}/${name}/scale`, { spec: { replicas } })
  assert.is((await scale(2)).status, 200)
  assert.is((await scale(3)).status, 422)
  assert.is((await ask('PATCH', `${path}/${name}`, { spec: { replicas: 5 } })).status, 200)
  await undo()
})

test('a namespace is matched by its own labels', async ({ plane: { ask } }) => {
  const matchConstraints = {
    resourceRules: [rule('core v1 namespaces')],
    namespaceSelector: { matchLabels: { locked: 'yes' } },
  }
  const validations = [{ expression: 'namespaceObject != null' }]
  const undo = await enforce(
    ask,
    [policy('p', { matchConstraints, validations })],
    [binding('b', 'p')],
  )
  const make = (labels: object) =>
    ask('POST', '/api/v1/namespaces', { metadata: { name: fresh(), labels } })
  assert.is((await make({ locked: 'yes' })).status, 422)
  assert.is((await make({ locked: 'no' })).status, 201)
  await undo()
})

const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' }
const limited = {
  matchConstraints: {
    resourceRules: [rule('* * *', { resources: ['deployments', 'nodes'] })],
  },
  paramKind,
  validations: [
    {
      expression: 'params == null || object.metadata.name.size() <= int(params.data.longest)',
      messageExpression: "params.metadata.name + ' allows ' + params.data.longest",
    },
  ],
}

/** What a Deployment named `long-name` is told under parameters: what is refused with, if anything. */
const parameters: readonly (readonly [name: string, ref: object | undefined, want: string])[] = [
  ['none: they are null', undefined, ''],
  [
    'by name, in the namespace of the request',
    { name: 'strict' },
    "with binding 'b' denied request: strict allows 3",
  ],
  [
    'by name, in a namespace of their own',
    { name: 'elsewhere', namespace: 'blue' },
    'elsewhere allows 5',
  ],
  ['by labels, each of them', { selector: { matchLabels: { limits: 'yes' } } }, 'strict allows 3'],
  ['all of a namespace', { selector: {}, namespace: 'blue' }, 'elsewhere allows 5'],
  ['missing, and that is allowed', { name: 'nothing' }, ''],
  [
    'missing, and that is not allowed',
    { name: 'nothing', parameterNotFoundAction: 'Deny' },
    "with binding 'b' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
  ],
  [
    'of no labels that there are',
    { selector: { matchLabels: { limits: 'never' } }, parameterNotFoundAction: 'Deny' },
    'no params found for policy binding',
  ],
]

for (const [name, ref, want] of parameters) {
  test(`parameters: ${name}`, async ({ plane: { ask } }) => {
    const red = '/api/v1/namespaces/red/configmaps'
    await ask('POST', red, configMap('strict', { longest: '3' }, { labels: { limits: 'yes' } }))
    await ask('POST', red, configMap('loose', { longest: '30' }, { labels: { limits: 'yes' } }))
    const blue = '/api/v1/namespaces/blue/configmaps'
    await ask('POST', blue, configMap('elsewhere', { longest: '5' }))
    const paramRef = ref && { parameterNotFoundAction: 'Allow', ...ref }
    const undo = await enforce(
      ask,
      [policy('p', limited)],
      [binding('b', 'p', paramRef && { paramRef })],
    )
    const path = '/apis/apps/v1/namespaces/red/deployments?dryRun=All'
    const { status, message } = await ask('POST', path, deployment('long-name'))
    await undo()
    assert.is(status, want === '' ? 201 : 422, message)
    assert.match(message, want)
  })
}

test('parameters that change count at once', async ({ plane: { ask } }) => {
  const path = `${configMaps}/limits`
  await ask('POST', configMaps, configMap('limits', { longest: '30' }))
  const paramRef = { name: 'limits', parameterNotFoundAction: 'Deny' }
  const undo = await enforce(ask, [policy('p', limited)], [binding('b', 'p', { paramRef })])
  const make = () =>
    ask('POST', '/apis/apps/v1/namespaces/default/deployments?dryRun=All', deployment('long-name'))
  assert.is((await make()).status, 201)
  await ask('PATCH', path, { data: { longest: '2' } })
  assert.is((await make()).status, 422)
  await ask('DELETE', path)
  assert.match((await make()).message, 'no params found')
  await undo()
})

test('parameters are selected by the labels that they have now', async ({ plane: { ask } }) => {
  const path = `${configMaps}/chosen`
  await ask('POST', configMaps, configMap('chosen', { longest: '2' }))
  const selector = { matchLabels: { chosen: 'yes' } }
  const paramRef = { selector, parameterNotFoundAction: 'Allow' }
  const undo = await enforce(ask, [policy('p', limited)], [binding('b', 'p', { paramRef })])
  const make = () =>
    ask('POST', '/apis/apps/v1/namespaces/default/deployments?dryRun=All', deployment('long-name'))
  for (const [chosen, code] of [
    ['no', 201],
    ['yes', 422],
    ['no', 201],
  ] as const) {
    await ask('PATCH', path, { metadata: { labels: { chosen } } })
    assert.is((await make()).status, code, chosen)
  }
  await ask('DELETE', path)
  await undo()
})

test('many parameters leave others their turn', async ({ plane: { ask, server } }) => {
  const crowded = '/api/v1/namespaces/blue/configmaps'
  const names = Array.from({ length: 300 }, (_, index) => `crowd-${index}`)
  const crowd = { crowd: 'yes' }
  await Promise.all(
    names.map((name) =>
      ask('POST', crowded, configMap(name, { longest: '99' }, { labels: crowd })),
    ),
  )
  const turnsWith = async (ref: object) => {
    const paramRef = { namespace: 'blue', parameterNotFoundAction: 'Deny', ...ref }
    const undo = await enforce(ask, [policy('p', limited)], [binding('b', 'p', { paramRef })])
    let turns = 0
    let working = true
    const others = () => {
      turns++
      if (working) setImmediate(others)
    }
    const request = server.dispatch({
      method: 'POST',
      path: '/apis/apps/v1/namespaces/red/deployments?dryRun=All',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(deployment('crowded')),
    })
    setImmediate(others)
    const { status } = await request
    working = false
    await undo()
    assert.is(status, 201)
    return turns
  }
  const one = await turnsWith({ name: 'crowd-0' })
  const many = await turnsWith({ selector: { matchLabels: crowd } })
  assert.ok(many >= one + 5, `${one} turns of others with one, ${many} with many`)
})

/** What is wrong with the policy or its binding only shows when a request comes. */
const mistaken: readonly (readonly [
  name: string,
  spec: object,
  ref: object | undefined,
  want: string,
])[] = [
  [
    'parameters of a kind that is not served',
    { ...limited, paramKind: { apiVersion: 'demo.example.com/v1', kind: 'Limit' } },
    { name: 'x' },
    "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'demo.example.com/v1, Kind=Limit'",
  ],
  [
    'parameters of a kind of the core group that is not served',
    { ...limited, paramKind: { apiVersion: 'v1', kind: 'Limit' } },
    { name: 'x' },
    "failed to find resource referenced by paramKind: '/v1, Kind=Limit'",
  ],
  [
    'parameters in namespaces for what is in none',
    limited,
    { name: 'x' },
    "with binding 'b' denied request: failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
  ],
  [
    'a namespace for parameters that are in none',
    { ...limited, paramKind: { apiVersion: 'v1', kind: 'Node' } },
    { name: 'x', namespace: 'red' },
    'failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
  ],
]

for (const [name, spec, ref, want] of mistaken) {
  test(`${name}: refused, or ignored as the failure policy says`, async ({ plane: { ask } }) => {
    const paramRef = { parameterNotFoundAction: 'Allow', ...ref }
    for (const failurePolicy of ['Fail', 'Ignore']) {
      const undo = await enforce(
        ask,
        [policy('p', { ...spec, failurePolicy })],
        [binding('b', 'p', { paramRef })],
      )
      const path = '/api/v1/nodes?dryRun=All'
      const { status, message } = await ask('POST', path, { metadata: { name: fresh() } })
      await undo()
      assert.is(status, failurePolicy === 'Fail' ? 422 : 201)
      assert.match(message, failurePolicy === 'Fail' ? want : '')
    }
  })
}

test.run()
