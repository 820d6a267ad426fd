import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodes } from '../../../../generated/apis/core/v1/node.ts'
import { decideSize } from '../../../../runtime/controller-manager/cluster/node-ttl.ts'
import { startControlPlane } from '../../../../runtime/testing/testing.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controller-manager/cluster: node ttl')

test('a cluster is larger from a number on, and smaller again below a lower one', () => {
  const counts = [0, 100, 101, 95, 90, 89, 501, 5000, 1800, 1799, 899, 3]
  let size = 0
  const sizes = counts.map((count) => {
    size = decideSize(size, count)
    return size
  })
  assert.equal(sizes, [0, 0, 1, 1, 1, 0, 2, 4, 4, 3, 2, 0])
})

test('nodes say how long agents may keep what they have read, whatever others write there', async () => {
  await using plane = await startControlPlane({
    authorization: 'RBAC',
    controllers: ['ttl-controller'],
  })
  const all = plane.client.resource(nodes)
  await all.create({ metadata: { name: 'a' } })
  const saysSo = () =>
    until('it says so', async () => {
      const { annotations } = (await all.get('a')).metadata
      return annotations?.['node.alpha.orch.io/ttl'] === '0'
    })
  await saysSo()
  await all.mergePatch('a', { metadata: { annotations: { 'node.alpha.orch.io/ttl': '7' } } })
  await saysSo()
})

test.run()
