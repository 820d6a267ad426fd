// Load balancers of services, on a server, in a cloud that is in memory.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodes } from '../../../../../generated/apis/core/v1/node.ts'
import { type Service, services } from '../../../../../generated/apis/core/v1/service.ts'
import { type CloudPlane, startCloudPlane } from '../cloud-plane.ts'

const test = suite('runtime/controller-manager/cloud: balancers of services (T-12)')

const controllers = ['service-lb-controller'] as const
const ports = [{ name: 'web', port: 80 }]
const spec: Service['spec'] = { type: 'LoadBalancer', selector: { app: 'web' }, ports }

const own = ({ client }: CloudPlane) => client.resource(services).in('default')

const ingressOf = async (plane: CloudPlane, name = 'web') =>
  (await own(plane).get(name)).status?.loadBalancer?.ingress

const create = (plane: CloudPlane, more: Service['spec'] = {}, name = 'web') =>
  own(plane).create({ metadata: { name }, spec: { ...spec, ...more } })

/** Lets everything come to rest that is due now. */
const rest = ({ clock }: CloudPlane) => clock.advanceAsync(1000)

for (const platform of ['orch', 'kubernetes']) {
  test(`a service gets a balancer, follows its nodes, and loses it before it goes: ${platform}`, async () => {
    await using plane = await startCloudPlane(platform, { controllers })
    const { client, cloud, platform: names } = plane
    const finalizer = `service.${names.domain}/load-balancer-cleanup`
    const label = `node.${names.domain}/exclude-from-external-load-balancers`
    const all = client.resource(nodes)
    await all.create({ metadata: { name: 'a' } })
    await all.create({ metadata: { name: 'b' } })
    const { metadata } = await create(plane)
    await rest(plane)
    const made = await own(plane).get('web')
    assert.equal(made.metadata.finalizers, [finalizer])
    assert.equal(await ingressOf(plane), [{ ip: '198.18.0.1' }])
    const balancer = cloud.state.balancers.get(metadata.uid)
    assert.equal([balancer?.service, balancer?.cluster], ['default/web', 'orch'])
    assert.equal(balancer?.nodes, ['a', 'b'])
    assert.equal(plane.asked(), ['ensure balancer default/web'])

    await all.create({ metadata: { name: 'c' } })
    await rest(plane)
    await all.mergePatch('b', { metadata: { labels: { [label]: 'true' } } })
    await rest(plane)
    assert.equal(cloud.state.balancers.get(metadata.uid)?.nodes, ['a', 'c'])
    await all.delete('a')
    await all.delete('c')
    await rest(plane)
    assert.equal(cloud.state.balancers.get(metadata.uid)?.nodes, [])
    await own(plane).mergePatch('web', { metadata: { labels: { app: 'web' } } })
    await rest(plane)
    plane.asked()

    await own(plane).delete('web')
    await rest(plane)
    assert.is(await own(plane).find('web'), undefined)
    assert.is(cloud.state.balancers.size, 0)
    assert.equal(plane.asked(), ['get balancer default/web', 'delete balancer default/web'])
    assert.equal(await plane.told(), [
      'Normal DeletedLoadBalancer Deleted load balancer x1 (service-controller)',
      'Normal DeletingLoadBalancer Deleting load balancer x1 (service-controller)',
      'Normal EnsuredLoadBalancer Ensured load balancer x1 (service-controller)',
      'Normal EnsuringLoadBalancer Ensuring load balancer x1 (service-controller)',
      'Normal UpdatedLoadBalancer Updated load balancer with new hosts x3 (service-controller)',
      'Warning UnAvailableLoadBalancer There are no available nodes for LoadBalancer x1 (service-controller)',
    ])
  })
}

const controller = '(service-controller)'

