// Balancers on bad days: requests and calls of the cloud fail, answers get lost, watches break, the program is started anew.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodes } from '../../../../../generated/apis/core/v1/node.ts'
import { services } from '../../../../../generated/apis/core/v1/service.ts'
import { isStatus } from '../../../../../runtime/kernel/errors/status-error.ts'
import {
  type CloudCall,
  explore,
  memoryCloud,
  type World,
} from '../../../../../runtime/testing/testing.ts'
import { badDay } from '../../../../support/fault-world.ts'

const test = suite('runtime/controller-manager/cloud: laws of balancers (T-12)')

const finalizer = 'service.orch.io/load-balancer-cleanup'
const ports = [{ name: 'web', port: 80 }]

/** A cloud in which calls fail, some of them after they are done, until all is well; `called` is told of each. */
function unreliableCloud({ random }: World, called: (call: CloudCall) => Promise<void>) {
  let isBad = true
  const fails = () => isBad && random() < 0.1
  const cloud = memoryCloud({
    async before(call) {
      await called(call)
      if (fails()) throw new Error('refused')
    },
  })
  const lost = async <T>(answer: Promise<T>): Promise<T> => {
    const value = await answer
    if (fails()) throw new Error('the answer is lost')
    return value
  }
  const { loadBalancers: own } = cloud
  return {
    balancers: cloud.state.balancers,
    mend() {
      isBad = false
    },
    provider: {
      name: 'unreliable',
      loadBalancers: {
        ...own,
        ensure: (...given: Parameters<typeof own.ensure>) => lost(own.ensure(...given)),
        delete: (...given: Parameters<typeof own.delete>) => lost(own.delete(...given)),
      },
    },
  }
}

test('a service is held before its balancer is made and until it is gone, and in the end those have one that ask for it', async () => {
  await explore(
    async (world) => {
      const { client } = world.plane
      const all = client.resource(services).in('default')
      const broken: string[] = []
      const isHeld = async (uid: string) =>
        (await all.listAll()).items.some(
          ({ metadata }) => metadata.uid === uid && metadata.finalizers?.includes(finalizer),
        )
      const cloud = unreliableCloud(world, async ({ verb, of }) => {
        if (verb === 'ensure balancer') {
          const { metadata } = await all.get(of.replace('default/', ''))
          if (!(await isHeld(metadata.uid))) broken.push(`${of} is not held and gets a balancer`)
        }
        await look()
      })
      const look = async () => {
        for (const [uid, { service }] of cloud.balancers) {
          const held = await isHeld(uid)
          if (!held && cloud.balancers.has(uid)) broken.push(`${service} is not held and has one`)
        }
        assert.equal(broken, [])
      }
      const controllers = await badDay(world, ['service-lb-controller'], cloud.provider)
      const pick = <T>(items: readonly T[]) => items[Math.floor(world.random() * items.length)] as T
      for (let step = 0; step < 12; step++) {
        const name = pick(['a', 'b', 'c'])
        const type = pick(['LoadBalancer', 'LoadBalancer', 'ClusterIP'] as const)
        const change = pick([
          () => all.create({ metadata: { name }, spec: { type, ports } }),
          () => all.mergePatch(name, { spec: { type } }),
          () => all.delete(name),
          () => client.resource(nodes).create({ metadata: { name: `node-${step}` } }),
        ])
        await change().catch((error: unknown) => {
          if (!isStatus(error, 'NotFound') && !isStatus(error, 'AlreadyExists')) throw error
        })
        if (world.random() < 0.2) await controllers.restart()
        for (let part = 0; part < 4; part++) {
          await world.advance(Math.floor(world.random() * 5000))
          await look()
        }
      }
      controllers.mend()
      cloud.mend()
      await world.until(async () => {
        await look()
        const { items } = await all.listAll()
        const asking = items.filter(({ spec }) => spec?.type === 'LoadBalancer')
        return (
          items.every(({ metadata, status }) => {
            const says = (status?.loadBalancer?.ingress ?? []).length > 0
            const isGoing = metadata.deletionTimestamp !== undefined
            return !isGoing && says === cloud.balancers.has(metadata.uid)
          }) && asking.length === cloud.balancers.size
        )
      })
      await controllers.stop()
    },
    { seeds: 8 },
  )
})

test.run()
