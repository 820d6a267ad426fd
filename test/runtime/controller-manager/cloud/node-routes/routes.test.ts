// Routes to the pods of nodes, on a server, in a cloud that is in memory.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodes } from '../../../../../generated/apis/core/v1/node.ts'
import { startControlPlane } from '../../../../../runtime/testing/testing.ts'
import { type CloudPlane, startCloudPlane } from '../cloud-plane.ts'

const test = suite('runtime/controller-manager/cloud: routes of nodes')

const options = {
  controllers: ['node-ipam-controller', 'node-route-controller'],
  clusterCIDR: '10.244.0.0/16,fd00::/48',
} as const

const rest = ({ clock }: CloudPlane) => clock.advanceAsync(1000)

const conditionOf = async ({ client }: CloudPlane, name: string) => {
  const { conditions = [] } = (await client.resource(nodes).get(name)).status ?? {}
  const found = conditions.find(({ type }) => type === 'NetworkUnavailable')
  return found && `${found.status} ${found.reason}: ${found.message}`
}

const routesOf = ({ cloud }: CloudPlane) =>
  [...cloud.state.routes.values()].map(({ node, range }) => `${node} ${range}`).sort()

const reached = 'False RouteCreated: RouteController created a route'
const missed = 'True NoRouteCreated: RouteController failed to create a route'

for (const platform of ['orch', 'kubernetes']) {
  test(`ranges that nodes get have routes, until the node goes or moves: ${platform} (D2.46, D2.111)`, async () => {
    await using plane = await startCloudPlane(platform, { ...options, simulatedNodes: 2 })
    await plane.clock.advanceAsync(30_000)
    assert.equal(routesOf(plane), [
      'node-0 10.244.0.0/24',
      'node-0 fd00::/64',
      'node-1 10.244.1.0/24',
      'node-1 fd00:0:0:1::/64',
    ])
    assert.equal(
      [await conditionOf(plane, 'node-0'), await conditionOf(plane, 'node-1')],
      [reached, reached],
    )
    const all = plane.client.resource(nodes)
    const addresses = [{ type: 'InternalIP', address: '192.0.2.9' } as const]
    await all.mergePatch('node-1', { status: { addresses } }, { subresource: 'status' })
    await all.delete('node-0')
    await rest(plane)
    assert.equal(routesOf(plane), ['node-1 10.244.1.0/24', 'node-1 fd00:0:0:1::/64'])
    for (const route of plane.cloud.state.routes.values()) assert.equal(route.addresses, addresses)

    plane.cloud.state.routes.clear()
    const stray = { name: 'stray', node: 'node-7', range: '10.244.7.0/24' }
    plane.cloud.state.routes.set('stray', stray)
    plane.cloud.state.routes.set('other', { ...stray, name: 'other', range: '192.0.2.0/24' })
    await plane.clock.advanceAsync(10_000)
    assert.equal(routesOf(plane), [
      'node-1 10.244.1.0/24',
      'node-1 fd00:0:0:1::/64',
      'node-7 192.0.2.0/24',
    ])
    assert.equal(await plane.told(), [])
  })
}

test('a route that cannot be made is told of its node, which cannot be reached until it is there', async () => {
  await using plane = await startCloudPlane('orch', options)
  const quota = 'the quota is spent'
  plane.fail(({ verb, of }) => (verb === 'create route' && of.includes(':') ? quota : undefined))
  const all = plane.client.resource(nodes)
  const { metadata } = await all.create({ metadata: { name: 'a' } })
  await rest(plane)
  assert.equal([routesOf(plane), await conditionOf(plane, 'a')], [['a 10.244.0.0/24'], missed])
  plane.asked()
  const { resourceVersion } = (await all.get('a')).metadata
  await plane.clock.advanceAsync(60_000)
  // 1, 2, 4 and 8 seconds apart, and then a period of 10.
  const tries = plane.asked().filter((one) => one === 'create route fd00::/64')
  assert.ok(tries.length >= 6 && tries.length <= 8, `${tries.length} tries`)
  assert.is((await all.get('a')).metadata.resourceVersion, resourceVersion)
  const [told] = await plane.told()
  const why = `Could not create route ${metadata.uid} fd00::/64 for node a: ${quota}`
  assert.match(String(told), `Warning FailedToCreateRoute ${why} x`)
  assert.match(String(told), '(route_controller)')
  plane.fail(() => undefined)
  await plane.clock.advanceAsync(10_000)
  assert.equal([routesOf(plane).length, await conditionOf(plane, 'a')], [2, reached])
})

test('while routes cannot be listed nothing is changed', async () => {
  await using plane = await startCloudPlane('orch', options)
  await plane.client.resource(nodes).create({ metadata: { name: 'a' } })
  await rest(plane)
  plane.fail(({ verb }) => (verb === 'list routes' ? 'down' : undefined))
  await plane.client.resource(nodes).delete('a')
  await plane.clock.advanceAsync(20_000)
  assert.is(routesOf(plane).length, 2)
  plane.fail(({ verb }) => (verb === 'delete route' ? 'locked' : undefined))
  await plane.clock.advanceAsync(20_000)
  assert.is(routesOf(plane).length, 2)
  plane.fail(() => undefined)
  await plane.clock.advanceAsync(20_000)
  assert.equal(routesOf(plane), [])
})

test('without ranges for nodes there are no routes', async () => {
  await using plane = await startCloudPlane('orch', { controllers: options.controllers })
  const podCIDRs = ['10.0.2.0/24']
  await plane.client
    .resource(nodes)
    .create({ metadata: { name: 'a' }, spec: { podCIDR: '10.0.2.0/24', podCIDRs } })
  await plane.clock.advanceAsync(20_000)
  assert.equal(plane.asked(), [])
  const why = await startControlPlane({ ...options, cloud: plane.cloud, clusterCIDR: '' }).then(
    () => 'it runs',
    (error: Error) => error.message,
  )
  assert.is(why, '--cluster-cidr: must be set with --allocate-node-cidrs')
})

test.run()
