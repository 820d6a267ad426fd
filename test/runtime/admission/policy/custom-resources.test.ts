/** Policies about kinds that are defined at run time, and with parameters of such kinds (supplement Q-11). */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  binding,
  enforce,
  type PolicyServer,
  policiesPath,
  policy,
  startPolicyServer,
} from '../../../support/policies.ts'
import { until } from '../../../support/until.ts'

const test = suite<{ plane: PolicyServer }>('runtime/admission/policy: custom kinds')

const definitions = '/apis/apiextensions.orch.io/v1/customresourcedefinitions'
const gadgets = '/apis/demo.example.com/v1/namespaces/default/gadgets'
const gadget = (name: string, size: number) => ({
  apiVersion: 'demo.example.com/v1',
  kind: 'Gadget',
  metadata: { name },
  spec: { size },
})

test.before(async (context) => {
  const plane = await startPolicyServer()
  context.plane = plane
  const spec = { type: 'object', properties: { size: { type: 'integer' } } }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  await plane.ask('POST', definitions, {
    metadata: { name: 'gadgets.demo.example.com' },
    spec: {
      group: 'demo.example.com',
      scope: 'Namespaced',
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  })
  await until('gadgets are served', async () => (await plane.ask('GET', gadgets)).status === 200)
})
test.after(({ plane }) => plane?.server.stop())

const about = {
  resourceRules: [
    {
      apiGroups: ['demo.example.com'],
      apiVersions: ['v1'],
      resources: ['gadgets'],
      operations: ['CREATE'],
    },
  ],
}

test('objects of a custom kind are judged, and the status knows their schema', async ({
  plane: { ask },
}) => {
  const validations = [
    { expression: 'object.spec.size < 5' },
    { expression: 'object.spec.siz == 1' },
  ]
  const spec = { matchConstraints: about, validations, failurePolicy: 'Ignore' }
  const undo = await enforce(ask, [policy('p', spec)], [binding('b', 'p')])
  assert.is((await ask('POST', gadgets, gadget('small', 4))).status, 201)
  assert.match(
    (await ask('POST', gadgets, gadget('large', 5))).message,
    "gadgets.demo.example.com \"large\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: object.spec.size < 5",
  )
  const status = await until('the policy is checked', async () => {
    const { json } = await ask('GET', `${policiesPath}/p`)
    const found = json.status as { typeChecking?: { expressionWarnings?: { warning: string }[] } }
    return found.typeChecking && found
  })
  assert.equal(
    status.typeChecking?.expressionWarnings?.map(({ warning }) => warning),
    [
      "demo.example.com/v1, Kind=Gadget: ERROR: <input>:1:12: undefined field 'siz'\n | object.spec.siz == 1\n | ...........^\n",
    ],
  )
  await undo()
})

test('parameters of a custom kind count until the kind is gone', async ({ plane: { ask } }) => {
  await ask('POST', gadgets, gadget('limit', 3))
  const spec = {
    paramKind: { apiVersion: 'demo.example.com/v1', kind: 'Gadget' },
    validations: [{ expression: 'size(object.data) <= params.spec.size' }],
  }
  const paramRef = { name: 'limit', parameterNotFoundAction: 'Deny' }
  const undo = await enforce(ask, [policy('q', spec)], [binding('q', 'q', { paramRef })])
  const configMaps = '/api/v1/namespaces/default/configmaps?dryRun=All'
  const make = (...keys: string[]) =>
    ask('POST', configMaps, {
      metadata: { name: 'one' },
      data: Object.fromEntries(keys.map((key) => [key, ''])),
    })
  assert.is((await make('a', 'b', 'c')).status, 201)
  assert.is((await make('a', 'b', 'c', 'd')).status, 422)
  await ask('DELETE', `${definitions}/gadgets.demo.example.com`)
  const { message } = await until('the kind is gone', async () => {
    const reply = await make('a')
    return reply.message.includes('failed to find resource') && reply
  })
  assert.is(
    message,
    "configmaps \"one\" is forbidden: ValidatingAdmissionPolicy 'q' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'demo.example.com/v1, Kind=Gadget'",
  )
  await undo()
})

test.run()
