// Ranges of addresses for the pods of nodes, on a server.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { events } from '../../../../../generated/apis/core/v1/event.ts'
import { nodes } from '../../../../../generated/apis/core/v1/node.ts'
import { controllers as known } from '../../../../../generated/controllers.ts'
import { platform as own } from '../../../../../generated/platform.ts'
import { type Client, createClient } from '../../../../../runtime/client/client.ts'
import {
  controllerUser,
  createControllerManager,
  defaultConfiguration,
  managerUser,
  selectControllers,
} from '../../../../../runtime/controller-manager/controller-manager.ts'
import { systemClock } from '../../../../../runtime/kernel/async/clock.ts'
import type { UserInfo } from '../../../../../runtime/kernel/auth/user-info.ts'
import { enabledGatesOf } from '../../../../../runtime/kernel/descriptors/enabled-gates.ts'
import { silentLog } from '../../../../../runtime/observe/observe.ts'
import {
  type ControlPlane,
  type FaultRule,
  injectFaults,
  startControlPlane,
} from '../../../../../runtime/testing/testing.ts'
import { platformScheme } from '../../../../support/platform-scheme.ts'
import { until } from '../../../../support/until.ts'

const test = suite('runtime/controller-manager/cluster/node-ipam')

/** What the controller is given, and whether it runs at all. */
interface Settings {
  readonly cluster: string
  readonly service?: string
  readonly allocates?: boolean
}

/** Runs the controller until the test ends. */
async function startIpam(
  plane: ControlPlane,
  clientAs: (user: UserInfo) => Client,
  { cluster, service = '', allocates = true }: Settings,
) {
  const usual = await defaultConfiguration()
  const gates = enabledGatesOf(plane.scheme)
  const { platform } = plane.scheme
  const { selected } = selectControllers(['node-ipam-controller'], {
    ...{ controllers: known, gates, cloud: false },
  })
  const manager = await createControllerManager({
    ...{ controllers: selected, gates, platform, clock: systemClock, log: silentLog },
    client: clientAs(managerUser(platform)),
    clientOf: ({ account }) => clientAs(controllerUser(account, platform)),
    configuration: {
      ...usual,
      OrchCloudShared: {
        ...usual.OrchCloudShared,
        AllocateNodeCIDRs: allocates,
        ClusterCIDR: cluster,
      },
      NodeIPAMController: { ...usual.NodeIPAMController, ServiceCIDR: service },
    },
  })
  const end = new AbortController()
  const ended = manager.run(end.signal)
  return {
    controllers: manager.controllers,
    async [Symbol.asyncDispose]() {
      end.abort()
      await ended
    },
  }
}

const rangesOf = async (client: Client, name: string) =>
  (await client.resource(nodes).get(name)).spec?.podCIDRs?.join(' ')

const toldOf = async (client: Client) =>
  (await client.resource(events).listAll()).items.map(
    ({ type, reason, message, source, count }) =>
      `${type} ${reason} ${message} x${count} (${source?.component})`,
  )

for (const name of ['orch', 'kubernetes']) {
  test(`nodes get ranges as long as there are any, and those of nodes that go: ${name} (I-12, D2.154)`, async () => {
    const scheme = await platformScheme(name)
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      authorization: 'RBAC',
    })
    const client = createClient(plane.transport, { platform: own })
    const clientAs = ({ username, groups }: UserInfo) =>
      name === 'orch' ? plane.as({ user: username, groups }) : client
    const all = client.resource(nodes)
    const podCIDRs = ['10.0.2.0/24']
    await all.create({ metadata: { name: 'known' }, spec: { podCIDR: '10.0.2.0/24', podCIDRs } })
    await all.create({
      metadata: { name: 'other' },
      spec: { podCIDR: '192.0.2.0/24', podCIDRs: ['192.0.2.0/24'] },
    })
    await all.create({ metadata: { name: 'a' } })
    const settings = { cluster: '10.0.0.0/22,fd00::/62', service: '10.0.1.0/24' }
    await using _ = await startIpam(plane, clientAs, settings)
    await until(
      'a has ranges',
      async () => (await rangesOf(client, 'a')) === '10.0.0.0/24 fd00::/64',
    )
    assert.is((await all.get('a')).spec?.podCIDR, '10.0.0.0/24')
    await all.create({ metadata: { name: 'b' } })
    await until(
      'b has ranges',
      async () => (await rangesOf(client, 'b')) === '10.0.3.0/24 fd00:0:0:1::/64',
    )
    await all.create({ metadata: { name: 'c' } })
    const told = 'Normal CIDRNotAvailable Node c status is now: CIDRNotAvailable x1 (cidrAllocator)'
    await until('c has none', async () => (await toldOf(client)).includes(told))
    await all.mergePatch('c', { metadata: { labels: { some: 'change' } } })
    await all.delete('a')
    await until(
      'c has those of a',
      async () => (await rangesOf(client, 'c')) === '10.0.0.0/24 fd00:0:0:2::/64',
    )
    assert.is(await rangesOf(client, 'known'), '10.0.2.0/24')
    const outside = (range: string) =>
      `Warning CIDROutOfRange ${range} is not a part of 10.0.0.0/22, fd00::/62 x1 (cidrAllocator)`
    await all.create({
      metadata: { name: 'late' },
      spec: { podCIDR: '192.0.3.0/24', podCIDRs: ['192.0.3.0/24'] },
    })
    await until('a late one is told, too', async () =>
      (await toldOf(client)).includes(outside('192.0.3.0/24')),
    )
    assert.equal((await toldOf(client)).sort(), [
      told,
      outside('192.0.2.0/24'),
      outside('192.0.3.0/24'),
    ])
  })
}

test('a node that cannot be written is told why, once, and gets its range when it can', async () => {
  await using plane = await startControlPlane()
  const refused: FaultRule = {
    fault: { is: 'status', code: 500 },
    verb: 'patch',
    resource: 'nodes',
  }
  const { random } = Math
  const faulty = injectFaults(plane.transport, { rules: [refused], clock: systemClock, random })
  const client = createClient(faulty)
  await using _ = await startIpam(plane, () => client, { cluster: '10.0.0.0/16' })
  await plane.client.resource(nodes).create({ metadata: { name: 'a' } })
  const told =
    'Normal CIDRAssignmentFailed Node a status is now: CIDRAssignmentFailed x1 (cidrAllocator)'
  await until('it is told', async () => (await toldOf(plane.client)).includes(told))
  await until('it is tried again', () => faulty.injected.length > 2)
  faulty.setRules([])
  await until('it has a range', async () =>
    (await rangesOf(plane.client, 'a'))?.startsWith('10.0.'),
  )
  assert.equal(await toldOf(plane.client), [told])
})

test('where nodes are to have no ranges it does not run, and does not where they cannot be given', async () => {
  await using plane = await startControlPlane()
  const settings = { cluster: '10.0.0.0/30', allocates: false }
  await using idle = await startIpam(plane, () => plane.client, settings)
  assert.equal(idle.controllers, [])
  const why = await startIpam(plane, () => plane.client, { cluster: '10.0.0.0/30' }).then(
    () => 'it runs',
    (error: Error) => error.message,
  )
  assert.is(why, '--cluster-cidr 10.0.0.0/30: is smaller than the range of a node, /24')
})

test.run()
