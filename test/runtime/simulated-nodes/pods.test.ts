import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Lease } from '../../../generated/apis/coordination/v1.ts'
import { nodes } from '../../../generated/apis/core/v1/node.ts'
import { type Pod, pods } from '../../../generated/apis/core/v1/pod.ts'
import type { Kind } from '../../../runtime/kernel/descriptors/kind.ts'
import type { PodStage } from '../../../runtime/simulated-nodes/simulated-nodes.ts'
import {
  type ControlPlane,
  startControlPlane,
  type VirtualClock,
  virtualClock,
} from '../../../runtime/testing/testing.ts'
import { platformScheme } from '../../support/platform-scheme.ts'

const test = suite('runtime/simulated-nodes')

const container = { name: 'main', image: 'web:1' }

async function makePod(
  { client }: ControlPlane,
  name: string,
  spec: Partial<Pod['spec']> = {},
  annotations: Record<string, string> = {},
) {
  const whole = { nodeName: 'node-1', containers: [container], ...spec }
  const draft = { metadata: { name, namespace: 'default', annotations }, spec: whole }
  return client.resource(pods).create(draft as never)
}

const podOf = ({ client }: ControlPlane, name: string) =>
  client.resource(pods).in('default').find(name)

/** What the pod said, one state after another, until `until` holds. */
async function states(plane: ControlPlane, clock: VirtualClock, name: string, ms: number) {
  const seen: string[] = []
  for (let passed = 0; passed <= ms; passed += 10) {
    const pod = await podOf(plane, name)
    const text = pod === undefined ? 'gone' : stateOf(pod)
    if (seen.at(-1) !== text && text !== 'Pending, ready -') seen.push(text)
    await clock.advanceAsync(10)
  }
  return seen
}

function stateOf(pod: Pick<Pod, 'status'> | undefined): string {
  const { status = {} } = pod ?? {}
  const { phase, conditions = [], initContainerStatuses = [], containerStatuses = [] } = status
  const ready = conditions.find(({ type }) => type === 'Ready')?.status ?? '-'
  const each = [...initContainerStatuses, ...containerStatuses].map(
    ({ name, state, restartCount }) => {
      const what =
        state?.waiting?.reason ??
        (state?.running ? 'running' : `exit ${state?.terminated?.exitCode}`)
      return `${name} ${what}${restartCount > 0 ? ` x${restartCount}` : ''}`
    },
  )
  return [phase, `ready ${ready}`, ...each].join(', ')
}

for (const name of ['orch', 'kubernetes']) {
  test(`nodes register, send heartbeats, and can be scheduled to: ${name}`, async () => {
    const scheme = await platformScheme(name)
    const clock = virtualClock()
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ clock, authorization: 'RBAC', simulatedNodes: 3 },
    })
    const { platform } = plane.scheme
    const { items } = await plane.client.resource(nodes).listAll()
    assert.equal(
      items.map(({ metadata, spec, status }) => [
        metadata.name,
        metadata.labels?.[`${platform.domain}/hostname`],
        spec?.taints ?? [],
        status?.conditions?.map(({ type, status: value }) => `${type}=${value}`).join(),
        status?.allocatable?.cpu,
        status?.nodeInfo?.operatingSystem,
      ]),
      ['node-0', 'node-1', 'node-2'].map((one) => [
        ...[one, one, []],
        'MemoryPressure=False,DiskPressure=False,PIDPressure=False,Ready=True',
        ...['32', 'linux'],
      ]),
    )
    const { agent, prefix, release } = platform
    for (const { status } of items) {
      const { daemonEndpoints, nodeInfo } = status as unknown as Record<string, object>
      assert.equal(daemonEndpoints, { [`${agent}Endpoint`]: { Port: 10_250 } })
      const versions = Object.entries(nodeInfo ?? {}).filter(([, value]) => value === `v${release}`)
      assert.equal(
        versions.map(([field]) => field),
        [`${agent}Version`, `${prefix}ProxyVersion`],
      )
    }
    const leases = Object.values(plane.scheme.routes).find(({ kind }) => kind === 'Lease')
    const begin = clock.now()
    const renewals = async () => {
      const all = plane.client.resource(leases as Kind<Lease>)
      const { items } = await all.in(`${platform.prefix}-node-lease`).listAll()
      return items.map(({ spec }) => Math.floor((Date.parse(spec?.renewTime ?? '') - begin) / 1000))
    }
    await clock.advanceAsync(5)
    assert.equal(await renewals(), [0, 0, 0])
    await clock.advanceAsync(10_000)
    assert.equal(await renewals(), [10, 10, 10])
    plane.nodes?.stop('node-1')
    await clock.advanceAsync(10_000)
    assert.equal(await renewals(), [20, 10, 20])
    plane.nodes?.start('node-1')
    await clock.advanceAsync(5)
    assert.equal(await renewals(), [20, 20, 20])
  })

  test(`a pod is taken on, runs, is ready, and goes when it is deleted: ${name}`, async () => {
    const scheme = await platformScheme(name)
    const clock = virtualClock()
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ clock, authorization: 'RBAC', simulatedNodes: 2 },
    })
    await makePod(plane, 'web')
    assert.equal(await states(plane, clock, 'web', 300), [
      'Pending, ready False, main ContainerCreating',
      'Running, ready True, main running',
    ])
    const pod = await podOf(plane, 'web')
    const { conditions = [], podIP, hostIP, startTime } = pod?.status ?? {}
    assert.equal(
      conditions.map(({ type, status }) => `${type}=${status}`),
      ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        (type) => `${type}=True`,
      ),
    )
    assert.equal([podIP, hostIP, startTime], ['10.128.1.2', '172.18.0.3', '2030-01-01T00:00:00Z'])
    await plane.client.resource(pods).in('default').delete('web')
    assert.equal((await podOf(plane, 'web'))?.metadata.deletionGracePeriodSeconds, 30)
    await clock.advanceAsync(100)
    assert.is(await podOf(plane, 'web'), undefined)
  })
}

