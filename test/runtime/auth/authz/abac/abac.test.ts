/** Rights by lines of a policy file (Z-01). */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { abacAuthorizer, readAbacPolicies } from '../../../../../runtime/auth/auth.ts'

const test = suite('runtime/auth/authz/abac')

const apiVersion = 'abac.authorization.orch.io/v1beta1'
const line = (spec: object) => JSON.stringify({ apiVersion, kind: 'Policy', spec })
const read = (...lines: string[]) => readAbacPolicies(lines.join('\n'), [apiVersion])
const jane = { username: 'jane', groups: ['dev', 'system:authenticated'] }

function may(spec: object, asked: object, user = jane) {
  const { policies } = read(line(spec))
  const request = { verb: 'get', group: '', resource: 'pods', name: '', user, ...asked }
  const result = abacAuthorizer(policies).authorize(request)
  return (result as { decision: string }).decision === 'Allow'
}

const all = { namespace: '*', resource: '*', apiGroup: '*' }
const cases: readonly [name: string, spec: object, asked: object, allowed: boolean][] = [
  ['a user', { user: 'jane', ...all }, {}, true],
  ['another user', { user: 'bob', ...all }, {}, false],
  ['a group', { group: 'dev', ...all }, {}, true],
  ['a user and a group, of which one fits', { user: 'jane', group: 'ops', ...all }, {}, false],
  ['neither', all, {}, false],
  ['every user', { user: '*', ...all }, {}, true],
  ['reads', { user: 'jane', readonly: true, ...all }, { verb: 'list' }, true],
  ['no writes', { user: 'jane', readonly: true, ...all }, { verb: 'create' }, false],
  ['a namespace', { user: 'jane', ...all, namespace: 'shop' }, { namespace: 'shop' }, true],
  ['another namespace', { user: 'jane', ...all, namespace: 'shop' }, { namespace: 'x' }, false],
  ['a resource', { user: 'jane', ...all, resource: 'pods' }, {}, true],
  ['another group of resources', { user: 'jane', ...all, apiGroup: 'apps' }, {}, false],
  ['no path', { user: 'jane', ...all }, { path: '/healthz' }, false],
  ['a path', { user: 'jane', nonResourcePath: '/healthz' }, { path: '/healthz' }, true],
  ['paths below', { user: 'jane', nonResourcePath: '/a/*' }, { path: '/a/b' }, true],
]
for (const [name, spec, asked, allowed] of cases) {
  test(`a policy for ${name}`, () => assert.is(may(spec, asked), allowed))
}

test('who is not authenticated is no user of a star', () => {
  const anonymous = { username: 'system:anonymous', groups: ['system:unauthenticated'] }
  assert.is(may({ user: '*', ...all }, {}, anonymous), false)
})

test('every wrong line is named with its number', () => {
  const { problems } = read(
    '# comment',
    '',
    '{',
    '[]',
    JSON.stringify({ apiVersion: 'v9', kind: 'Policy' }),
    JSON.stringify({ apiVersion, kind: 'Rule' }),
    line({ user: 7 }),
    line({ person: 'jane' }),
    line({ user: 'jane', readonly: 'yes' }),
    line({ user: 'jane', __proto__: 1 }),
  )
  assert.equal(problems, [
    'line 3: is not JSON',
    'line 4: has to be an object',
    `line 5: apiVersion has to be ${apiVersion}`,
    'line 6: kind has to be Policy',
    'line 7: user has to be a string',
    'line 8: "person" is unknown',
    'line 9: readonly has to be true or false',
  ])
})

test('lines of the oldest form allow what they do not name', () => {
  const { policies, problems } = read(
    '{"user":"jane","resource":"pods","readonly":true}',
    '{"group":"ops"}',
  )
  assert.equal(problems, [])
  const authorizer = abacAuthorizer(policies)
  const decide = (asked: object) =>
    (
      authorizer.authorize({
        user: jane,
        verb: 'get',
        group: 'x',
        resource: 'pods',
        name: '',
        ...asked,
      }) as { decision: string }
    ).decision
  assert.is(decide({}), 'Allow')
  assert.is(decide({ verb: 'create' }), 'NoOpinion')
  assert.is(decide({ path: '/x', user: { username: 'o', groups: ['ops'] } }), 'Allow')
})

test.run()
