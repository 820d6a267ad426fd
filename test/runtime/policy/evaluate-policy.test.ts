/** What a policy says of plain JSON: variables, budgets, and runs that can be repeated (supplement C-15, Q-11). A2.43 */
import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CelAuthorizer } from '../../../runtime/cel/cel.ts'
import { runInSlices, runToCompletion } from '../../../runtime/kernel/async/slices.ts'
import {
  type Activation,
  compilePolicy,
  evaluatePolicy,
  type PolicyResult,
  type PolicySpec,
} from '../../../runtime/policy/policy.ts'

const test = suite('runtime/policy: judge')

const inputs = (given: Partial<Activation> = {}): Activation => ({
  object: { metadata: { name: 'one' } },
  oldObject: null,
  request: { operation: 'CREATE' },
  params: null,
  namespaceObject: null,
  resource: { group: '', resource: 'pods', subresource: '', namespace: '', name: 'one' },
  ...given,
})

function verdictOf(
  spec: PolicySpec,
  given?: Partial<Activation>,
  authority?: CelAuthorizer,
): PolicyResult {
  return runToCompletion(
    evaluatePolicy(compilePolicy(spec, 'orch'), inputs(given), authority, false),
  )
}

const textsOf = ({ failures: denials }: PolicyResult) => denials.map(({ text }) => text)
const nested = "object.names.all(a, object.names.all(b, a + b != ''))"
const names = { names: Array.from({ length: 300 }, (_, index) => `n${index}`) }

test('every validation that is false is told, with its place', () => {
  const validations = ['false', 'true', 'object.metadata.name == "two"'].map((expression) => ({
    expression,
  }))
  assert.equal(verdictOf({ validations }).failures, [
    { index: 0, reason: 'Invalid', text: 'failed expression: false' },
    { index: 2, reason: 'Invalid', text: 'failed expression: object.metadata.name == "two"' },
  ])
})

test('what is not there is null, and a field that is not set can be asked for', () => {
  const validations = [
    'object == null && oldObject == null && namespaceObject == null',
    'params == null && !has(request.name) && !has(request.userInfo)',
  ].map((expression) => ({ expression }))
  assert.equal(textsOf(verdictOf({ paramKind: {}, validations }, { object: null })), [])
})

test('fields are named as they are, whatever they are called', () => {
  const object = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}') as unknown
  const spec = {
    variables: [{ name: '__proto__', expression: '"own"' }],
    validations: [
      { expression: 'object["__proto__"].polluted && object["constructor"] == 1' },
      { expression: 'variables.__proto__ == "own" && has(variables.__proto__)' },
      { expression: '!("toString" in object) && !has(object.toString)' },
    ],
  }
  assert.equal(textsOf(verdictOf(spec, { object })), [])
})

test('a variable is evaluated once, at the expense of whoever reads it first', () => {
  const readers = Array.from({ length: 50 }, () => ({ expression: 'variables.slow' }))
  const variables = [{ name: 'slow', expression: nested }]
  assert.equal(textsOf(verdictOf({ variables, validations: readers }, { object: names })), [])
  const each = Array.from({ length: 50 }, () => ({ expression: nested }))
  assert.match(textsOf(verdictOf({ validations: each }, { object: names }))[0] ?? '', 'running out')
})

test('a variable that spends the budget ends it for everybody', () => {
  const variables = Array.from({ length: 40 }, (_, index) => ({
    name: `v${index}`,
    expression: nested,
  }))
  const all = variables.map(({ name }) => `(variables.${name} || true)`).join(' && ')
  const spec = { variables, validations: [{ expression: 'true' }, { expression: all }] }
  assert.equal(textsOf(verdictOf(spec, { object: names })), [
    'validation failed due to running out of cost budget, no further validation rules will be run',
  ])
})

test('conditions, validations and notes have budgets of their own', () => {
  const spec = {
    matchConditions: Array.from({ length: 3 }, (_, index) => ({
      name: `c${index}`,
      expression: nested,
    })),
    validations: Array.from({ length: 8 }, () => ({ expression: nested })),
    auditAnnotations: Array.from({ length: 8 }, (_, index) => ({
      key: `k${index}`,
      valueExpression: `${nested} ? 'yes' : 'no'`,
    })),
  }
  const { failures: denials, auditAnnotations: notes } = verdictOf(spec, { object: names })
  assert.equal(denials, [])
  assert.is(notes.length, 8)
})

test('a check of rights is asked of whoever decides', () => {
  const asked: unknown[] = []
  const authority: CelAuthorizer = {
    authorize(question) {
      asked.push(question)
      return { allowed: question.verb === 'get', reason: '' }
    },
    serviceAccount: () => authority,
  }
  const validations = [
    { expression: "authorizer.requestResource.check('get').allowed()" },
    { expression: "authorizer.path('/x').check('put').allowed()" },
  ]
  assert.equal(textsOf(verdictOf({ validations }, {}, authority)), [
    "failed expression: authorizer.path('/x').check('put').allowed()",
  ])
  const { resource } = inputs()
  assert.equal(asked, [
    { is: 'resource', verb: 'get', ...resource },
    { is: 'path', verb: 'put', path: '/x' },
  ])
})

test('long work stops now and then, and comes to the same', async () => {
  const validations = Array.from({ length: 8 }, () => ({ expression: nested }))
  const policy = compilePolicy({ validations }, 'orch')
  const given = inputs({ object: names })
  let turns = 0
  let working = true
  const others = () => {
    turns++
    if (working) setImmediate(others)
  }
  setImmediate(others)
  const sliced = await runInSlices(evaluatePolicy(policy, given, undefined, false))
  working = false
  assert.ok(turns >= 3, `${turns} turns of others`)
  assert.equal(sliced, runToCompletion(evaluatePolicy(policy, given, undefined, false)))
})

const expressions = [
  'object.a == 1 || has(object.b) && object.b.size() > 2',
  'object.all(key, object[key] != null)',
  "object['a'] in ['x', 'y'] ? true : object.c.d > 1.5",
  'variables.v == object.a',
  "string(object.a).matches('^[a-c]+$')",
]

test('no object makes a policy do anything but judge, twice the same', () => {
  const policy = compilePolicy(
    {
      variables: [{ name: 'v', expression: 'object.b.filter(x, x != 1)' }],
      validations: expressions.map((expression) => ({ expression })),
      auditAnnotations: [{ key: 'k', valueExpression: 'string(object.a)' }],
    },
    'orch',
  )
  const run = (object: unknown) =>
    runToCompletion(evaluatePolicy(policy, inputs({ object }), undefined, false))
  const anyObject = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.jsonValue())
  fc.assert(
    fc.property(anyObject, (object) => {
      const first = run(object)
      assert.ok(first.failures.length <= expressions.length + 1)
      assert.equal(run(object), first)
    }),
    { numRuns: 300 },
  )
})

test.run()