test('init containers run one after the other, and a sidecar goes on', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, simulatedNodes: 2 })
  const initContainers = [
    { name: 'first', image: 'a' },
    { name: 'beside', image: 'b', restartPolicy: 'Always' },
    { name: 'last', image: 'c' },
  ]
  await makePod(plane, 'web', { initContainers, restartPolicy: 'Never' } as never)
  const waiting = 'main PodInitializing'
  assert.equal(await states(plane, clock, 'web', 600), [
    `Pending, ready False, first PodInitializing, beside PodInitializing, last PodInitializing, ${waiting}`,
    `Pending, ready False, first running, beside PodInitializing, last PodInitializing, ${waiting}`,
    `Pending, ready False, first exit 0, beside PodInitializing, last PodInitializing, ${waiting}`,
    `Pending, ready False, first exit 0, beside running, last PodInitializing, ${waiting}`,
    `Pending, ready False, first exit 0, beside running, last running, ${waiting}`,
    `Pending, ready False, first exit 0, beside running, last exit 0, ${waiting}`,
    'Running, ready True, first exit 0, beside running, last exit 0, main running',
  ])
})

test('pods end, fail and crash as their annotations ask for', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, simulatedNodes: 2 })
  const ask = (name: string, value: string) => ({ [`simulation.orch.io/${name}`]: value })
  await makePod(plane, 'ends', { restartPolicy: 'Never' }, ask('duration', '200ms'))
  await makePod(plane, 'fails', { restartPolicy: 'Never' }, ask('exit-code', '3'))
  await makePod(plane, 'unready', {}, ask('ready', 'false'))
  await makePod(plane, 'crashes', {}, ask('exit-code', '1'))
  assert.equal((await states(plane, clock, 'ends', 500)).slice(1), [
    'Running, ready True, main running',
    'Succeeded, ready False, main exit 0',
  ])
  assert.is(stateOf(await podOf(plane, 'fails')), 'Failed, ready False, main exit 3')
  assert.is(stateOf(await podOf(plane, 'unready')), 'Running, ready False, main running')
  const crashing = async () => stateOf(await podOf(plane, 'crashes'))
  assert.is(await crashing(), 'Running, ready False, main CrashLoopBackOff x1')
  await clock.advanceAsync(10_000)
  assert.is(await crashing(), 'Running, ready False, main CrashLoopBackOff x2')
  await clock.advanceAsync(19_000)
  assert.is(await crashing(), 'Running, ready False, main CrashLoopBackOff x2')
  await clock.advanceAsync(1_000)
  assert.is(await crashing(), 'Running, ready False, main CrashLoopBackOff x3')
})

test('a control plane whose server refuses its nodes does not start, and says why', async () => {
  for (const [settings, why] of [
    [{ labels: () => ({ 'no key!': 'x' }) }, /metadata\.labels/],
    [{ capacity: { cpu: 'lots' } }, /lots|quantities/i],
    [{ prefix: 'Node_' }, /metadata\.name/],
  ] as const) {
    const starting = startControlPlane({ simulatedNodes: { count: 2, ...settings } })
    const { message } = (await starting.catch((error: Error) => error)) as Error
    assert.match(message, why)
  }
})

test('a readiness gate is waited for, and a stopped node does nothing', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, simulatedNodes: 2 })
  const all = plane.client.resource(pods).in('default')
  await makePod(plane, 'web', { readinessGates: [{ conditionType: 'example.com/ok' }] })
  await clock.advanceAsync(300)
  assert.is(stateOf(await podOf(plane, 'web')), 'Running, ready False, main running')
  const found = await all.get('web')
  const ok = { type: 'example.com/ok', status: 'True' } as const
  const conditions = [...(found.status?.conditions ?? []), ok]
  await all.updateStatus({ ...found, status: { ...found.status, conditions } })
  await clock.advanceAsync(10)
  assert.is(stateOf(await podOf(plane, 'web')), 'Running, ready True, main running')
  plane.nodes?.stop('node-1')
  await all.delete('web')
  await clock.advanceAsync(60_000)
  assert.is.not(await podOf(plane, 'web'), undefined)
  plane.nodes?.start('node-1')
  await clock.advanceAsync(100)
  assert.is(await podOf(plane, 'web'), undefined)
})

test('stages are replaced, and delays are drawn from their distributions', async () => {
  const clock = virtualClock()
  const simulatedNodes = {
    count: 1,
    labels: (index: number) => ({ zone: `z${index}` }),
    stages: (usual: readonly PodStage[]) =>
      usual.map((one) => (one.name === 'started' ? { ...one, delay: 5000 } : one)),
  }
  await using plane = await startControlPlane({ clock, simulatedNodes })
  assert.is((await plane.client.resource(nodes).get('node-0')).metadata.labels?.zone, 'z0')
  await makePod(plane, 'slow', { nodeName: 'node-0' })
  await clock.advanceAsync(4990)
  assert.is((await podOf(plane, 'slow'))?.status?.phase, 'Pending')
  await clock.advanceAsync(10)
  assert.is((await podOf(plane, 'slow'))?.status?.phase, 'Running')
})

test.run()
