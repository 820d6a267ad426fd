/** Rights by roles: which rules fit a request, through which bindings, and the reasons that are given (supplement Z-03 to Z-07). */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { PolicyRule, Subject } from '../../../../../generated/apis/rbac/v1.ts'
import {
  AccessIndex,
  type AuthorizationAttributes,
  rbacAuthorizer,
  ruleResolver,
} from '../../../../../runtime/auth/auth.ts'

const test = suite('runtime/auth/authz/rbac')

const group = 'rbac.authorization.orch.io'
const jane = { username: 'jane', groups: ['dev', 'system:authenticated'] }
const robot = { username: 'system:serviceaccount:shop:robot', groups: [] }

type Request = Partial<AuthorizationAttributes>
function request(more: Request): AuthorizationAttributes {
  return { user: jane, verb: 'get', group: '', resource: 'pods', name: '', ...more }
}

function opened(): { readonly index: AccessIndex; readonly may: (more: Request) => string } {
  const index = new AccessIndex()
  const authorizer = rbacAuthorizer(index, ruleResolver(index, group), group)
  const may = (more: Request) => {
    const result = authorizer.authorize(request(more))
    assert.not.instance(result, Promise)
    const { decision, reason = '' } = result as { decision: string; reason?: string }
    return decision === 'Allow' ? 'yes' : reason === '' ? 'no' : reason
  }
  return { index, may }
}

const subject = (kind: string, name: string, namespace?: string): Subject => ({
  ...{ kind, name },
  ...(namespace !== undefined && { namespace }),
})
const clusterRole = (name: string) => ({ apiGroup: group, kind: 'ClusterRole', name })

function grant(index: AccessIndex, rule: PolicyRule, subjects = [subject('User', 'jane')]): void {
  index.setRole({ namespace: '', name: 'r', rules: [rule] })
  index.setBinding({ namespace: '', name: 'b', roleRef: clusterRole('r'), subjects })
}

const pods: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
const rules: readonly [name: string, rule: PolicyRule, request: Request, allowed: boolean][] = [
  ['the same verb, group and resource', pods, {}, true],
  ['another verb', pods, { verb: 'list' }, false],
  ['another group', pods, { group: 'apps' }, false],
  ['another resource', pods, { resource: 'nodes' }, false],
  ['any verb', { ...pods, verbs: ['*'] }, { verb: 'dance' }, true],
  ['any group', { ...pods, apiGroups: ['*'] }, { group: 'apps' }, true],
  ['any resource', { ...pods, resources: ['*'] }, { resource: 'nodes' }, true],
  ['any resource is any subresource', { ...pods, resources: ['*'] }, { subresource: 'log' }, true],
  ['a resource is not its subresources', pods, { subresource: 'log' }, false],
  ['a subresource', { ...pods, resources: ['pods/log'] }, { subresource: 'log' }, true],
  ['a subresource is not its resource', { ...pods, resources: ['pods/log'] }, {}, false],
  ['a subresource of all', { ...pods, resources: ['*/scale'] }, { subresource: 'scale' }, true],
  ['not another one', { ...pods, resources: ['*/scale'] }, { subresource: 'log' }, false],
  ['a name', { ...pods, resourceNames: ['web'] }, { name: 'web' }, true],
  ['another name', { ...pods, resourceNames: ['web'] }, { name: 'db' }, false],
  ['names allow no request without one', { ...pods, resourceNames: ['web'] }, {}, false],
  ['no path', { ...pods, resources: ['*'], apiGroups: ['*'] }, { path: '/healthz' }, false],
  ['a path', { verbs: ['get'], nonResourceURLs: ['/healthz'] }, { path: '/healthz' }, true],
  [
    'not below it',
    { verbs: ['get'], nonResourceURLs: ['/healthz'] },
    { path: '/healthz/a' },
    false,
  ],
  ['all below', { verbs: ['get'], nonResourceURLs: ['/healthz/*'] }, { path: '/healthz/a' }, true],
  [
    'the beginning of a step',
    { verbs: ['get'], nonResourceURLs: ['/he*'] },
    { path: '/health' },
    true,
  ],
  [
    'stars in the middle are none',
    { verbs: ['get'], nonResourceURLs: ['/*/a'] },
    { path: '/x/a' },
    false,
  ],
  ['every path', { verbs: ['get'], nonResourceURLs: ['*'] }, { path: '/x' }, true],
  ['a path is no resource', { verbs: ['*'], nonResourceURLs: ['*'] }, {}, false],
]
for (const [name, rule, asked, allowed] of rules) {
  test(`a rule: ${name} (Z-03)`, () => {
    const { index, may } = opened()
    grant(index, rule)
    assert.is(may(asked), allowed ? 'yes' : 'no')
  })
}

