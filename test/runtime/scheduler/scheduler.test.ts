// The scheduler against the real server: pods get nodes, and whoever gets none is told why.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Event, events } from '../../../generated/apis/core/v1/event.ts'
import { nodes } from '../../../generated/apis/core/v1/node.ts'
import { persistentVolumeClaims } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { type Pod, pods } from '../../../generated/apis/core/v1/pod.ts'
import { priorityClasses } from '../../../generated/apis/scheduling/v1.ts'
import { storageClasses } from '../../../generated/apis/storage/v1/storage-class.ts'
import { platform as own } from '../../../generated/platform.ts'
import type { Client } from '../../../runtime/client/client.ts'
import { createClient } from '../../../runtime/client/client.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'
import { type LogFields, silentLog } from '../../../runtime/observe/observe.ts'
import { createScheduler } from '../../../runtime/scheduler/scheduler.ts'
import { startControlPlane, virtualClock } from '../../../runtime/testing/testing.ts'
import { platformScheme } from '../../support/platform-scheme.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/scheduler')

/** A node that takes pods: a new one is closed until its agent says that it is ready. */
async function addNode(
  client: Client,
  name: string,
  { spec = {}, labels = {}, cpu = '4' }: { spec?: object; labels?: object; cpu?: string } = {},
): Promise<void> {
  await client.resource(nodes).create({ metadata: { name, labels: { ...labels } } })
  const status = { allocatable: { cpu, memory: '8Gi', pods: '2000' } }
  await client.resource(nodes).mergePatch(name, { status }, { subresource: 'status' })
  await client.resource(nodes).mergePatch(name, { spec: { taints: null, ...spec } })
}

const specOf = (cpu: string, more: object = {}) => ({
  containers: [{ name: 'main', image: 'example', resources: { requests: { cpu } } }],
  ...more,
})

async function addPod(
  client: Client,
  name: string,
  { cpu = '1', labels = {}, ...spec }: Readonly<Record<string, unknown>> & { cpu?: string } = {},
): Promise<Stored<Pod>> {
  const metadata = { name, labels: labels as Record<string, string> }
  return client
    .resource(pods)
    .in('default')
    .create({ metadata, spec: specOf(cpu, spec) })
}

const podNow = (client: Client, name: string) => client.resource(pods).in('default').get(name)

const bound = (client: Client, name: string): Promise<string> =>
  until(`${name} has a node`, async () => (await podNow(client, name)).spec?.nodeName)

const refused = (client: Client, name: string, what: string) =>
  until(`${name} is told: ${what}`, async () => {
    const { status } = await podNow(client, name)
    const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled')
    return condition?.message?.includes(what) && condition
  })

const told = (client: Client, name: string, reason: string): Promise<Stored<Event>> =>
  until(`${name} has an event ${reason}`, async () => {
    const { items } = await client.resource(events).in('default').listAll()
    return items.find((one) => one.involvedObject.name === name && one.reason === reason)
  })

for (const platform of ['orch', 'kubernetes']) {
  const suffix = platform === 'orch' ? 'orch.io' : 'kubernetes.io'

  test(`pods get nodes, by the rights that a scheduler has: ${platform}`, async () => {
    const scheme = await platformScheme(platform)
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ authorization: 'RBAC', scheduler: true },
    })
    const { client } = plane
    const early = await addPod(client, 'early')
    assert.is(early.spec?.schedulerName, 'default-scheduler')
    await refused(client, 'early', 'no nodes available to schedule pods')
    const zone = (value: string) => ({ labels: { [`topology.${suffix}/zone`]: value } })
    await addNode(client, 'a', zone('x'))
    assert.is(await bound(client, 'early'), 'a')
    const event = await told(client, 'early', 'Scheduled')
    assert.is(event.message, 'Successfully assigned default/early to a')
    assert.is(event.source?.component, 'default-scheduler')
    const { status } = await podNow(client, 'early')
    const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled')
    assert.is(scheduled?.status, 'True')
    assert.is(scheduled?.reason, undefined)
    await addNode(client, 'b', { ...zone('y'), spec: { unschedulable: true } })
    const tolerations = [{ key: `node.${suffix}/unschedulable`, operator: 'Exists' }]
    await addPod(client, 'closed', { cpu: '4', tolerations })
    assert.is(await bound(client, 'closed'), 'b')
    await addPod(client, 'big', { cpu: '5' })
    const wanted =
      '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.'
    const condition = await refused(client, 'big', 'Insufficient')
    assert.is(condition.message, wanted)
    assert.is(condition.reason, 'Unschedulable')
    assert.is((await told(client, 'big', 'FailedScheduling')).message, wanted)
  })
}

