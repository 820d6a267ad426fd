// Volumes of drivers on nodes: attached where pods need them, and taken away in the order that keeps data whole.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { events } from '../../../../../generated/apis/core/v1/event.ts'
import { nodes } from '../../../../../generated/apis/core/v1/node.ts'
import { persistentVolumes } from '../../../../../generated/apis/core/v1/persistent-volume.ts'
import { persistentVolumeClaims } from '../../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { pods } from '../../../../../generated/apis/core/v1/pod.ts'
import { volumeAttachments } from '../../../../../generated/apis/storage/v1/volume-attachment.ts'
import { platform as own } from '../../../../../generated/platform.ts'
import { type Client, createClient } from '../../../../../runtime/client/client.ts'
import {
  decideAttachments,
  type ObservedNode,
} from '../../../../../runtime/controller-manager/storage/attachment/decide-attachments.ts'
import { startControlPlane, virtualClock } from '../../../../../runtime/testing/testing.ts'
import { platformScheme } from '../../../../support/platform-scheme.ts'
import { until } from '../../../../support/until.ts'

const test = suite('runtime/controller-manager/storage/attachment')

const idle: ObservedNode = {
  ...{ wanted: [], unwanted: [], inUse: [], reported: [], isReady: true, isOutOfService: false },
}
const attachment = (more: object = {}) =>
  ({ metadata: { name: 'a', uid: 'a' }, status: { attached: true }, ...more }) as never
const unwanted = (sinceMs = 0) => [{ attachment: attachment(), name: 'v', sinceMs }]
const reported = [{ name: 'v', devicePath: '' }]
const wanted = (more: object) =>
  [
    { volume: { metadata: { name: 'pv' }, spec: { accessModes: ['ReadWriteOnce'] } }, name: 'v' },
  ].map((one) => ({ ...one, pods: [], attachment: undefined, elsewhere: [], ...more }) as never)

const table: readonly [string, Partial<ObservedNode>, string][] = [
  ['what pods need is attached', { wanted: wanted({}) }, 'attach'],
  ['what another node has is not', { wanted: wanted({ elsewhere: ['other'] }) }, 'blocked'],
  ['what is attached is reported', { wanted: wanted({ attachment: attachment() }) }, 'report'],
  [
    'what is attached and reported stays',
    { wanted: wanted({ attachment: attachment() }), reported },
    'keep',
  ],
  ['what nothing needs is detached', { unwanted: unwanted(), reported }, 'detach'],
  ['what the node uses is not', { unwanted: unwanted(), reported, inUse: ['v'] }, 'keep'],
  [
    'nor long after that, while the node is ready',
    { unwanted: unwanted(1e7), reported, inUse: ['v'] },
    'keep',
  ],
  [
    'a node that is not ready has six minutes',
    { unwanted: unwanted(350_000), reported, inUse: ['v'], isReady: false },
    'wait',
  ],
  [
    'and is not asked any more afterwards',
    { unwanted: unwanted(360_001), reported, inUse: ['v'], isReady: false },
    'detach forced',
  ],
  [
    'nor one that is out of service',
    { unwanted: unwanted(), reported, inUse: ['v'], isOutOfService: true },
    'detach forced',
  ],
  [
    'a node that was never seen has six minutes',
    { unwanted: unwanted(), inUse: undefined, isReady: false },
    'wait',
  ],
]

for (const [title, observed, done] of table) {
  test(`${title}`, () => {
    const plan = decideAttachments({ ...idle, ...observed })
    const said = [
      plan.attach.length > 0 ? 'attach' : '',
      plan.blocked.length > 0 ? 'blocked' : '',
      plan.attached.length > 0 ? 'report' : '',
      ...plan.detach.map(({ forced }) => (forced ? 'detach forced' : 'detach')),
      plan.dueMs !== undefined ? 'wait' : '',
      plan.report.length > 0 && plan.attached.length === 0 && plan.dueMs === undefined
        ? 'keep'
        : '',
    ]
    assert.is(said.filter((one) => one !== '').join(), done)
  })
}

