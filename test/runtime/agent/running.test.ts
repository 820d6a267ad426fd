/** Pods of an agent whose programs are simulated, by a virtual clock: what comes when, and what is told of it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Container } from '../../../generated/apis/core/v1/container.ts'
import type { Pod, PodSpec } from '../../../generated/apis/core/v1/pod.ts'
import { platform } from '../../../generated/platform.ts'
import {
  type AgentFacts,
  createAgent,
  createImagePuller,
  noConfigObjects,
  nodeShutdown,
  shutdownGroups,
  silentSink,
} from '../../../runtime/agent/agent.ts'
import {
  createSimulatedRuntime,
  type SimulatedPrograms,
  simulatedMachine,
} from '../../../runtime/container-runtime/container-runtime.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { virtualClock } from '../../../runtime/testing/virtual-clock.ts'
import { tempDirectory } from '../../support/temp.ts'
import { until } from '../../support/until.ts'

const agents = suite('runtime/agent: pods by a virtual clock')

const containerOf = (more: Partial<Container> = {}): Container => ({
  ...{ name: 'main', image: 'work', imagePullPolicy: 'IfNotPresent', ...more },
})

function podOf(name: string, spec: Partial<PodSpec> = {}): Stored<Pod> {
  return {
    ...{ kind: 'Pod', apiVersion: 'v1' },
    metadata: {
      ...{ name, uid: name, namespace: 'default', resourceVersion: '1' },
      creationTimestamp: '2030-01-01T00:00:00Z',
    },
    spec: { containers: [containerOf()], restartPolicy: 'Always', ...spec },
  } as unknown as Stored<Pod>
}

/** An agent that runs. */
function agentOf(programs: SimulatedPrograms, more: Partial<AgentFacts> = {}) {
  const clock = virtualClock()
  const began = clock.monotonic()
  const starts: string[] = []
  const machine = simulatedMachine(clock, {
    ...programs,
    program(config) {
      starts.push(`${config.name} ${(clock.monotonic() - began) / 1000}`)
      return programs.program?.(config) ?? {}
    },
  })
  const runtime = createSimulatedRuntime(machine, '1')
  const told: string[] = []
  const folder = tempDirectory()
  const objects = noConfigObjects
  const facts: AgentFacts = {
    ...{ runtime, runtimeName: 'simulated', platform, rootFolder: folder, logFolder: folder },
    ...{ nodeName: 'n1', address: '10.0.0.1', allocatable: {}, objects, clock, log: silentLog },
    ...{ tokens: undefined, claims: undefined, groups: undefined },
    sink: {
      ...silentSink,
      tellEvent: ({ metadata }, { reason, message }) =>
        told.push(`${metadata.name} ${reason} ${message}`),
    },
    serviceVariables: () => new Map(),
    limits: { memoryBytes: 2 ** 30, enforcesCpu: true, cpuPeriodMs: 100 },
    security: { seccomp: false, seccompFolder: folder },
    dns: {
      clusterServers: [],
      clusterDomain: '',
      own: () => ({ servers: [], searches: [], options: [] }),
    },
    images: createImagePuller({
      ...{ runtime, objects, clock, files: [], providers: undefined },
      ...{ atOnce: 1000, perSecond: 0, burst: 0 },
    }),
    handlerOf: async () => '',
    refusal: () => undefined,
    ...more,
  }
  const agent = createAgent(facts, { syncMs: 3_600_000 })
  const end = new AbortController()
  const running = agent.run(end.signal)
  const pod = (name: string) => agent.pods().find(({ metadata }) => metadata.name === name)
  return {
    ...{ agent, clock, starts, told, pod },
    main: (name: string) => pod(name)?.status?.containerStatuses?.[0],
    async stop() {
      end.abort()
      await clock.advanceAsync(10_000)
      await running
    },
  }
}

agents('a container that ends at once is started again after longer and longer waits', async () => {
  const { agent, clock, starts, main, stop } = agentOf({
    program: () => ({ endsAfterMs: 0, exitCode: 3 }),
  })
  agent.setPods('api', [podOf('crash')])
  await clock.advanceAsync(700_000)
  const seconds = starts.map((one) => Number(one.split(' ')[1]))
  const waits = seconds.map((at, index) => Math.round(at - (seconds[index - 1] ?? 0)))
  assert.equal(waits.slice(0, 7), [0, 0, 10, 20, 40, 80, 160])
  assert.is(main('crash')?.state?.waiting?.reason, 'CrashLoopBackOff')
  assert.match(main('crash')?.state?.waiting?.message ?? '', /^back-off 5m0s restarting failed/)
  assert.is(main('crash')?.lastState?.terminated?.exitCode, 3)
  await stop()
})

