// Nodes and their pods on bad days: requests fail, answers get lost, watches break, and controllers are started anew.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { leases } from '../../../../../generated/apis/coordination/v1.ts'
import { type Node, nodes } from '../../../../../generated/apis/core/v1/node.ts'
import { pods } from '../../../../../generated/apis/core/v1/pod.ts'
import { microTimestamp, timestamp } from '../../../../../runtime/kernel/async/clock.ts'
import { explore, type World } from '../../../../../runtime/testing/testing.ts'
import { badDay } from '../../../../support/fault-world.ts'

const test = suite('runtime/controller-manager/cluster: laws of nodes (T-10)')

const names = ['a', 'b', 'c', 'd']

const said = (type: string, status: string, now: number) => ({
  ...{ type, status, reason: 'Said', message: 'so' },
  ...{ lastHeartbeatTime: timestamp(now), lastTransitionTime: timestamp(now) },
})

/** The agent of a node speaks: it renews its lease, and puts right what others say of its node. */
async function speak({ plane, clock }: World, name: string): Promise<void> {
  const now = clock.now()
  const all = plane.client.resource(leases).in('orch-node-lease')
  const spec = { holderIdentity: name, renewTime: microTimestamp(now) }
  if ((await all.find(name)) === undefined) await all.create({ metadata: { name }, spec })
  else await all.mergePatch(name, { spec })
  const node = await plane.client.resource(nodes).get(name)
  if (readinessOf(node) === 'True') return
  const conditions = [said('Ready', 'True', now)] as never
  await plane.client
    .resource(nodes)
    .mergePatch(name, { status: { conditions } }, { subresource: 'status' })
}

function readinessOf({ status }: Node): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status
}

function taintsOf({ spec }: Node): string {
  const taints = (spec?.taints ?? []).map(
    ({ key, effect }) => `${key.replace(/.*\//, '')}:${effect}`,
  )
  return taints.sort().join(' ')
}

test('pods of nodes that speak stay, and every history ends with the same marks', async () => {
  await explore(
    async (world) => {
      const { client } = world.plane
      const all = client.resource(nodes)
      const alive = new Map(names.map((name) => [name, true]))
      for (const name of names) {
        const conditions = [said('Ready', 'True', world.clock.now())]
        await all.create({ metadata: { name }, status: { conditions } } as never)
        await speak(world, name)
        await client
          .resource(pods)
          .in('default')
          .create({
            metadata: { name },
            spec: {
              ...{ nodeName: name, containers: [{ name: 'main', image: 'work' }] },
              tolerations: [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 }],
              terminationGracePeriodSeconds: 0,
            },
          })
      }
      const running = ['node-lifecycle-controller', 'taint-eviction-controller'] as const
      const controllers = await badDay(world, running)
      const silentSince = new Map<string, number>()
      const pass = async (seconds: number) => {
        for (let passed = 0; passed < seconds; passed += 5) {
          for (const name of names) if (alive.get(name)) await speak(world, name)
          await world.advance(5000)
          for (const name of names) {
            const pod = await client.resource(pods).in('default').find(name)
            const silentMs = world.clock.now() - (silentSince.get(name) ?? world.clock.now())
            assert.ok(
              pod !== undefined || evicted.has(name) || silentMs > 60_000,
              `the pod of ${name} went`,
            )
            if (pod === undefined) evicted.add(name)
          }
        }
      }
      const evicted = new Set<string>()
      for (let step = 0; step < 8; step++) {
        for (const name of names.slice(1)) {
          if (world.random() > 0.3) continue
          const speaks = alive.get(name) !== true
          alive.set(name, speaks)
          if (speaks) silentSince.delete(name)
          else silentSince.set(name, world.clock.now())
        }
        if (world.random() < 0.3) await controllers.restart()
        await pass(10 + Math.floor(world.random() * 50))
      }
      controllers.mend()
      // Of four nodes two may be silent: with a third one, evictions would stop.
      alive.set('b', true)
      for (let tried = 0; ; tried++) {
        await pass(20)
        const found = (await all.listAll()).items
        const isSettled = found.every((node) => {
          const isAlive = alive.get(node.metadata.name) === true
          const marks = isAlive ? '' : 'unreachable:NoExecute unreachable:NoSchedule'
          return taintsOf(node) === marks && (readinessOf(node) === 'True') === isAlive
        })
        if (isSettled) break
        assert.ok(
          tried < 30,
          `after ten minutes: ${found.map((one) => `${one.metadata.name} ${taintsOf(one)}`).join(', ')}`,
        )
      }
      await pass(60)
      for (const name of names) {
        const pod = await client.resource(pods).in('default').find(name)
        if (alive.get(name) === false) assert.is(pod, undefined, `the pod of ${name} has gone`)
      }
      await controllers.stop()
    },
    { seeds: 4 },
  )
})

test.run()
