// Nodes whose machines are a cloud's: what there is to do as a table, and on a server.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Taint } from '../../../../../generated/apis/core/v1/node.ts'
import { nodes } from '../../../../../generated/apis/core/v1/node.ts'
import { decideNode } from '../../../../../runtime/controller-manager/cloud/cloud-nodes/decide-node.ts'
import { type CloudPlane, startCloudPlane } from '../cloud-plane.ts'

const test = suite('runtime/controller-manager/cloud: nodes and their machines')

const other: Taint = { key: 'dedicated', effect: 'NoSchedule' }
const shutdown: Taint = { key: 'node.cloudprovider.example/shutdown', effect: 'NoSchedule' }

function node(ready: string, ...taints: readonly Taint[]) {
  return { spec: { taints }, status: { conditions: [{ type: 'Ready', status: ready }] } } as never
}

const nothing = { is: 'nothing' }
const taint = (...taints: readonly Taint[]) => ({ is: 'taint', taints })

for (const [title, ready, state, present, plan] of [
  ['a node without a machine goes', 'False', 'gone', [other], { is: 'delete' }],
  ['one whose machine is off is marked', 'Unknown', 'off', [other], taint(other, shutdown)],
  ['one that is marked stays so', 'Unknown', 'off', [shutdown], nothing],
  ['one that is not ready, and whose machine runs, is left alone', 'False', 'running', [], nothing],
  ['its mark stays until it is ready', 'False', 'running', [shutdown], nothing],
  ['one that is ready loses the mark', 'True', 'running', [other, shutdown], taint(other)],
  ['one that is ready is left alone', 'True', 'running', [other], nothing],
] as const) {
  test(title, () => assert.equal(decideNode(node(ready, ...present), state, 'example'), plan))
}

const controllers = ['cloud-node-lifecycle-controller'] as const

async function setReady({ client }: CloudPlane, name: string, status: 'True' | 'False') {
  const conditions = [{ type: 'Ready', status } as const]
  await client
    .resource(nodes)
    .mergePatch(name, { status: { conditions } }, { subresource: 'status' })
}

const taintsOf = async ({ client }: CloudPlane, name: string) =>
  (await client.resource(nodes).get(name)).spec?.taints?.map(
    ({ key, effect }) => `${key}:${effect}`,
  )

for (const platform of ['orch', 'kubernetes']) {
  test(`a node goes with its machine, and is marked while that is off: ${platform}`, async () => {
    await using plane = await startCloudPlane(platform, { controllers })
    const { client, clock, cloud } = plane
    const all = client.resource(nodes)
    for (const name of ['a', 'b', 'c']) {
      await all.create({ metadata: { name } })
      await setReady(plane, name, 'True')
    }
    await clock.advanceAsync(60_000)
    plane.asked()
    cloud.state.instances.set('a', 'gone').set('b', 'off')
    await clock.advanceAsync(60_000)
    assert.equal(plane.asked(), [], 'of nodes that are ready nothing is asked')
    for (const name of ['a', 'b', 'c']) await setReady(plane, name, 'False')
    await clock.advanceAsync(1000)
    assert.is(await all.find('a'), undefined)
    const mark = `node.cloudprovider.${plane.platform.domain}/shutdown:NoSchedule`
    const before = await taintsOf(plane, 'c')
    assert.ok((await taintsOf(plane, 'b'))?.includes(mark))
    assert.not(before?.includes(mark))
    plane.asked()
    await clock.advanceAsync(20_000)
    const each = ['b', 'c'].map((name) => `get instance ${name}`)
    assert.equal(
      [...plane.asked()].sort(),
      each.flatMap((one) => Array(4).fill(one)),
    )
    cloud.state.instances.clear()
    await clock.advanceAsync(10_000)
    assert.ok((await taintsOf(plane, 'b'))?.includes(mark))
    await setReady(plane, 'b', 'True')
    await clock.advanceAsync(1000)
    assert.not((await taintsOf(plane, 'b'))?.includes(mark))
    assert.equal(await plane.told(), [
      `Normal DeletingNode Deleting node a because it does not exist in the cloud provider x1 (${controllers})`,
    ])
  })
}

test('while a cloud does not answer no node goes, and it is asked less and less often', async () => {
  await using plane = await startCloudPlane('orch', { controllers })
  const all = plane.client.resource(nodes)
  plane.cloud.state.instances.set('a', 'gone')
  plane.fail(() => 'down')
  await all.create({ metadata: { name: 'a' } })
  await plane.clock.advanceAsync(300_000)
  // After 0, 5, 15, 35 and 75 seconds, and then once in a minute.
  assert.is(plane.asked().length, 8)
  assert.is((await all.get('a')).metadata.name, 'a')
  plane.fail(() => undefined)
  await plane.clock.advanceAsync(60_000)
  assert.is(await all.find('a'), undefined)
})

test.run()