agents('a volume that cannot be made is tried again after longer and longer waits', async () => {
  const asked: number[] = []
  let isThere = false
  const clockOf = (): number => clock.monotonic()
  const { agent, clock, told, main, stop } = agentOf(
    {},
    {
      objects: {
        ...noConfigObjects,
        async configMap() {
          asked.push(clockOf())
          return isThere ? new Map([['a', Buffer.from('b')]]) : undefined
        },
      },
    },
  )
  const volumes = [{ name: 'words', configMap: { name: 'later' } }]
  agent.setPods('api', [podOf('waits', { volumes }), podOf('other')])
  await clock.advanceAsync(400_000)
  const waits = asked.map((at, index) => at - (asked[index - 1] ?? at))
  assert.equal(
    waits.slice(0, 10),
    [0, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 122_000],
  )
  const text =
    'waits FailedMount MountVolume.SetUp failed for volume "words" : configmap "later" not found'
  assert.ok(told.includes(text), told.join('\n'))
  assert.is(main('waits')?.state?.waiting?.reason, 'ContainerCreating')
  assert.ok(main('other')?.state?.running)
  isThere = true
  await clock.advanceAsync(122_000)
  assert.ok(main('waits')?.state?.running)
  await stop()
})

// T-11
agents(
  'a probe that hangs ends a container, and one that is deaf is killed after its grace',
  async () => {
    const exec = { command: ['hangs'] }
    const livenessProbe = { exec, timeoutSeconds: 2, periodSeconds: 10, failureThreshold: 2 }
    const { agent, clock, starts, told, main, stop } = agentOf({
      program: () => ({ onTerm: 'deaf' }),
      command: () => ({ takesMs: 3_600_000 }),
    })
    const terminationGracePeriodSeconds = 7
    const containers = [containerOf({ livenessProbe, readinessProbe: { exec } })]
    agent.setPods('api', [
      podOf('hung', { containers, terminationGracePeriodSeconds }),
      podOf('other'),
    ])
    await clock.advanceAsync(20_000)
    const failed = told.filter((one) => one.startsWith('hung Unhealthy Liveness'))
    assert.is(failed.length, 2)
    assert.is(failed[0], 'hung Unhealthy Liveness probe failed: command "hangs" timed out after 2s')
    assert.is(main('hung')?.restartCount, 0, 'it has its grace')
    await clock.advanceAsync(2_000)
    assert.is(main('hung')?.lastState?.terminated?.exitCode, 137)
    assert.is(main('hung')?.restartCount, 1)
    assert.is(main('hung')?.ready, false)
    // Two rounds of two seconds, ten seconds apart, then the grace.
    assert.equal(starts, ['main 0', 'main 0', 'main 21'])
    assert.ok(main('other')?.ready)
    await stop()
  },
)

// T-11
agents('a pod tells how far it is, and why it ended', async () => {
  const { agent, clock, pod, stop } = agentOf({
    program: ({ name }) => (name === 'first' ? { endsAfterMs: 5_000 } : {}),
  })
  const initContainers = [containerOf({ name: 'first' })]
  agent.setPods('api', [
    podOf('begins', { initContainers }),
    podOf('late', { activeDeadlineSeconds: 60 }),
    podOf('once', { containers: [containerOf({ name: 'first' })], restartPolicy: 'Never' }),
  ])
  const conditions = (name: string) =>
    Object.fromEntries(
      (pod(name)?.status?.conditions ?? []).map(({ type, status, reason }) => [
        type,
        [status, reason].filter(Boolean).join(' '),
      ]),
    )
  await clock.advanceAsync(1_000)
  const { status } = pod('begins') ?? {}
  assert.is(status?.phase, 'Pending')
  assert.is(status?.containerStatuses?.[0]?.state?.waiting?.reason, 'PodInitializing')
  assert.equal([status?.hostIP, status?.podIPs], ['10.0.0.1', [{ ip: '10.0.0.1' }]])
  assert.ok(status?.startTime)
  assert.is(status?.qosClass, 'BestEffort')
  assert.match(conditions('begins').Initialized ?? '', /^False ContainersNotInitialized/)
  assert.is(conditions('begins').ContainersReady, 'False ContainersNotReady')
  assert.is(conditions('begins').PodReadyToStartContainers, 'True')
  await clock.advanceAsync(9_000)
  assert.is(pod('begins')?.status?.phase, 'Running')
  assert.equal([conditions('begins').Ready, conditions('begins').Initialized], ['True', 'True'])
  assert.is(pod('once')?.status?.phase, 'Succeeded')
  assert.is(conditions('once').Ready, 'False PodCompleted')
  const ended = pod('once')?.status?.containerStatuses?.[0]?.state?.terminated
  assert.equal([ended?.reason, ended?.exitCode], ['Completed', 0])
  await clock.advanceAsync(100_000)
  const { phase, reason } = pod('late')?.status ?? {}
  assert.equal([phase, reason], ['Failed', 'DeadlineExceeded'])
  await stop()
})

