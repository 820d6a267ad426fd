/** The roles and bindings that a server begins with, and roles that are made of others (supplement Z-10, Z-11). */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
} from '../../../../generated/apis/rbac/v1.ts'
import { scheme } from '../../../../generated/scheme.ts'
import { decideAggregation } from '../../../../runtime/controllers/access/role-aggregation.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'
import { startControlPlane } from '../../../../runtime/testing/testing.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controllers: roles and bindings of a new server')

const base = 'apis/rbac.authorization.orch.io/v1'
const kindAt = (plural: string) => scheme.routes[`${base}/${plural}`]!
const annotation = 'rbac.authorization.orch.io/autoupdate'
const rule = (...verbs: string[]): PolicyRule => ({ verbs, apiGroups: [''], resources: ['pods'] })

// O-04
test('the facts have as many roles and bindings as the public server, those of gates included', async () => {
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = await scheme.access!()
  const counts = [clusterRoles, clusterRoleBindings, roles, roleBindings].map((all) => all.length)
  assert.equal(counts, [68, 49, 7, 7])
})

test('a new server has every role and binding of its facts, with their label and annotation (Z-11)', async () => {
  await using plane = await startControlPlane({ authorization: 'RBAC' })
  const facts = await scheme.access!()
  const gates = new Set(scheme.gates)
  const isOn = ({ gate }: { readonly gate?: string }) => gate === undefined || gates.has(gate)
  for (const [plural, rows] of [
    ['clusterroles', facts.clusterRoles],
    ['clusterrolebindings', facts.clusterRoleBindings],
    ['roles', facts.roles],
    ['rolebindings', facts.roleBindings],
  ] as const) {
    const { items } = await plane.client.resource(kindAt(plural)).listAll()
    const place = ({
      namespace = '',
      name,
    }: {
      readonly namespace?: string
      readonly name: string
    }) => `${namespace}/${name}`
    assert.equal(
      items.map(({ metadata }) => place(metadata)).sort(),
      rows.filter(isOn).map(place).sort(),
    )
    for (const { metadata } of items) {
      assert.is(metadata.labels?.['orch.io/bootstrapping'], 'rbac-defaults')
      assert.is(metadata.annotations?.[annotation], 'true')
    }
  }
  const admin = await plane.client.resource<ClusterRole>(kindAt('clusterroles')).get('admin')
  assert.ok(admin.rules!.length > 20, 'aggregated before the server is ready')
})

test('what is missing comes back at a start, what was added stays, and "false" keeps all as it is (Z-11)', async () => {
  await using plane = await startControlPlane({ authorization: 'RBAC' })
  const roles = plane.client.resource<ClusterRole>(kindAt('clusterroles'))
  const bindings = plane.client.resource<ClusterRoleBinding>(kindAt('clusterrolebindings'))
  const discovery = await roles.get('system:discovery')
  await roles.update({ ...discovery, rules: [rule('dance')] })
  const basic = await roles.get('system:basic-user')
  const kept = { ...basic.metadata, annotations: { [annotation]: 'false' } }
  await roles.update({ ...basic, metadata: kept, rules: [] } as never)
  await roles.delete('view')
  const monitoring = await bindings.get('system:monitoring')
  const bob = { kind: 'User', name: 'bob' }
  await bindings.update({ ...monitoring, subjects: [bob] } as never)
  await using next = await plane.fork()
  const after = next.client.resource<ClusterRole>(kindAt('clusterroles'))
  const rules = (await after.get('system:discovery')).rules ?? []
  assert.equal(rules[0], rule('dance'))
  assert.equal(
    new Set(rules.slice(1).flatMap(({ nonResourceURLs = [] }) => nonResourceURLs)),
    new Set(discovery.rules?.[0]?.nonResourceURLs),
  )
  assert.equal((await after.get('system:basic-user')).rules ?? [], [])
  assert.ok((await after.get('view')).rules!.length > 5)
  const { subjects = [] } = await next.client
    .resource<ClusterRoleBinding>(kindAt('clusterrolebindings'))
    .get('system:monitoring')
  assert.equal(
    subjects.map(({ name }) => name),
    ['bob', 'system:monitoring'],
  )
})

