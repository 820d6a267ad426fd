/** What an agent tells of its node and of pods that go, by a virtual clock. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { leases } from '../../../generated/apis/coordination/v1.ts'
import { nodes } from '../../../generated/apis/core/v1/node.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import { platform } from '../../../generated/platform.ts'
import {
  type KeepNodeOptions,
  keepNode,
  machineFacts,
  registerNode,
  serverSink,
} from '../../../runtime/agent/agent.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { startControlPlane, virtualClock } from '../../../runtime/testing/testing.ts'

const test = suite('runtime/agent: the node')

const clock = virtualClock()
const plane = await startControlPlane({ clock, controllers: [] })
test.after(() => plane.stop())

// T-10
test('a node that changed is told within ten seconds, another every five minutes, its lease every ten seconds [G-06] [G-07]', async () => {
  let problem = ''
  const machine = machineFacts('/', '10.0.0.1', 110)
  const options: KeepNodeOptions = {
    ...{ client: plane.client, registers: true, clock, log: silentLog },
    settings: {
      ...{ name: 'n1', labels: {}, taints: [], schedulable: true, providerID: '', port: 10250 },
      ...{ machine, allocatable: machine.capacity, platform },
      runtimeVersion: 'containerd://1',
    },
    state: async () => ({
      ...{ pressure: { memory: false, disk: false, pids: false }, problem, now: clock.now() },
    }),
    ...{ statusMs: 10_000, reportMs: 300_000, leaseSeconds: 40 },
  }
  const all = plane.client.resource(nodes)
  const lease = plane.client.resource(leases).in('orch-node-lease')
  const end = new AbortController()
  const registered = await registerNode(options, end.signal)
  assert.equal(registered?.status?.nodeInfo?.containerRuntimeVersion, 'containerd://1')
  assert.match(JSON.stringify(registered?.status?.nodeInfo), /"orchletVersion":"v1\./)
  const keeping = keepNode(options, end.signal)
  const version = async () => (await all.get('n1')).metadata.resourceVersion
  const first = await version()
  let renewals = 0
  let renewed = ''
  for (let second = 0; second < 290; second += 10) {
    await clock.advanceAsync(10_000)
    const { spec } = await lease.get('n1')
    if (spec?.renewTime !== renewed) renewals += 1
    renewed = spec?.renewTime ?? ''
  }
  assert.is(await version(), first)
  assert.is(renewals, 29)
  await clock.advanceAsync(20_000)
  const told = await version()
  assert.is.not(told, first)
  problem = 'container runtime is down'
  await clock.advanceAsync(10_000)
  const { status } = await all.get('n1')
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  assert.equal(
    [ready?.status, ready?.reason, ready?.message],
    ['False', 'OrchletNotReady', 'container runtime is down'],
  )
  end.abort()
  await clock.advanceAsync(40_000)
  await keeping
})

test('a pod that has ended is deleted by its uid: one of the same name stays [G-11]', async () => {
  const own = plane.client.resource(pods).in('default')
  const create = () =>
    own.create({
      metadata: { name: 'web' },
      spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'x' }] },
    })
  const sink = serverSink(plane.client, { record: () => {} } as never)
  const former = await create()
  await own.delete('web', { gracePeriodSeconds: 0 })
  const next = await create()
  await sink.remove(former)
  assert.is((await own.get('web')).metadata.uid, next.metadata.uid)
  await sink.remove(next)
  assert.is(await own.find('web'), undefined)
})

test.run()
