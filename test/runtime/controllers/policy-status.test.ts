/** What authors of policies are told in the status (supplement Q-11, T-24). A2.49 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  binding,
  enforce,
  type PolicyServer,
  policiesPath,
  policy,
  startPolicyServer,
} from '../../support/policies.ts'
import { until } from '../../support/until.ts'

const test = suite<{ plane: PolicyServer }>('runtime/controllers: checks of policies')

test.before(async (context) => {
  context.plane = await startPolicyServer()
})
test.after(({ plane }) => plane?.server.stop())

interface Status {
  readonly observedGeneration?: number
  readonly typeChecking?: { readonly expressionWarnings?: readonly Warning[] }
}

interface Warning {
  readonly fieldRef: string
  readonly warning: string
}

/** The status of a policy once its present generation was looked at. */
function checked({ ask }: PolicyServer, name: string): Promise<Status> {
  return until('the policy is checked', async () => {
    const { metadata, status } = (await ask('GET', `${policiesPath}/${name}`)).json as {
      readonly metadata: { readonly generation: number }
      readonly status: Status
    }
    return status.observedGeneration === metadata.generation && status
  })
}

async function warningsOf(plane: PolicyServer, spec: object): Promise<readonly Warning[]> {
  const undo = await enforce(plane.ask, [policy('p', spec)], [])
  const { typeChecking } = await checked(plane, 'p')
  await undo()
  return typeChecking?.expressionWarnings ?? []
}

const rule = (group: string, version: string, ...resources: string[]) => ({
  apiGroups: [group],
  apiVersions: [version],
  resources,
  operations: ['*'],
})
const about = (...resourceRules: object[]) => ({ matchConstraints: { resourceRules } })
const deployments = about(rule('apps', 'v1', 'deployments'))
const says = (...expressions: string[]) => ({
  validations: expressions.map((expression) => ({ expression })),
})

test('what fits its types is observed and nothing more', async ({ plane }) => {
  const undo = await enforce(
    plane.ask,
    [policy('fits', { ...deployments, ...says('object.spec.replicas < 3') })],
    [],
  )
  assert.equal(await checked(plane, 'fits'), { observedGeneration: 1, typeChecking: {} })
  await undo()
})

test('a field that the kind does not have is named, with its place', async ({ plane }) => {
  assert.equal(
    await warningsOf(plane, { ...deployments, ...says('true', 'object.replicas > 1') }),
    [
      {
        fieldRef: 'spec.validations[1].expression',
        warning:
          "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n",
      },
    ],
  )
})

test('each kind is told of by itself, in order; message expressions are checked, too', async ({
  plane,
}) => {
  const spec = {
    ...about(rule('', 'v1', 'pods'), rule('apps', 'v1', 'deployments', 'replicasets')),
    validations: [
      {
        expression: 'object.spec.replicas > 1',
        messageExpression: "'too many: ' + object.spec.replicas",
      },
    ],
  }
  const pod = "/v1, Kind=Pod: ERROR: <input>:1:12: undefined field 'replicas'\n"
  const warnings = await warningsOf(plane, spec)
  assert.equal(
    warnings.map(({ fieldRef }) => fieldRef),
    ['spec.validations[0].expression', 'spec.validations[0].messageExpression'],
  )
  assert.is(warnings[0]?.warning, `${pod} | object.spec.replicas > 1\n | ...........^\n`)
  const heads = warnings[1]?.warning.split('\n\n').map((text) => text.split(': ')[0])
  assert.equal(heads, ['/v1, Kind=Pod', 'apps/v1, Kind=Deployment', 'apps/v1, Kind=ReplicaSet'])
  assert.match(
    warnings[1]?.warning ?? '',
    "found no matching overload for '_+_' applied to '(string, int)'",
  )
})

test('variables have the types of the kind', async ({ plane }) => {
  const variables = [{ name: 'count', expression: 'object.spec.replicas' }]
  const spec = { ...deployments, variables, ...says("variables.count == 'many'") }
  const [found] = await warningsOf(plane, spec)
  assert.match(found?.warning ?? '', "applied to '(int, string)'")
})

test('parameters have the type of their kind; of an unknown kind they may be anything', async ({
  plane,
}) => {
  const expression = "params.dat == null || object.metadata.labels['a'] == 'b'"
  const of = (kind: string) => ({
    ...deployments,
    paramKind: { apiVersion: 'v1', kind },
    ...says(expression),
  })
  const [found, ...more] = await warningsOf(plane, of('ConfigMap'))
  assert.match(found?.warning ?? '', "undefined field 'dat'")
  assert.is(more.length, 0)
  assert.equal(await warningsOf(plane, of('Unknown')), [])
})

test('what every object and every request has is known', async ({ plane }) => {
  const expressions = [
    "object.metadata.labels.all(key, key != 'x') && object.apiVersion == 'apps/v1'",
    'oldObject == null || oldObject.spec.replicas <= object.spec.replicas',
    "object.spec.template.spec.containers.all(c, c.image.startsWith('example/'))",
    'object.spec.strategy.rollingUpdate.maxSurge == 1',
    "quantity(object.spec.template.spec.containers[0].resources.limits['cpu']).isGreaterThan(quantity('1'))",
    "authorizer.requestResource.check('get').allowed() && request.namespace == 'x'",
  ]
  assert.equal(await warningsOf(plane, { ...deployments, ...says(...expressions) }), [])
})

test('wildcards name no kind, subresources neither, and a rule ten of them at most', async ({
  plane,
}) => {
  const wrong = says('object.nothing == 1')
  assert.equal(await warningsOf(plane, { ...about(rule('*', 'v1', 'pods')), ...wrong }), [])
  assert.equal(await warningsOf(plane, { ...about(rule('', '*', 'pods')), ...wrong }), [])
  assert.equal(
    await warningsOf(plane, { ...about(rule('', 'v1', '*', 'pods/status')), ...wrong }),
    [],
  )
  const eleven = [
    ...['bindings', 'configmaps', 'endpoints', 'events', 'limitranges', 'namespaces', 'nodes'],
    ...['persistentvolumeclaims', 'persistentvolumes', 'pods', 'podtemplates', 'secrets'],
  ]
  const [found] = await warningsOf(plane, { ...about(rule('', 'v1', ...eleven)), ...wrong })
  assert.is(found?.warning.split('\n\n').length, 10)
})

test('an edited policy is looked at again, and a policy in use meanwhile stays in force', async ({
  plane,
}) => {
  const { ask } = plane
  const undo = await enforce(
    ask,
    [policy('edited', { ...deployments, ...says('object.replicas == 1') })],
    [binding('edited', 'edited')],
  )
  assert.is((await checked(plane, 'edited')).typeChecking?.expressionWarnings?.length, 1)
  await ask('PATCH', `${policiesPath}/edited`, { spec: says('object.spec.replicas == 1') })
  // What an apply empties is gone (decision 145): no warning is left.
  assert.equal(await checked(plane, 'edited'), { observedGeneration: 2 })
  await undo()
})

test.run()
