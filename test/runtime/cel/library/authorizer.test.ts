import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { compile, createEnvironment } from '../../../../runtime/cel/cel.ts'
import { apiLibraries } from '../../../../runtime/cel/library/api-libraries.ts'
import {
  type AsyncCelAuthorizer,
  withAuthorizationChecks,
} from '../../../../runtime/cel/library/async-authorizer.ts'
import {
  type AuthorizationCheck,
  authorizerType,
  authorizerValue,
  type CelAuthorizer,
  resourceCheckType,
  resourceCheckValue,
} from '../../../../runtime/cel/library/authorizer.ts'
import type { Value } from '../../../../runtime/cel/values/values.ts'

const test = suite('runtime/cel/library/authorizer')

const asIs = (raw: unknown) => raw as Value
const environment = createEnvironment({
  libraries: apiLibraries,
  variables: [
    { name: 'authorizer', type: authorizerType, read: asIs },
    { name: 'authorizer.requestResource', type: resourceCheckType, read: asIs },
  ],
})

const request = {
  group: 'apps',
  resource: 'deployments',
  subresource: '',
  namespace: 'n',
  name: 'd',
}

function evaluate(source: string, authority: CelAuthorizer): unknown {
  const compiled = compile(source, environment)
  if (!compiled.ok) return compiled.text
  const outcome = compiled.program.evaluate({
    authorizer: authorizerValue(authority),
    'authorizer.requestResource': resourceCheckValue(authority, request),
  })
  return outcome.is === 'value'
    ? outcome.value
    : outcome.is === 'error'
      ? outcome.error.message
      : outcome
}

/** Remembers what it was asked; `delete` is refused, `watch` fails. */
function recording(who = 'me') {
  const asked: (readonly [string, AuthorizationCheck])[] = []
  const of = (name: string): CelAuthorizer => ({
    authorize(question) {
      asked.push([name, question])
      if (question.verb === 'watch') return { allowed: false, reason: '', error: 'no answer' }
      return { allowed: question.verb !== 'delete', reason: `${name} ${question.verb}` }
    },
    serviceAccount: (namespace, account) => of(`${namespace}:${account}`),
  })
  return { authority: of(who), asked }
}

test('A2.48 a check says what it asks about', () => {
  const unset = { subresource: '', namespace: '', name: '' }
  const cases: readonly (readonly [string, string, AuthorizationCheck])[] = [
    [
      "authorizer.group('apps').resource('deployments').check('get')",
      'me',
      { is: 'resource', verb: 'get', group: 'apps', resource: 'deployments', ...unset },
    ],
    [
      "authorizer.group('').resource('pods').subresource('log').namespace('n').name('p').check('get')",
      'me',
      {
        is: 'resource',
        verb: 'get',
        group: '',
        resource: 'pods',
        subresource: 'log',
        namespace: 'n',
        name: 'p',
      },
    ],
    [
      "authorizer.path('/healthz').check('get')",
      'me',
      { is: 'path', verb: 'get', path: '/healthz' },
    ],
    [
      "authorizer.serviceAccount('n', 's').path('/x').check('post')",
      'n:s',
      { is: 'path', verb: 'post', path: '/x' },
    ],
    [
      "authorizer.requestResource.check('update')",
      'me',
      { is: 'resource', verb: 'update', ...request },
    ],
  ]
  for (const [expression, who, question] of cases) {
    const { authority, asked } = recording()
    assert.is(evaluate(`${expression}.allowed()`, authority), true)
    assert.equal(asked, [[who, question]])
  }
})

test('A2.48, Y-03 a decision has a reason or an error', () => {
  const { authority } = recording()
  const check = (verb: string) => `authorizer.path('/x').check('${verb}')`
  assert.is(evaluate(`${check('delete')}.allowed()`, authority), false)
  assert.is(evaluate(`${check('delete')}.reason()`, authority), 'me delete')
  assert.is(evaluate(`${check('watch')}.errored()`, authority), true)
  assert.is(evaluate(`${check('watch')}.error()`, authority), 'no answer')
  assert.is(evaluate(`${check('get')}.errored()`, authority), false)
  assert.is(evaluate(`${check('get')}.error()`, authority), '')
})

test('A2.48 what names nothing is an error', () => {
  const { authority } = recording()
  const cases: readonly (readonly [string, string])[] = [
    ["authorizer.path('  ').check('get').allowed()", 'path must not be empty'],
    ["authorizer.group('').resource(' ').check('get').allowed()", 'resource must not be empty'],
    [
      "authorizer.serviceAccount('a.b', 'ok').path('/').check('get').allowed()",
      'Invalid service account namespace',
    ],
    [
      "authorizer.serviceAccount('ok', 'in@valid').path('/').check('get').allowed()",
      'Invalid service account name',
    ],
  ]
  for (const [expression, error] of cases) assert.is(evaluate(expression, authority), error)
})

test('checks that are answered later are each asked once', async () => {
  const asked: string[] = []
  const slow: AsyncCelAuthorizer = {
    async authorize({ verb }) {
      asked.push(verb)
      if (verb === 'list') throw new Error('gone')
      return { allowed: verb === 'get', reason: '' }
    },
    serviceAccount: () => slow,
  }
  const of = (verb: string) => `authorizer.path('/').check('${verb}')`
  const run = (source: string) =>
    withAuthorizationChecks(slow, (authority) => evaluate(source, authority))
  assert.is(await run(`${of('get')}.allowed() && !${of('put')}.allowed()`), true)
  assert.equal(asked.splice(0), ['get', 'put'])
  assert.is(await run(`${of('get')}.allowed() || ${of('put')}.allowed()`), true)
  assert.equal(asked.splice(0).sort(), ['get', 'put'])
  assert.is(await run(`${of('list')}.error()`), 'Error: gone')
})

test.run()
