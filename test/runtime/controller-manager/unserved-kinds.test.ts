import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { clusterRoles } from '../../../generated/apis/rbac/v1.ts'
import { unservedKinds } from '../../../runtime/controller-manager/unserved-kinds.ts'
import { done, type KeyController, watching } from '../../../runtime/reconcile/reconcile.ts'
import { startControlPlane } from '../../../runtime/testing/testing.ts'
import { compiledScheme } from '../../../tools/orch/compiled-scheme.ts'

const test = suite('runtime/controller-manager: unservedKinds')

const controller: KeyController = {
  name: 'x',
  watches: [watching(clusterRoles, () => [])],
  reconcile: async () => done,
}
const parts = [controller]

for (const platform of ['orch', 'kubernetes']) {
  test(`a kind is served by either name of its group: ${platform}`, async () => {
    const file = 'schemas/platform/kubernetes.yaml'
    const scheme =
      platform === 'orch' ? undefined : await compiledScheme({ platform: file }, console.error)
    await using plane = await startControlPlane({ ...(scheme && { scheme }) })
    assert.equal(unservedKinds(parts, await plane.client.kinds()), [])
  })
}

test('one that is not is named', () => {
  assert.equal(unservedKinds(parts, []), ['clusterroles.rbac.authorization.orch.io'])
})

test.run()