test('an aggregated role follows the roles that it selects; edits of it are written over (Z-10, T-18)', async () => {
  await using plane = await startControlPlane({ authorization: 'RBAC' })
  const roles = plane.client.resource<ClusterRole>(kindAt('clusterroles'))
  const selector = { matchLabels: { team: 'a' } }
  await roles.create({
    metadata: { name: 'all' },
    rules: [rule('hand')],
    aggregationRule: { clusterRoleSelectors: [selector] },
  } as never)
  await roles.create({
    metadata: { name: 'one', labels: { team: 'a' } },
    rules: [rule('get')],
  } as never)
  const rulesOf = async () => (await roles.get('all')).rules ?? []
  await until(
    'the role follows',
    async () => (await rulesOf()).length === 1 && (await rulesOf())[0]?.verbs[0] === 'get',
  )
  await roles.create({
    metadata: { name: 'two', labels: { team: 'a' } },
    rules: [rule('get'), rule('list')],
  } as never)
  await until('the role follows', async () => (await rulesOf()).length === 2)
  await roles.mergePatch('all', { rules: [rule('hand')] } as never)
  await until('the role follows', async () => (await rulesOf())[0]?.verbs[0] === 'get')
  await roles.delete('one')
  await roles.delete('two')
  await until('the role follows', async () => (await rulesOf()).length === 0)
})

test('roles that select each other, or themselves, are settled after one write each (Z-10)', async () => {
  await using plane = await startControlPlane({ authorization: 'RBAC' })
  const roles = plane.client.resource<ClusterRole>(kindAt('clusterroles'))
  const { resourceVersion } = await roles.listAll()
  for (const one of [
    role('leaf', { z: 'true' }, [rule('get')]),
    role('a', { x: 'true' }, [], 'y'),
    role('b', { y: 'true' }, [], 'x', 'z'),
    role('self', { self: 'true' }, [rule('stale')], 'self'),
  ]) {
    await roles.create(one)
  }
  const verbsOf = async (name: string) => {
    const { rules } = await roles.get(name)
    return (rules ?? []).flatMap(({ verbs }) => verbs).join()
  }
  await until('the circle has the rules of the leaf', async () => {
    return (await verbsOf('a')) === 'get' && (await verbsOf('b')) === 'get'
  })
  await until('nothing is left that no other role gives', async () => !(await verbsOf('self')))
  // What follows from the next change of a role comes behind whatever else there was to write.
  await roles.create(role('last', {}, [], 'z'))
  await until('a role that came later follows', async () => (await verbsOf('last')) === 'get')
  const written: string[] = []
  for await (const event of roles.watch({ resourceVersion }, new AbortController().signal)) {
    const { name } = event.object.metadata
    if (event.type === 'MODIFIED') written.push(name)
    if (name === 'last' && event.type === 'MODIFIED') break
  }
  assert.equal(written.sort(), ['a', 'b', 'last', 'self'])
})

function role(name: string, labels: object, rules: readonly PolicyRule[], ...selects: string[]) {
  const clusterRoleSelectors = selects.map((label) => ({ matchLabels: { [label]: 'true' } }))
  return {
    metadata: { name, labels },
    rules,
    ...(selects.length > 0 && { aggregationRule: { clusterRoleSelectors } }),
  } as unknown as Stored<ClusterRole>
}

test('roles that select each other in a circle get what the others are given, and nothing stays that nobody gives (Z-10)', () => {
  const plan = (...roles: Stored<ClusterRole>[]) =>
    new Map([...decideAggregation(roles)].map(({ name, rules }) => [name, rules]))
  const circle = plan(
    role('a', { x: 'true' }, [rule('stale')], 'y'),
    role('b', { y: 'true' }, [rule('stale')], 'x', 'z'),
    role('leaf', { z: 'true' }, [rule('get')]),
  )
  assert.equal(circle.get('a'), [rule('get')])
  assert.equal(circle.get('b'), [rule('get')])
  assert.equal(plan(role('self', { x: 'true' }, [rule('stale')], 'x')).get('self'), [])
  assert.is(
    plan(role('done', {}, [rule('get')], 'z'), role('leaf', { z: 'true' }, [rule('get')])).get(
      'done',
    ),
    undefined,
  )
})

test.run()
