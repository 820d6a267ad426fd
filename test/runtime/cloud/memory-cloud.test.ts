// The cloud in memory: addresses, what can be changed, what fails, and which words mean it.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Service } from '../../../generated/apis/core/v1/service.ts'
import { memoryCloud, providerOf } from '../../../runtime/cloud/cloud.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'

const test = suite('runtime/cloud')

async function fails(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'it succeeds',
    (error: Error) => error.message,
  )
}

const context = { cluster: 'shop', signal: new AbortController().signal }

function service(name: string, spec: Service['spec'] = {}, ip?: string): Stored<Service> {
  const status = ip === undefined ? {} : { loadBalancer: { ingress: [{ ip }] } }
  return { metadata: { name, namespace: 'default', uid: `0-${name}` }, spec, status } as never
}

async function addresses(cloud: ReturnType<typeof memoryCloud>, of: Stored<Service>) {
  const ensured = await cloud.loadBalancers.ensure(of, [], context)
  return ensured.is === 'ready' && ensured.status.ingress?.map(({ ip }) => ip)
}

test('each balancer answers at addresses of its own, of each family of its service', async () => {
  const cloud = memoryCloud()
  assert.equal(await addresses(cloud, service('a')), ['198.18.0.1'])
  assert.equal(await addresses(cloud, service('b', { ipFamilies: ['IPv4', 'IPv6'] })), [
    '198.18.0.2',
    '2001:db8::1',
  ])
  assert.equal(await addresses(cloud, service('a', { sessionAffinity: 'ClientIP' })), [
    '198.18.0.1',
  ])
  await cloud.loadBalancers.delete(service('a'), context)
  assert.equal(await addresses(cloud, service('c')), ['198.18.0.1'])
})

test('an address that a service asks for is its own, unless another balancer has it', async () => {
  const cloud = memoryCloud()
  const loadBalancerIP = '192.0.2.7'
  assert.equal(await addresses(cloud, service('a', { loadBalancerIP })), [loadBalancerIP])
  const why = `${loadBalancerIP} is the address of another balancer`
  assert.is(await fails(addresses(cloud, service('b', { loadBalancerIP }))), why)
})

test('a balancer that the cloud has forgotten is made again where its service says that it was', async () => {
  const cloud = memoryCloud()
  assert.equal(await addresses(cloud, service('a', {}, '198.18.0.9')), ['198.18.0.9'])
  assert.equal(await addresses(cloud, service('b', {}, '198.18.0.9')), ['198.18.0.1'])
  assert.equal(await addresses(cloud, service('c', {}, '192.0.2.1')), ['198.18.0.2'])
})

test('what a test changes is what the cloud says, and what it throws is what the cloud answers', async () => {
  let isDown = false
  const cloud = memoryCloud({
    before({ verb, of }) {
      if (isDown) throw new Error(`${verb} ${of}: down`)
    },
  })
  await addresses(cloud, service('a'))
  assert.ok(await cloud.loadBalancers.get(service('a'), context))
  cloud.state.balancers.clear()
  assert.is(await cloud.loadBalancers.get(service('a'), context), undefined)
  assert.is(
    await fails(cloud.loadBalancers.updateNodes(service('a'), [], context)),
    'default/a has no balancer',
  )
  const node = { metadata: { name: 'n' } } as never
  assert.is(await cloud.instances.stateOf(node, context), 'running')
  cloud.state.instances.set('n', 'off')
  assert.is(await cloud.instances.stateOf(node, context), 'off')
  isDown = true
  assert.is(await fails(cloud.routes.list(context)), 'list routes : down')
})

test('the flag knows one provider, programs of their own, and none (D2.20)', () => {
  assert.equal(providerOf(''), { provider: undefined, problems: [] })
  assert.equal(providerOf('external'), { provider: undefined, problems: [] })
  assert.is(providerOf('memory').provider?.name, 'memory')
  assert.equal(providerOf('mem').problems, [
    '--cloud-provider mem: there is no such provider here: say memory or external; did you mean "memory"?',
  ])
  assert.match(providerOf('toString').problems.join(), /there is no such provider/)
})

test.run()