test('what a pod waits for wakes it: its gates, a taint, a pod that goes', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, scheduler: true })
  const { client } = plane
  const own = client.resource(pods).in('default')
  const pass = async <T>(done: Promise<T>): Promise<T> => {
    let isDone = false
    done
      .finally(() => {
        isDone = true
      })
      .catch(() => {})
    while (!isDone) await clock.advanceAsync(500)
    return done
  }
  const taints = [{ key: 'k', value: 'v', effect: 'NoSchedule' }] as const
  await addNode(client, 'a', { spec: { taints } })
  await addPod(client, 'gated', { schedulingGates: [{ name: 'x.io/y' }], cpu: '3' })
  await addPod(client, 'waits', { cpu: '3' })
  await refused(client, 'waits', 'untolerated taint {k: v}')
  await own.mergePatch('gated', { spec: { schedulingGates: null } })
  await refused(client, 'gated', 'untolerated taint {k: v}')
  await own.delete('gated')
  await client.resource(nodes).mergePatch('a', { spec: { taints: null } })
  assert.is(await pass(bound(client, 'waits')), 'a')
  await addPod(client, 'next', { cpu: '3' })
  await refused(client, 'next', 'Insufficient cpu')
  await own.delete('waits', { gracePeriodSeconds: 0 })
  assert.is(await pass(bound(client, 'next')), 'a')
})

test('a more important pod makes room, and those that go are told', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, scheduler: true })
  const { client } = plane
  await client.resource(priorityClasses).create({ metadata: { name: 'high' }, value: 1000 })
  await addNode(client, 'a')
  await addPod(client, 'low', { cpu: '3' })
  assert.is(await bound(client, 'low'), 'a')
  const high = await addPod(client, 'high', { cpu: '3', priorityClassName: 'high' })
  const waits = await until('it waits for the node', async () => {
    const pod = await podNow(client, 'high')
    return pod.status?.nominatedNodeName === 'a' && pod
  })
  const condition = waits.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  assert.is(condition?.message, '0/1 nodes are available: 1 Insufficient cpu.')
  const victim = await podNow(client, 'low')
  assert.ok(victim.metadata.deletionTimestamp)
  const target = victim.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
  assert.is(target?.reason, 'PreemptionByScheduler')
  assert.is(target?.message, 'default-scheduler: preempting to accommodate a higher priority pod')
  const preempted = await told(client, 'low', 'Preempted')
  assert.is(preempted.message, `Preempted by pod ${high.metadata.uid} on node a`)
  await addPod(client, 'thief', { cpu: '3' })
  await refused(client, 'thief', 'Insufficient cpu')
  await client.resource(pods).in('default').delete('low', { gracePeriodSeconds: 0 })
  await until('it has the room', async () => {
    await clock.advanceAsync(1000)
    return (await podNow(client, 'high')).spec?.nodeName === 'a'
  })
})

test('a claim that waits for its first consumer gets the node of that, before the pod does', async () => {
  await using plane = await startControlPlane({ scheduler: true })
  const { client } = plane
  await client.resource(storageClasses).create({
    metadata: { name: 'late' },
    provisioner: 'example.com/disks',
    volumeBindingMode: 'WaitForFirstConsumer',
  })
  const claims = client.resource(persistentVolumeClaims).in('default')
  await claims.create({
    metadata: { name: 'disk' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'late',
      resources: { requests: { storage: '1Gi' } },
    },
  })
  await addNode(client, 'a')
  const volumes = [{ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }]
  await addPod(client, 'web', { volumes })
  const claim = await until('the claim has a node', async () => {
    const found = await claims.get('disk')
    return found.metadata.annotations?.['volume.orch.io/selected-node'] === 'a' && found
  })
  assert.is((await podNow(client, 'web')).spec?.nodeName, undefined)
  const annotations = { ...claim.metadata.annotations, 'pv.orch.io/bind-completed': 'yes' }
  const metadata = { ...claim.metadata, annotations }
  await claims.update({ ...claim, metadata, spec: { ...claim.spec, volumeName: 'made' } })
  assert.is(await bound(client, 'web'), 'a')
})

test('a claim that changes while its volume is chosen is said to be what keeps a pod from its node, and the pod is tried again', async () => {
  await using plane = await startControlPlane()
  const { client, transport } = plane
  await client.resource(storageClasses).create({
    metadata: { name: 'late' },
    provisioner: 'example.com/disks',
    volumeBindingMode: 'WaitForFirstConsumer',
  })
  const claims = client.resource(persistentVolumeClaims).in('default')
  await claims.create({
    metadata: { name: 'disk' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'late',
      resources: { requests: { storage: '1Gi' } },
    },
  })
  let changes = 0
  const changing = createClient({
    send: async (request) => {
      const isChoice =
        request.method === 'PATCH' && request.path.includes('persistentvolumeclaims/disk')
      if (isChoice && changes++ === 0) {
        await claims.mergePatch('disk', { metadata: { labels: { changed: 'meanwhile' } } })
      }
      return transport.send(request)
    },
    close: async () => {},
  })
  await addNode(client, 'a')
  const options = { client: changing, platform: own, clock: systemClock, log: silentLog }
  const scheduler = await createScheduler({ ...options, backoffMs: 1, keepAlive: false })
  const end = new AbortController()
  const ended = scheduler.run(end.signal)
  const volumes = [{ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }]
  await addPod(client, 'web', { volumes })
  const event = await told(client, 'web', 'FailedScheduling')
  assert.match(event.message ?? '', /^running PreBind plugin "VolumeBinding": Operation cannot be /)
  await until('the claim has a node', async () => {
    const { metadata } = await claims.get('disk')
    return metadata.annotations?.['volume.orch.io/selected-node'] === 'a'
  })
  end.abort()
  await ended
  await changing.close()
})

