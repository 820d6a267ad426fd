import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Container } from '../../../generated/apis/core/v1/container.ts'
import type { Pod, PodSpec } from '../../../generated/apis/core/v1/pod.ts'
import { type PodFacts, planPod } from '../../../runtime/agent/decision/pod-plan.ts'
import {
  afterRestart,
  type RestartBackoff,
  restartWaitMs,
} from '../../../runtime/agent/decision/restart-backoff.ts'
import type {
  ContainerStatus,
  PodSandboxStatus,
} from '../../../runtime/container-runtime/container-runtime.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'

const plans = suite('runtime/agent/decision/pod-plan')

const main: Container = { name: 'main', image: 'host/sh' }

function podOf(spec: Partial<PodSpec> = {}, metadata = {}): Stored<Pod> {
  const own = { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1' }
  return {
    ...{ kind: 'Pod', apiVersion: 'v1', spec: { containers: [main], ...spec } },
    metadata: { ...own, creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
  } as Stored<Pod>
}

const sandbox = { id: 's', ready: true, config: { attempt: 0 } } as PodSandboxStatus

function known(
  name: string,
  state: ContainerStatus['state'],
  more: Partial<ContainerStatus> = {},
): ContainerStatus {
  const config = { name, attempt: 0 } as ContainerStatus['config']
  const own = { id: `${name}-id`, sandboxId: 's', config, state, exitCode: 0, finishedAt: 1000 }
  return { ...own, ...more } as ContainerStatus
}

function planned(
  pod: Stored<Pod>,
  containers: readonly ContainerStatus[],
  more: Partial<PodFacts> = {},
) {
  return planPod({
    ...{ pod, evicted: false, sandbox, now: 1000 },
    containers: new Map(containers.map((each) => [each.config.name, each])),
    hasStarted: () => true,
    failedProbe: () => undefined,
    backoff: () => undefined,
    ...more,
  })
}

const words = (plan: ReturnType<typeof planPod>) =>
  plan.actions.map((one) =>
    'container' in one ? `${one.do} ${one.container.name} ${one.attempt}` : one.do,
  )

plans('a pod gets its sandbox first, then its containers', () => {
  assert.equal(words(planned(podOf(), [], { sandbox: undefined })), ['make sandbox'])
  assert.equal(words(planned(podOf(), [])), ['start main 0'])
  assert.equal(words(planned(podOf(), [known('main', 'running')])), [])
})

plans('init containers run one after another, each to its end', () => {
  const pod = podOf({ initContainers: [{ name: 'a' }, { name: 'b' }] })
  assert.equal(words(planned(pod, [])), ['start a 0'])
  assert.equal(words(planned(pod, [known('a', 'running')])), [])
  assert.equal(words(planned(pod, [known('a', 'exited')])), ['start b 0'])
  assert.equal(words(planned(pod, [known('a', 'exited', { exitCode: 1 })])), ['start a 1'])
  const both = [known('a', 'exited'), known('b', 'exited')]
  assert.equal(words(planned(pod, both)), ['start main 0'])
})

plans('an init container that fails ends a pod that restarts nothing', () => {
  const pod = podOf({ restartPolicy: 'Never', initContainers: [{ name: 'a' }] })
  assert.equal(words(planned(pod, [known('a', 'exited', { exitCode: 1 })])), ['end'])
})

plans('what comes after a sidecar waits until it has started', () => {
  const side: Container = { name: 'side', restartPolicy: 'Always' }
  const pod = podOf({ initContainers: [side] })
  assert.equal(words(planned(pod, [])), ['start side 0'])
  const running = [known('side', 'running')]
  assert.equal(words(planned(pod, running, { hasStarted: () => false })), [])
  assert.equal(words(planned(pod, running)), ['start main 0'])
})

plans('a sidecar does not keep a pod alive whose containers are done', () => {
  const side: Container = { name: 'side', restartPolicy: 'Always' }
  const pod = podOf({ restartPolicy: 'Never', initContainers: [side] })
  assert.equal(words(planned(pod, [known('side', 'running'), known('main', 'exited')])), ['end'])
})

for (const [policy, exitCode, wants] of [
  ['Always', 0, ['start main 1']],
  ['OnFailure', 1, ['start main 1']],
  ['OnFailure', 0, ['end']],
  ['Never', 1, ['end']],
] as const) {
  plans(`a container that ended with ${exitCode} and the policy ${policy}: ${wants}`, () => {
    const pod = podOf({ restartPolicy: policy })
    assert.equal(words(planned(pod, [known('main', 'exited', { exitCode })])), wants)
  })
}

plans('a container that fails its liveness probe is stopped, and only it', () => {
  const pod = podOf({ containers: [main, { name: 'other' }] })
  const all = [known('main', 'running'), known('other', 'running')]
  const failedProbe = (id: string) => (id === 'main-id' ? ('liveness' as const) : undefined)
  assert.equal(planned(pod, all, { failedProbe }).actions, [
    {
      ...{ do: 'stop', id: 'main-id', name: 'main' },
      why: 'Container main failed liveness probe, will be restarted',
    },
  ])
})

plans(
  'a container whose image changed is ended and started at once, whatever it waited for',
  () => {
    const pod = podOf({ containers: [{ ...main, image: 'host/new' }], restartPolicy: 'Never' })
    const config = { name: 'main', attempt: 2, image: 'host/sh' } as ContainerStatus['config']
    const backoff = () => ({ waitMs: 300_000, at: 1000 })
    const plan = planned(pod, [known('main', 'running', { config })], { backoff })
    assert.equal(words(plan), ['stop', 'start main 3'])
  },
)

plans('a container for looking at others is started once, while the pod starts or runs', () => {
  const debug = { name: 'debug', image: 'host/sh', targetContainerName: 'main' }
  const pod = podOf({ ephemeralContainers: [debug], initContainers: [{ name: 'a' }] })
  assert.equal(words(planned(pod, [known('a', 'running')])), ['start debug 0'])
  const running = [known('a', 'exited'), known('main', 'running')]
  const [action] = planned(pod, running).actions
  assert.is(action?.do === 'start' && action.beside, 'main-id')
  assert.equal(words(planned(pod, [...running, known('debug', 'exited', { exitCode: 1 })])), [])
})

plans('a pod that goes, or is sent away, ends with all that runs', () => {
  const gone = podOf({}, { deletionTimestamp: '2026-01-01T00:00:00Z' })
  assert.equal(words(planned(gone, [known('main', 'running')])), ['end'])
  assert.equal(words(planned(podOf(), [known('main', 'running')], { evicted: true })), ['end'])
  const ended = { sandbox: { ...sandbox, ready: false } }
  assert.equal(words(planned(gone, [known('main', 'exited')], ended)), [])
})

plans('a container that keeps ending waits twice as long each time, up to five minutes', () => {
  let backoff: RestartBackoff | undefined
  const waits = []
  for (let time = 0; time < 8; time++) {
    backoff = afterRestart(backoff, 1000)
    waits.push(restartWaitMs(backoff, 1000, 1000) / 1000)
  }
  assert.equal(waits, [10, 20, 40, 80, 160, 300, 300, 300])
  assert.is(restartWaitMs(backoff, 1000 + 600_001, 1000), 0)
  const plan = planned(podOf(), [known('main', 'exited')], { backoff: () => backoff })
  assert.equal([plan.actions, plan.waiting.get('main')], [[], 300_000])
})

plans.run()
