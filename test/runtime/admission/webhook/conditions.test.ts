/**
 * Match conditions decide whether a webhook is called at all (supplement Q-07). Nobody listens where these webhooks
 * are: a call shows as its failure. A1.7
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMap, type PolicyServer, startPolicyServer } from '../../../support/policies.ts'

const test = suite<{ plane: PolicyServer }>('runtime/admission/webhook: conditions')

test.before(async (context) => {
  context.plane = await startPolicyServer({ on: false })
})
test.after(({ plane }) => plane?.server.stop())

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
  ['a condition that is true', ['true'], 'called', 'left out'],
  ['a condition that is false', ['true', 'false'], 'left out', 'left out'],
  ['of the object', ['object.data.size() > 0 && oldObject == null'], 'called', 'left out'],
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

for (const plural of ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']) {
  for (const [name, expressions, fail, ignore] of table) {
    for (const [failurePolicy, want] of [
      ['Fail', fail],
      ['Ignore', ignore],
    ] as const) {
      test(`${plural}, ${name}: ${failurePolicy}`, async ({ plane: { ask } }) => {
        const webhook = {
          name: 'hook.example.com',
          clientConfig: { url: 'https://127.0.0.1:1' },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          failurePolicy,
          rules: [
            { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] },
          ],
          matchConditions: expressions.map((expression, index) => ({
            name: `c${index}`,
            expression,
          })),
        }
        const made = await ask('POST', `${configurations}/${plural}`, {
          metadata: { name: 'h' },
          webhooks: [webhook],
        })
        assert.is(made.status, 201, made.message)
        const data = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`key-${i}`, 'v']))
        const { status, message } = await ask(
          'POST',
          '/api/v1/namespaces/default/configmaps?dryRun=All',
          configMap('one', data),
        )
        await ask('DELETE', `${configurations}/${plural}/h`)
        if (want === 'left out') assert.is(status, 201, message)
        else if (want === 'called')
          assert.match(message, 'failed calling webhook "hook.example.com"')
        else {
          assert.is(status, 403)
          assert.is(message, `configmaps "one" is forbidden: ${want}`)
        }
      })
    }
  }
}

test.run()
