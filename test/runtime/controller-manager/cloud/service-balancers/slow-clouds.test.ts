// Clouds that take their time for a balancer, or leave it to another program.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { events } from '../../../../../generated/apis/core/v1/event.ts'
import { nodes } from '../../../../../generated/apis/core/v1/node.ts'
import { services } from '../../../../../generated/apis/core/v1/service.ts'
import {
  type EnsuredBalancer,
  type MemoryCloud,
  memoryCloud,
  startControlPlane,
  virtualClock,
} from '../../../../../runtime/testing/testing.ts'

const test = suite(
  'runtime/controller-manager/cloud: clouds that are slow or leave balancers to others (T-12)',
)

/** A control plane with a node and a service that asks for a balancer, in a cloud that answers so. */
async function startIn(
  ensured: (cloud: MemoryCloud, tries: number) => EnsuredBalancer | undefined,
) {
  const clock = virtualClock()
  const own = memoryCloud()
  const asked: string[] = []
  const cloud = {
    name: 'slow',
    loadBalancers: {
      ...own.loadBalancers,
      async ensure(...given: Parameters<typeof own.loadBalancers.ensure>) {
        asked.push('ensure')
        return ensured(own, asked.length) ?? (await own.loadBalancers.ensure(...given))
      },
      async updateNodes() {
        asked.push('update')
        return 'elsewhere' as const
      },
    },
  }
  const controllers = ['service-lb-controller'] as const
  const plane = await startControlPlane({ clock, cloud, controllers })
  const { client } = plane
  await client.resource(nodes).create({ metadata: { name: 'a' } })
  const spec = { type: 'LoadBalancer', ports: [{ port: 80 }] } as const
  await client
    .resource(services)
    .in('default')
    .create({ metadata: { name: 'web' }, spec })
  return {
    ...{ client, clock, asked },
    web: () => client.resource(services).in('default').get('web'),
    async told() {
      const { items } = await client.resource(events).listAll()
      return items.map(({ reason, message, count }) => `${reason} ${message} x${count}`).sort()
    },
    [Symbol.asyncDispose]: () => plane.stop(),
  }
}

test('a balancer that is being made is asked for again when the cloud says, however often', async () => {
  await using plane = await startIn((_, tries) =>
    tries < 5 ? { is: 'pending', ms: 30_000, why: 'its machines start' } : undefined,
  )
  await plane.clock.advanceAsync(119_000)
  assert.is(plane.asked.length, 4)
  assert.is((await plane.web()).status?.loadBalancer?.ingress, undefined)
  await plane.clock.advanceAsync(60_000)
  assert.is(plane.asked.length, 5)
  assert.equal((await plane.web()).status?.loadBalancer?.ingress, [{ ip: '198.18.0.1' }])
  const why = 'failed to ensure load balancer: its machines start'
  assert.equal(await plane.told(), [
    'EnsuredLoadBalancer Ensured load balancer x1',
    'EnsuringLoadBalancer Ensuring load balancer x5',
    `SyncLoadBalancerFailed Error syncing load balancer: ${why} x4`,
  ])
})

test('a balancer that is the business of another program is told of by that, and held all the same', async () => {
  await using plane = await startIn(() => ({ is: 'elsewhere' }))
  await plane.clock.advanceAsync(10_000)
  await plane.client.resource(nodes).create({ metadata: { name: 'b' } })
  await plane.clock.advanceAsync(600_000)
  assert.equal(plane.asked, ['ensure', 'update'])
  const { metadata, status } = await plane.web()
  assert.equal(metadata.finalizers, ['service.orch.io/load-balancer-cleanup'])
  assert.is(status?.loadBalancer?.ingress, undefined)
  assert.equal(await plane.told(), ['EnsuringLoadBalancer Ensuring load balancer x1'])
})

test.run()