/** What a driver does: it attaches what is to be attached. */
async function attachAll(client: Client): Promise<void> {
  const resource = client.resource(volumeAttachments)
  for (const { metadata, status } of (await resource.listAll()).items) {
    if (status?.attached === true || metadata.deletionTimestamp !== undefined) continue
    await resource.mergePatch(
      metadata.name,
      { status: { attached: true } },
      { subresource: 'status' },
    )
  }
}

for (const platform of ['orch', 'kubernetes']) {
  test(`a volume follows its pod from node to node: ${platform}`, async () => {
    const scheme = await platformScheme(platform)
    const clock = virtualClock(Date.now())
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ authorization: 'RBAC', clock },
      controllers: ['persistentvolume-attach-detach-controller'],
    })
    const client = createClient(plane.transport, { platform: own })
    const { domain } = plane.scheme.platform
    const name = `${domain}/csi/disks.example.com^handle`
    const annotations = { [`volumes.${domain}/controller-managed-attach-detach`]: 'true' }
    for (const node of ['a', 'b']) {
      await client.resource(nodes).create({ metadata: { name: node, annotations } })
      const conditions = [{ type: 'Ready', status: 'True' }]
      await client.resource(nodes).mergePatch(node, { status: { conditions } } as never, {
        subresource: 'status',
      })
    }
    const ownPods = client.resource(pods).in('default')
    const claims = client.resource(persistentVolumeClaims).in('default')
    const attachments = client.resource(volumeAttachments)
    const resources = { requests: { storage: '1Gi' } }
    const spec = { accessModes: ['ReadWriteOnce'], resources, volumeName: 'pv' } as const
    const claim = await claims.create({ metadata: { name: 'data' }, spec })
    await claims.mergePatch('data', { status: { phase: 'Bound' } }, { subresource: 'status' })
    const { uid } = claim.metadata
    await client.resource(persistentVolumes).create({
      metadata: { name: 'pv' },
      spec: {
        ...{ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
        csi: { driver: 'disks.example.com', volumeHandle: 'handle' },
        claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'data', uid },
      },
    })
    const makePod = (node: string) =>
      ownPods.create({
        metadata: { name: `on-${node}` },
        spec: {
          ...{ nodeName: node, containers: [{ name: 'main', image: 'work' }] },
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
          terminationGracePeriodSeconds: 0,
        },
      })
    const attachedOf = async (node: string) =>
      (await client.resource(nodes).get(node)).status?.volumesAttached
    const passing = <T>(what: string, look: () => Promise<T>) =>
      until(what, async () => {
        await attachAll(client)
        await clock.advance(1000)
        return look()
      })
    const told = (reason: string) =>
      passing(`${reason} is told`, async () => {
        const { items } = await client.resource(events).in('default').listAll()
        return items.find((one) => one.reason === reason)?.message
      })

    await makePod('a')
    await passing('a has it', async () => (await attachedOf('a'))?.[0]?.name === name)
    assert.equal(await attachedOf('a'), [{ name, devicePath: '' }])
    const [first] = (await attachments.listAll()).items
    assert.match(String(first?.metadata.name), /^csi-[0-9a-f]{64}$/)
    assert.is(first?.spec.source.persistentVolumeName, 'pv')
    assert.is(
      await told('SuccessfulAttachVolume'),
      'AttachVolume.Attach succeeded for volume "pv" ',
    )
    const inUse = (volumesInUse: readonly string[] | null) =>
      client.resource(nodes).mergePatch('a', { status: { volumesInUse } } as never, {
        subresource: 'status',
      })
    await inUse([name])
    await makePod('b')
    assert.is(
      await told('FailedAttachVolume'),
      'Multi-Attach error for volume "pv" Volume is already used by pod(s) on-a',
    )
    await ownPods.delete('on-a', { gracePeriodSeconds: 0 })
    await claims.mergePatch('data', { metadata: { labels: { later: 'yes' } } })
    await clock.advance(5000)
    assert.is((await attachments.listAll()).items[0]?.spec.nodeName, 'a')
    await inUse(null)
    await passing('b has it', async () => (await attachedOf('b'))?.[0]?.name === name)
    assert.is(await attachedOf('a'), undefined)
    assert.is((await attachments.listAll()).items.length, 1)
    client.close()
  })
}

test.run()