test('a binding of a namespace holds there alone, one of the cluster everywhere (Z-04)', () => {
  const { index, may } = opened()
  index.setRole({ namespace: '', name: 'r', rules: [pods] })
  index.setRole({ namespace: 'shop', name: 'local', rules: [{ ...pods, resources: ['services'] }] })
  const subjects = [subject('Group', 'dev')]
  index.setBinding({ namespace: 'shop', name: 'a', roleRef: clusterRole('r'), subjects })
  const role = { apiGroup: group, kind: 'Role', name: 'local' }
  index.setBinding({ namespace: 'shop', name: 'b', roleRef: role, subjects })
  assert.is(may({ namespace: 'shop' }), 'yes')
  assert.is(may({ namespace: 'shop', resource: 'services' }), 'yes')
  assert.is(may({ namespace: 'other' }), 'no')
  assert.is(may({}), 'no')
  index.setBinding({ namespace: '', name: 'a', roleRef: clusterRole('r'), subjects })
  assert.is(may({ namespace: 'other' }), 'yes')
  index.removeBinding({ namespace: '', name: 'a' })
  assert.is(may({ namespace: 'other' }), 'no')
})

test('a service account is meant by name and namespace; in a namespace by its name alone (Z-04)', () => {
  const { index, may } = opened()
  index.setRole({ namespace: '', name: 'r', rules: [pods] })
  const roleRef = clusterRole('r')
  const asRobot = (more: Request) => may({ user: robot, ...more })
  index.setBinding({
    ...{ namespace: '', name: 'a', roleRef },
    subjects: [subject('ServiceAccount', 'robot')],
  })
  assert.is(asRobot({}), 'no')
  index.setBinding({
    ...{ namespace: 'shop', name: 'a', roleRef },
    subjects: [subject('ServiceAccount', 'robot')],
  })
  assert.is(asRobot({ namespace: 'shop' }), 'yes')
  index.setBinding({
    ...{ namespace: 'x', name: 'a', roleRef },
    subjects: [subject('ServiceAccount', 'robot')],
  })
  assert.is(asRobot({ namespace: 'x' }), 'no')
  index.setBinding({
    ...{ namespace: '', name: 'a', roleRef },
    subjects: [subject('ServiceAccount', 'robot', 'shop')],
  })
  assert.is(asRobot({}), 'yes')
})

test('an allowance names binding, role and the first subject that fits (Z-05)', () => {
  const { index } = opened()
  const authorizer = rbacAuthorizer(index, ruleResolver(index, group), group)
  const reason = (more: Request) =>
    (authorizer.authorize(request(more)) as { reason: string }).reason
  const both = [subject('User', 'bob'), subject('Group', 'dev'), subject('User', 'jane')]
  grant(index, pods, both)
  assert.is(reason({}), 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to Group "dev"')
  const subjects = [subject('ServiceAccount', 'robot')]
  index.setBinding({ namespace: 'shop', name: 'c', roleRef: clusterRole('r'), subjects })
  assert.is(
    reason({ user: robot, namespace: 'shop' }),
    'RBAC: allowed by RoleBinding "c/shop" of ClusterRole "r" to ServiceAccount "robot/shop"',
  )
})

test('a missing role grants nothing, and its absence is the reason (Z-06, Z-07)', () => {
  const { index, may } = opened()
  const subjects = [subject('User', 'jane')]
  index.setBinding({ namespace: '', name: 'a', roleRef: clusterRole('gone'), subjects })
  assert.is(may({}), `RBAC: clusterrole.${group} "gone" not found`)
  index.setBinding({ namespace: '', name: 'b', roleRef: clusterRole('gone'), subjects })
  assert.is(may({}), `RBAC: clusterrole.${group} "gone" not found`)
  const role = { apiGroup: group, kind: 'Role', name: 'here' }
  index.setBinding({ namespace: 'shop', name: 'a', roleRef: role, subjects })
  assert.is(
    may({ namespace: 'shop' }),
    `RBAC: [clusterrole.${group} "gone" not found, role.${group} "here" not found]`,
  )
  index.setRole({ namespace: '', name: 'gone', rules: [pods] })
  assert.is(may({}), 'yes')
  index.removeRole({ namespace: '', name: 'gone' })
  assert.is(may({ verb: 'list' }), `RBAC: clusterrole.${group} "gone" not found`)
})

test('requests are told apart whatever characters they hold', () => {
  const { index, may } = opened()
  grant(index, { verbs: ['get'], apiGroups: [''], resources: ['a\nb'] })
  assert.is(may({ resource: 'a\nb' }), 'yes')
  assert.is(may({ resource: 'a', subresource: 'b' }), 'no')
  assert.is(may({ resource: 'a', name: 'b' }), 'no')
  assert.is(may({ verb: 'get\n', resource: 'a\nb' }), 'no')
  assert.is(may({ user: { username: '__proto__', groups: ['constructor'] } }), 'no')
})

test('a binding of ten thousand subjects, and ten thousand bindings, are found by their user alone', () => {
  const { index, may } = opened()
  const subjects = Array.from({ length: 10_000 }, (_, at) => subject('User', `u${at}`))
  grant(index, pods, subjects)
  for (let at = 0; at < 10_000; at++) {
    index.setBinding({
      ...{ namespace: 'x', name: `b${at}`, roleRef: clusterRole('r') },
      subjects: [subject('User', `v${at}`)],
    })
  }
  assert.is(may({ user: { username: 'u9999', groups: [] } }), 'yes')
  assert.is(may({ user: { username: 'v9999', groups: [] }, namespace: 'x' }), 'yes')
  assert.equal(
    index.grantsOf({ username: 'v77', groups: [] }, 'x').map(({ binding }) => binding.name),
    ['b77'],
  )
})

test.run()
