// Two controller managers with one lease on bad days: requests fail, watches break, either is started anew, cut off, or cannot renew the lease.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deployments } from '../../../generated/apis/apps/v1/deployment.ts'
import { leases } from '../../../generated/apis/coordination/v1.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import { controllers as known } from '../../../generated/controllers.ts'
import { platform } from '../../../generated/platform.ts'
import type { Client, Transport } from '../../../runtime/client/client.ts'
import {
  createControllerManager,
  defaultConfiguration,
  selectControllers,
} from '../../../runtime/controller-manager/controller-manager.ts'
import { enabledGatesOf } from '../../../runtime/kernel/descriptors/enabled-gates.ts'
import { isStatus } from '../../../runtime/kernel/errors/status-error.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { explore, type World } from '../../../runtime/testing/testing.ts'
import { type BadDay, badDayOf } from '../../support/fault-world.ts'

const test = suite('runtime/controller-manager: laws of leaders')

const lease = { name: 'manager', namespace: 'default' }
const names = ['deployment-controller', 'replicaset-controller']

/** Writes of those who do not hold the lease as the request arrives; `writers` knows them by what they call themselves in it. */
class LeaseWatch {
  readonly broken: string[] = []
  readonly #writers = new Map<string, string>()
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /** A way to the server that judges what goes through it. */
  through(transport: Transport, writer: string): Transport {
    return {
      close: () => transport.close(),
      send: async (request) => {
        const { method, path, body } = request
        if (path.includes('/leases')) {
          const [, identity] = /"holderIdentity":"([^"]*)"/.exec(String(body)) ?? []
          if (identity) this.#writers.set(identity, writer)
        } else if (method !== 'GET' && !path.includes('/events')) {
          const holder = await this.#holder()
          if (holder !== writer) this.broken.push(`${writer}: ${method} ${path}, led by ${holder}`)
        }
        return transport.send(request)
      },
    }
  }

  async #holder(): Promise<string | undefined> {
    try {
      const { spec } = await this.#client.resource(leases).in(lease.namespace).get(lease.name)
      return this.#writers.get(spec?.holderIdentity ?? '')
    } catch (error) {
      if (isStatus(error, 'NotFound')) return undefined
      throw error
    }
  }
}

async function managerOn(world: World, name: string, watch: LeaseWatch): Promise<BadDay> {
  const { clock, random, plane } = world
  const gates = enabledGatesOf(plane.scheme)
  const { selected } = selectControllers(names, { controllers: known, gates, cloud: false })
  const configuration = await defaultConfiguration()
  const make = (client: Client) =>
    createControllerManager({
      ...{ controllers: selected, client, configuration, gates, platform, clock, random },
      ...{ log: silentLog, keepAlive: false, leaderElection: lease },
    })
  return badDayOf(world, name, make, watch.through(plane.transport, name))
}

test('only who holds the lease writes, never more pods than replicas and surge, and another one goes on', async () => {
  await explore(
    async (world) => {
      const { plane, random } = world
      const own = plane.client.resource(deployments).in('default')
      const all = plane.client.resource(pods).in('default')
      const watch = new LeaseWatch(plane.client)
      const managers = [
        await managerOn(world, 'one', watch),
        await managerOn(world, 'other', watch),
      ]
      const labels = { app: 'web' }
      const template = {
        metadata: { labels },
        spec: { containers: [{ name: 'main', image: 'work' }] },
      }
      let replicas = 3
      let most = replicas + 1
      const rollingUpdate = { maxSurge: 1, maxUnavailable: 1 }
      await own.create({
        metadata: { name: 'web' },
        spec: {
          ...{ replicas, template, selector: { matchLabels: labels } },
          strategy: { type: 'RollingUpdate', rollingUpdate },
        },
      })
      const look = async (): Promise<number> => {
        assert.is(watch.broken.join('; '), '')
        const { items } = await all.listAll()
        const alive = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        assert.ok(alive.length <= most, `${alive.length} pods, at most ${most} were asked for`)
        return alive.length
      }
      for (let step = 0; step < 10; step++) {
        if (random() < 0.4) {
          replicas = Math.floor(random() * 5)
          most = Math.max(most, replicas + 1)
          await own.mergePatch('web', { spec: { replicas } })
        }
        if (random() < 0.3) {
          const image = `work:${step}`
          const containers = [{ name: 'main', image }]
          await own.mergePatch('web', { spec: { template: { spec: { containers } } } })
        }
        const manager = managers[Math.floor(random() * managers.length)]
        const what = random()
        const long = Math.floor(random() * 30_000)
        if (what < 0.2) await manager?.restart()
        else if (what < 0.4) await manager?.cutOff(long)
        else if (what < 0.6) await manager?.cutOff(long, 'leases')
        for (let part = 0; part < 4; part++) {
          await world.advance(Math.floor(random() * 3000))
          await look()
        }
      }
      for (const one of managers) one.mend()
      // No node has an agent, so that no pod is ever ready: a rollout stops where it waits for them.
      await world.until(async () => {
        const { metadata, status } = await own.get('web')
        const count = await look()
        const isSeen = status?.observedGeneration === metadata.generation
        return isSeen && count >= replicas - 1 && count <= replicas + 1
      })
      for (const one of managers) await one.stop()
    },
    { seeds: 12 },
  )
})

test.run()