agents('a container that the runtime refuses is not made over and over', async () => {
  const { agent, clock, starts, main, stop } = agentOf({
    program: () => ({ refusal: 'exec: "none": executable file not found' }),
  })
  agent.setPods('api', [podOf('refused')])
  await clock.advanceAsync(60_000)
  assert.equal(starts, ['main 0', 'main 0', 'main 10', 'main 30'])
  assert.is(main('refused')?.state?.waiting?.reason, 'CrashLoopBackOff')
  assert.is(main('refused')?.lastState?.terminated?.reason, 'ContainerCannotRun')
  await stop()
})

// T-11
agents('when the node goes down, pods end by their priority, each group in its time', async () => {
  const endings: string[] = []
  const { agent, clock, pod, told, stop } = agentOf({
    program: ({ name }) => (name === 'deaf' ? { onTerm: 'deaf' } : {}),
  })
  const critical = { priority: 2_000_000_000 }
  agent.setPods('api', [
    podOf('plain'),
    podOf('deaf', { containers: [containerOf({ name: 'deaf' })] }),
    podOf('critical', critical),
  ])
  await clock.advanceAsync(1_000)
  const groups = shutdownGroups({ seconds: 30, criticalSeconds: 10, byPriority: [] })
  assert.equal(groups, [
    { priority: 0, seconds: 20 },
    { priority: 2_000_000_000, seconds: 10 },
  ])
  const shutdown = nodeShutdown({
    ...{ groups, clock, log: silentLog, pods: agent.pods },
    sendAway(one, why) {
      endings.push(`${one.metadata.name} ${why.graceSeconds}`)
      agent.sendAway(one.metadata.uid, why)
    },
  })
  assert.is(shutdown.refusal(), undefined)
  const over = shutdown.begin()
  await clock.advanceAsync(10_000)
  assert.equal(endings, ['plain 20', 'deaf 20'])
  assert.is(shutdown.refusal()?.reason, 'NodeShutdown')
  const { phase, reason, message, conditions = [] } = pod('plain')?.status ?? {}
  assert.equal(
    [phase, reason, message],
    ['Failed', 'Terminated', 'Pod was terminated in response to imminent node shutdown.'],
  )
  const target = conditions.find(({ type }) => type === 'DisruptionTarget')
  assert.equal([target?.status, target?.reason], ['True', 'TerminationByOrchlet'])
  assert.is(pod('critical')?.status?.phase, 'Running')
  await clock.advanceAsync(20_000)
  await over
  assert.equal(endings, ['plain 20', 'deaf 20', 'critical 10'])
  assert.ok(agent.pods().every(({ status }) => status?.phase === 'Failed'))
  assert.ok(told.some((one) => one.startsWith('critical Killing')))
  await stop()
})

agents('each priority has its own time where the settings say so', () => {
  const byPriority = [
    { priority: 1000, seconds: 5 },
    { priority: 0, seconds: 10 },
  ]
  assert.equal(
    shutdownGroups({ seconds: 0, criticalSeconds: 0, byPriority }).map(({ priority }) => priority),
    [0, 1000],
  )
  assert.equal(shutdownGroups({ seconds: 0, criticalSeconds: 0, byPriority: [] }), [])
})

agents('of pods of one name from manifests the first ends before the next begins', async () => {
  const { agent, clock, starts, pod, stop } = agentOf({ program: () => ({ onTerm: 'deaf' }) })
  const manifest = (uid: string, source: string) => {
    const { metadata, ...rest } = podOf('web', { terminationGracePeriodSeconds: 20 })
    const annotations = { 'orch.io/config.source': source }
    return { ...rest, metadata: { ...metadata, uid, annotations } } as Stored<Pod>
  }
  agent.setPods('file', [manifest('a', 'file')])
  await clock.advanceAsync(5_000)
  agent.setPods('http', [manifest('b', 'http')])
  agent.setPods('file', [manifest('c', 'file')])
  await clock.advanceAsync(18_000)
  assert.is(starts.length, 1)
  const begins = (count: number) =>
    until(`${count} have begun`, async () => {
      await clock.advanceAsync(500)
      return starts.length === count
    })
  await begins(2)
  agent.setPods('http', [])
  await clock.advanceAsync(18_000)
  assert.is(starts.length, 2)
  await begins(3)
  assert.is(pod('web')?.metadata.uid, 'c')
  await stop()
})

agents('a pod whose names lead elsewhere is not run, and others are', async () => {
  const { agent, clock, starts, stop } = agentOf({})
  const named = (metadata: object, spec: Partial<PodSpec> = {}) => {
    const pod = podOf('bad', spec)
    return { ...pod, metadata: { ...pod.metadata, ...metadata } } as Stored<Pod>
  }
  agent.setPods('api', [
    named({ uid: '../../x' }),
    named({ uid: 'b', name: 'a/b' }),
    named({ uid: 'c', namespace: '..' }),
    named({ uid: 'd' }, { containers: [containerOf({ name: '../main' })] }),
    named({ uid: 'e' }, { volumes: [{ name: '..', emptyDir: {} }] }),
    podOf('good'),
  ])
  await clock.advanceAsync(5_000)
  assert.is(starts.length, 1)
  await stop()
})

agents.run()
