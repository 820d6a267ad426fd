// How many pods are available on bad days, while templates change and pods are evicted.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deployments } from '../../../../generated/apis/apps/v1/deployment.ts'
import { replicaSets } from '../../../../generated/apis/apps/v1/replica-set.ts'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { podDisruptionBudgets } from '../../../../generated/apis/policy/v1.ts'
import { timestamp } from '../../../../runtime/kernel/async/clock.ts'
import { isStatus } from '../../../../runtime/kernel/errors/status-error.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'
import { explore, type World } from '../../../../runtime/testing/testing.ts'
import { badDay } from '../../../support/fault-world.ts'

const test = suite('runtime/controller-manager: laws of availability (T-01, T-08)')

const labels = { app: 'web' }
const selector = { matchLabels: labels }
const templateOf = (image: string) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image }] },
})

function isServing({ metadata, status }: Stored<Pod>): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase === 'Running'
}

/** The pods of a world, and the node that runs them. */
class Pods {
  readonly #world: World
  readonly #own

  constructor(world: World) {
    this.#world = world
    this.#own = world.plane.client.resource(pods).in('default')
  }

  async all(): Promise<readonly Stored<Pod>[]> {
    return (await this.#own.listAll()).items
  }

  /** Pods that wait begin to serve, each with a chance. */
  async run(chance: number): Promise<void> {
    const conditions = [
      { type: 'Ready', status: 'True', lastTransitionTime: timestamp(this.#world.clock.now()) },
    ] as const
    for (const pod of await this.all()) {
      if (isServing(pod) || this.#world.random() > chance) continue
      const status = { phase: 'Running', conditions } as const
      await this.#own.mergePatch(pod.metadata.name, { status }, { subresource: 'status' })
    }
  }

  /** Asks that one of them goes; whether it may. */
  async evict(): Promise<boolean> {
    const serving = (await this.all()).filter(isServing)
    const { name } = serving[Math.floor(this.#world.random() * serving.length)]?.metadata ?? {}
    if (name === undefined) return false
    try {
      await this.#own.createSubresource(name, 'eviction', { metadata: { name } })
      return true
    } catch (error) {
      if (isStatus(error, 'TooManyRequests')) return false
      throw error
    }
  }

  async counts(): Promise<{ readonly there: number; readonly serving: number }> {
    const all = await this.all()
    const there = all.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length
    return { there, serving: all.filter(isServing).length }
  }
}

test('no rollout has more pods than replicas and surge, or fewer that serve than may be missing', async () => {
  await explore(
    async (world) => {
      const { plane, random } = world
      const own = new Pods(world)
      const all = plane.client.resource(deployments).in('default')
      const [replicas, maxSurge, maxUnavailable] = [4, Math.floor(random() * 3), 1]
      const rollingUpdate = { maxSurge, maxUnavailable }
      await all.create({
        metadata: { name: 'web' },
        spec: {
          ...{ replicas, selector, template: templateOf('a') },
          strategy: { type: 'RollingUpdate', rollingUpdate },
        },
      })
      const controllers = await badDay(world, ['deployment-controller', 'replicaset-controller'])
      let least = 0
      const look = async () => {
        const { there, serving } = await own.counts()
        assert.ok(there <= replicas + maxSurge, `${there} pods`)
        assert.ok(serving >= least, `${serving} pods serve`)
        if (serving === replicas) least = replicas - maxUnavailable
      }
      for (let step = 0; step < 25; step++) {
        if (least > 0 && random() < 0.3) {
          const template = templateOf(random() < 0.5 ? 'b' : 'c')
          await all.mergePatch('web', { spec: { template } })
        }
        if (random() < 0.2) await controllers.restart()
        await own.run(least === 0 ? 1 : 0.4)
        for (let part = 0; part < 3; part++) {
          await world.advance(Math.floor(random() * 1000))
          await look()
        }
      }
      controllers.mend()
      await world.until(async () => {
        await own.run(1)
        await look()
        const { metadata, spec, status } = await all.get('web')
        const image = spec?.template?.spec?.containers[0]?.image
        const { items } = await plane.client.resource(pods).in('default').listAll()
        const isOver =
          status?.observedGeneration === metadata.generation && status?.updatedReplicas === replicas
        return (
          isOver &&
          items.length === replicas &&
          items.every((pod) => isServing(pod) && pod.spec?.containers[0]?.image === image)
        )
      })
      await controllers.stop()
    },
    { seeds: 2 },
  )
})

test('no eviction that is allowed leaves fewer pods than a budget asks for, and pods go on being evicted', async () => {
  await explore(
    async (world) => {
      const { plane, random } = world
      const own = new Pods(world)
      const [replicas, minAvailable] = [5, 3]
      await plane.client
        .resource(replicaSets)
        .in('default')
        .create({
          metadata: { name: 'web' },
          spec: { replicas, selector, template: templateOf('a') },
        })
      await plane.client
        .resource(podDisruptionBudgets)
        .in('default')
        .create({ metadata: { name: 'web' }, spec: { minAvailable, selector } })
      const controllers = await badDay(world, ['replicaset-controller', 'disruption-controller'])
      let evicted = 0
      for (let step = 0; step < 40; step++) {
        if (random() < 0.1) await controllers.restart()
        await own.run(0.5)
        if (random() < 0.7 && (await own.evict())) {
          evicted++
          const { serving } = await own.counts()
          assert.ok(serving >= minAvailable, `${serving} pods serve`)
        }
        await world.advance(Math.floor(random() * 1500))
      }
      controllers.mend()
      await world.until(async () => {
        await own.run(1)
        return own.evict()
      })
      assert.ok(evicted > 0)
      await controllers.stop()
    },
    { seeds: 2 },
  )
})

test.run()
