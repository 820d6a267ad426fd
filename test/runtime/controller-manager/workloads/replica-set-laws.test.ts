// Replica sets against the real server on bad days: requests fail, answers get lost, watches break, the program is started anew.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { replicaSets } from '../../../../generated/apis/apps/v1/replica-set.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import type { Client } from '../../../../runtime/client/client.ts'
import { explore } from '../../../../runtime/testing/testing.ts'
import { badDay } from '../../../support/fault-world.ts'

const test = suite('runtime/controller-manager: laws of replica sets (T-02)')

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'work' }] },
}

async function countOf(client: Client): Promise<number> {
  const { items } = await client.resource(pods).in('default').listAll()
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length
}

test('there are never more pods than were asked for, and every history ends with as many', async () => {
  await explore(
    async (world) => {
      const { client } = world.plane
      const sets = client.resource(replicaSets).in('default')
      const selector = { matchLabels: { app: 'web' } }
      let replicas = 3
      let most = replicas
      await sets.create({ metadata: { name: 'web' }, spec: { replicas, selector, template } })
      const controllers = await badDay(world, ['replicaset-controller'])
      const look = async () => assert.ok((await countOf(client)) <= most, 'too many pods')
      for (let step = 0; step < 12; step++) {
        if (world.random() < 0.4) {
          replicas = Math.floor(world.random() * 6)
          most = Math.max(most, replicas)
          await sets.mergePatch('web', { spec: { replicas } })
        }
        if (world.random() < 0.4) {
          const own = client.resource(pods).in('default')
          const [one] = (await own.listAll()).items
          if (one !== undefined) await own.delete(one, { gracePeriodSeconds: 0 })
        }
        if (world.random() < 0.3) await controllers.restart()
        for (let part = 0; part < 4; part++) {
          await world.advance(Math.floor(world.random() * 1000))
          await look()
        }
      }
      controllers.mend()
      await world.until(async () => {
        await look()
        const { status } = await sets.get('web')
        return (await countOf(client)) === replicas && status?.replicas === replicas
      })
      await controllers.stop()
    },
    { seeds: 8 },
  )
})

test.run()
