/** Rights in tests: a control plane in process whose clients act as somebody. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { ClusterRoleBinding } from '../../../generated/apis/rbac/v1.ts'
import { scheme } from '../../../generated/scheme.ts'
import { isStatus } from '../../../runtime/kernel/errors/status-error.ts'
import { startControlPlane } from '../../../runtime/testing/testing.ts'

const test = suite('runtime/testing: authorization')

const bindings = scheme.routes['apis/rbac.authorization.orch.io/v1/clusterrolebindings']!
const pods = scheme.routes['api/v1/pods']!
const reviews = scheme.routes['apis/authentication.orch.io/v1/selfsubjectreviews']!
const roleRef = { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: 'view' }

async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'allowed',
    (error: unknown) => {
      assert.ok(isStatus(error, 'Forbidden'), String(error))
      return (error as Error).message.replace(/; missing is.*/, '')
    },
  )
}

test('a client acts as somebody, whose rights follow their bindings at once', async () => {
  await using plane = await startControlPlane({ authorization: 'RBAC' })
  const jane = plane.as('jane').resource<Pod>(pods).in('default')
  const denied =
    'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"'
  assert.is(await refusal(jane.listAll()), denied)
  const all = plane.client.resource<ClusterRoleBinding>(bindings)
  await all.create({ metadata: { name: 'v' }, roleRef, subjects: [{ kind: 'User', name: 'jane' }] })
  assert.equal((await jane.listAll()).items, [])
  assert.is(
    await refusal(
      jane.create({
        metadata: { name: 'web' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      } as never),
    ),
    'pods is forbidden: User "jane" cannot create resource "pods" in API group "" in the namespace "default"',
  )
  await all.delete('v')
  assert.is(await refusal(jane.listAll()), denied)
})

test('groups are those that authentication gives such a name, and those that were named', async () => {
  await using plane = await startControlPlane({ authorization: 'RBAC' })
  const groupsOf = async (...who: Parameters<typeof plane.as>) => {
    const answer = await plane
      .as(...who)
      .resource(reviews)
      .create({ metadata: {} } as never)
    return (answer as unknown as { status: { userInfo: { groups: string[] } } }).status.userInfo
      .groups
  }
  assert.equal(await groupsOf('jane'), ['system:authenticated'])
  assert.equal(await groupsOf({ user: 'jane', groups: ['dev'] }), ['dev', 'system:authenticated'])
  assert.equal(await groupsOf('system:serviceaccount:shop:robot'), [
    'system:serviceaccounts',
    'system:serviceaccounts:shop',
    'system:authenticated',
  ])
})

test('who is not named may ask for health and version, and nothing else', async () => {
  await using plane = await startControlPlane({ authorization: 'RBAC', socket: true })
  const get = async (path: string) => (await fetch(`${plane.url}${path}`)).status
  for (const path of ['/livez', '/readyz', '/healthz', '/version'])
    assert.is(await get(path), 200, path)
  for (const path of ['/metrics', '/api', '/apis', '/openapi/v2', '/livez/ping', '/api/v1/pods']) {
    assert.is(await get(path), 403, path)
  }
})

test('everything is allowed to everybody by default', async () => {
  await using plane = await startControlPlane()
  assert.equal((await plane.as('jane').resource(pods).in('default').listAll()).items, [])
})

test.run()