test('pods of other schedulers are theirs', async () => {
  await using plane = await startControlPlane({ scheduler: { names: ['mine', 'ours'] } })
  const { client } = plane
  await addNode(client, 'a')
  await addPod(client, 'other')
  for (const schedulerName of ['mine', 'ours']) {
    await addPod(client, schedulerName, { schedulerName })
    assert.is(await bound(client, schedulerName), 'a')
    const event = await told(client, schedulerName, 'Scheduled')
    assert.is(event.source?.component, schedulerName)
  }
  const { spec, status } = await podNow(client, 'other')
  assert.is(spec?.nodeName, undefined)
  assert.equal(status?.conditions ?? [], [])
})

test('a pod that cannot be decided about is told so and tried again, and keeps no other from its node', async () => {
  await using plane = await startControlPlane()
  const { client } = plane
  let draws = 0
  const random = (): number => {
    draws += 1
    if (draws === 1) throw new Error('no number is to be had')
    return 0.5
  }
  await addNode(client, 'a')
  await addNode(client, 'b')
  // Two nodes that are as good as each other: one of them is drawn.
  await addPod(client, 'first')
  await addPod(client, 'second')
  const options = { client, platform: own, clock: systemClock, log: silentLog, random }
  const scheduler = await createScheduler({ ...options, keepAlive: false })
  const end = new AbortController()
  const ended = scheduler.run(end.signal)
  const broken = await until('one of them is told', async () => {
    const { items } = await client.resource(events).in('default').listAll()
    return items.find(({ message }) => message?.includes('no number is to be had'))
  })
  assert.is(broken.reason, 'FailedScheduling')
  assert.match(await bound(client, 'first'), /^[ab]$/)
  assert.match(await bound(client, 'second'), /^[ab]$/)
  end.abort()
  await ended
})

test('a scheduler that logs everything says how well each node does for a pod', async () => {
  await using plane = await startControlPlane()
  const { client } = plane
  for (const name of ['a', 'b']) await addNode(client, name)
  const lines: LogFields[] = []
  const log = {
    ...silentLog,
    debugging: true,
    debug: (event: string, fields: LogFields = {}) => {
      if (event === 'nodes are compared') lines.push(fields)
    },
  }
  const scheduler = await createScheduler({
    ...{ client, platform: own, clock: systemClock, log, keepAlive: false },
  })
  const end = new AbortController()
  const ended = scheduler.run(end.signal)
  await scheduler.ready
  await addPod(client, 'web')
  await bound(client, 'web')
  const [line] = lines
  assert.is(line?.pod, 'default/web')
  assert.match(String(line?.scores), /^[ab]=\d+ [ab]=\d+$/)
  end.abort()
  await ended
})

test('a thousand pods that find no node are told so once, and cost nothing while nothing helps', async () => {
  await using plane = await startControlPlane()
  const { client, transport } = plane
  const sent = { bindings: 0, statuses: 0, all: 0 }
  const counted = createClient({
    send: (request) => {
      if (request.method !== 'GET') sent.all += 1
      const [path = ''] = request.path.split('?')
      if (path.endsWith('/binding')) sent.bindings += 1
      if (path.endsWith('/status')) sent.statuses += 1
      return transport.send(request)
    },
    close: async () => {},
  })
  const options = { client: counted, platform: own, clock: systemClock, log: silentLog }
  const scheduler = await createScheduler({ ...options, keepAlive: false })
  const end = new AbortController()
  const ended = scheduler.run(end.signal)
  await scheduler.ready
  await addNode(client, 'a', { cpu: '1' })
  const many = Array.from({ length: 1000 }, (_, at) => addPod(client, `p${at}`, { cpu: '2' }))
  await Promise.all(many)
  await until('each is told', () => sent.statuses >= 1000)
  for (let at = 0; at < 20; at++) {
    const conditions = [{ type: 'Ready', status: at % 2 === 0 ? 'True' : 'False' }] as const
    const status = { conditions }
    await client.resource(nodes).mergePatch('a', { status }, { subresource: 'status' })
  }
  await addPod(client, 'small', { cpu: '1' })
  await until('the one that fits is bound', () => sent.bindings > 0)
  assert.is(await bound(client, 'small'), 'a')
  assert.is(sent.statuses, 1000)
  assert.is(sent.bindings, 1)
  assert.ok(sent.all <= 1000 + 1 + 1001, `${sent.all}`)
  end.abort()
  await ended
  await counted.close()
})

test.run()
