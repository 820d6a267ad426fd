/** What clients are told who may not do something: the reference's words. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type AuthorizationAttributes,
  forbiddenError,
  unauthorizedError,
} from '../../../../runtime/auth/auth.ts'

const test = suite('runtime/auth/authz/errors')

const user = { username: 'jane', groups: [] }
const resource = { user, verb: 'get', group: '', resource: 'pods', name: '' }

const table: readonly (readonly [AuthorizationAttributes, reason: string, message: string])[] = [
  [
    { ...resource, verb: 'list', namespace: 'shop' },
    '',
    'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "shop"',
  ],
  [
    { ...resource, group: 'apps', resource: 'deployments', name: 'web', subresource: 'scale' },
    'no rule',
    'deployments.apps "web" is forbidden: User "jane" cannot get resource "deployments/scale" in API group "apps" at the cluster scope: no rule',
  ],
  [
    { ...resource, resource: '', path: '/metrics' },
    '',
    'forbidden: User "jane" cannot get path "/metrics"',
  ],
  [
    { ...resource, resource: '', path: '/<b>&' },
    '',
    'forbidden: User "jane" cannot get path "/&lt;b&gt;&amp;"',
  ],
]

for (const [attributes, reason, message] of table) {
  test(message, () => {
    const error = forbiddenError(attributes, reason)
    assert.equal([error.code, error.reason, error.message], [403, 'Forbidden', message])
  })
}

test('the details name the resource and the object', () => {
  const attributes = { ...resource, group: 'apps', resource: 'deployments', name: 'web' }
  const { details } = forbiddenError(attributes)
  assert.equal(details, { name: 'web', group: 'apps', kind: 'deployments' })
})

test('who is not known is told nothing else', () => {
  const { code, reason, message } = unauthorizedError()
  assert.equal([code, reason, message], [401, 'Unauthorized', 'Unauthorized'])
})

test.run()