test('a service that asks no more loses its balancer and says nothing of it, and gets one again when it asks again', async () => {
  await using plane = await startCloudPlane('orch', { controllers })
  await plane.client.resource(nodes).create({ metadata: { name: 'a' } })
  await own(plane).create({ metadata: { name: 'web' }, spec: { ...spec, type: 'ClusterIP' } })
  await create(plane, { loadBalancerClass: 'example.com/other' }, 'classed')
  await rest(plane)
  assert.equal(plane.asked(), [])
  await own(plane).mergePatch('web', { spec: { type: 'LoadBalancer' } })
  await rest(plane)
  assert.equal(await ingressOf(plane), [{ ip: '198.18.0.1' }])
  await own(plane).mergePatch('web', { spec: { externalTrafficPolicy: 'Local' } })
  await own(plane).mergePatch('web', { spec: { type: 'ClusterIP', externalTrafficPolicy: null } })
  await rest(plane)
  const { metadata, status } = await own(plane).get('web')
  assert.equal([metadata.finalizers, status?.loadBalancer?.ingress], [undefined, undefined])
  assert.is(plane.cloud.state.balancers.size, 0)
  const told = await plane.told()
  assert.ok(told.includes(`Normal Type ClusterIP -> LoadBalancer x1 ${controller}`))
  assert.ok(told.includes(`Normal Type LoadBalancer -> ClusterIP x1 ${controller}`))
  const classed = await own(plane).get('classed')
  assert.equal([classed.metadata.finalizers, classed.status?.loadBalancer], [undefined, {}])
})

test('a service of a class that another program holds is left to it, also when it goes', async () => {
  await using plane = await startCloudPlane('orch', { controllers })
  const { metadata } = await own(plane).create({
    metadata: { name: 'web', finalizers: ['service.orch.io/load-balancer-cleanup'] },
    spec: { ...spec, loadBalancerClass: 'example.com/other' },
  })
  await own(plane).delete('web')
  await rest(plane)
  assert.equal((await own(plane).get('web')).metadata.finalizers?.length, 1)
  assert.equal(plane.asked(), ['get balancer default/web', 'get balancer default/web'])
  assert.is(plane.cloud.state.balancers.get(metadata.uid), undefined)
})

test('a change that a balancer follows is told once, and made once', async () => {
  await using plane = await startCloudPlane('orch', { controllers })
  await plane.client.resource(nodes).create({ metadata: { name: 'a' } })
  const { metadata } = await create(plane)
  await rest(plane)
  plane.asked()
  const loadBalancerSourceRanges = ['192.0.2.0/24']
  await own(plane).mergePatch('web', { spec: { loadBalancerSourceRanges } })
  await rest(plane)
  await own(plane).mergePatch('web', { spec: { ports: [{ name: 'web', port: 81 }] } })
  await rest(plane)
  const balancer = plane.cloud.state.balancers.get(metadata.uid)
  assert.equal(balancer?.sourceRanges, loadBalancerSourceRanges)
  assert.equal(balancer?.ports[0]?.port, 81)
  assert.equal(plane.asked(), ['ensure balancer default/web', 'ensure balancer default/web'])
  const message = '[] -> [192.0.2.0/24]'
  const told = await plane.told()
  assert.ok(told.includes(`Normal LoadBalancerSourceRanges ${message} x1 ${controller}`))
})

test('a cloud that fails is asked again, later each time, and a service is told why', async () => {
  await using plane = await startCloudPlane('orch', { controllers })
  await plane.client.resource(nodes).create({ metadata: { name: 'a' } })
  plane.fail(({ verb }) => (verb === 'ensure balancer' ? 'the quota is spent' : undefined))
  const revision = async () => Number((await plane.plane.snapshot()).resourceVersion)
  await create(plane)
  await rest(plane)
  const before = await revision()
  await plane.clock.advanceAsync(299_000)
  // After 0, 5, 15, 35, 75 and 155 seconds.
  assert.equal(plane.asked(), Array(6).fill('ensure balancer default/web'))
  const why = 'Error syncing load balancer: failed to ensure load balancer: the quota is spent'
  const told = await plane.told()
  assert.ok(told.includes(`Warning SyncLoadBalancerFailed ${why} x6 ${controller}`), told.join())
  // A try counts two events, and writes nothing else.
  assert.ok((await revision()) - before <= 10)
  assert.is(await ingressOf(plane), undefined)
  plane.fail(() => undefined)
  await plane.clock.advanceAsync(300_000)
  assert.equal(await ingressOf(plane), [{ ip: '198.18.0.1' }])
  assert.is(plane.asked().length, 1)
})

test('a service is not let go before the cloud has removed its balancer', async () => {
  await using plane = await startCloudPlane('orch', { controllers })
  await plane.client.resource(nodes).create({ metadata: { name: 'a' } })
  await create(plane)
  await rest(plane)
  plane.fail(({ verb }) => (verb === 'delete balancer' ? 'it is locked' : undefined))
  await own(plane).delete('web')
  await plane.clock.advanceAsync(60_000)
  assert.is((await own(plane).get('web')).metadata.finalizers?.length, 1)
  assert.is(plane.cloud.state.balancers.size, 1)
  const why = 'Error syncing load balancer: failed to delete load balancer: it is locked'
  const told = await plane.told()
  assert.ok(told.some((one) => one.startsWith(`Warning SyncLoadBalancerFailed ${why}`)))
  plane.fail(() => undefined)
  await plane.clock.advanceAsync(300_000)
  assert.equal([await own(plane).find('web'), plane.cloud.state.balancers.size], [undefined, 0])
})

test('nodes that a cloud does not take are told, and all of the balancer is tried again', async () => {
  await using plane = await startCloudPlane('orch', { controllers })
  const all = plane.client.resource(nodes)
  await all.create({ metadata: { name: 'a' } })
  const { metadata } = await create(plane)
  await rest(plane)
  plane.asked()
  plane.fail(({ verb }) => (verb === 'update balancer' ? 'too many nodes' : undefined))
  await all.create({ metadata: { name: 'b' } })
  await plane.clock.advanceAsync(10_000)
  const { balancers } = plane.cloud.state
  assert.equal(balancers.get(metadata.uid)?.nodes, ['a', 'b'])
  const verbs = ['update balancer', 'get balancer', 'ensure balancer']
  assert.equal(
    plane.asked(),
    verbs.map((verb) => `${verb} default/web`),
  )
  const why =
    'Error updating load balancer with new hosts [a b] [node names limited, total number of nodes: 2], error: too many nodes'
  const told = await plane.told()
  assert.ok(told.includes(`Warning UpdateLoadBalancerFailed ${why} x1 ${controller}`))
  plane.fail(() => undefined)
  balancers.clear()
  await all.create({ metadata: { name: 'c' } })
  await rest(plane)
  assert.equal(balancers.get(metadata.uid)?.nodes, ['a', 'b', 'c'])
})

test('a balancer whose service is gone although it was held is removed', async () => {
  await using plane = await startCloudPlane('orch', { controllers })
  await plane.client.resource(nodes).create({ metadata: { name: 'a' } })
  await create(plane)
  await rest(plane)
  plane.fail(({ verb }) => (verb === 'delete balancer' ? 'it is locked' : undefined))
  await own(plane).mergePatch('web', { metadata: { finalizers: null } })
  await own(plane).delete('web')
  const { uid } = (await create(plane)).metadata
  await rest(plane)
  plane.fail(() => undefined)
  await plane.clock.advanceAsync(30_000)
  assert.equal([...plane.cloud.state.balancers.keys()], [uid])
  const told = await plane.told()
  const why = 'Error deleting load balancer: it is locked'
  assert.ok(told.some((one) => one.startsWith(`Warning DeleteLoadBalancerFailed ${why}`)))
})

test.run()
