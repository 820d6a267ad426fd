/** The containers of a pod, as its node tells of them. */
import type {
  Container,
  ContainerState,
  ContainerStatus,
} from '../../../generated/apis/core/v1/container.ts'
import type { Pod, PodSpec } from '../../../generated/apis/core/v1/pod.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { type Containers, isSidecarOf, specOf } from '../../pods/pods.ts'

type PodOf = Pick<Stored<Pod>, 'metadata' | 'spec' | 'status'>

/** What the status of a pod says of its containers. */
export function containersOf({ status = {} }: PodOf): Containers {
  return { init: status.initContainerStatuses ?? [], main: status.containerStatuses ?? [] }
}

/** The containers of a pod that its node has taken on: none has started. */
export function waitingContainers(pod: PodOf): Containers {
  const { initContainers = [], containers } = specOf(pod)
  const reason = initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating'
  const waiting = ({ name, image = '' }: Container): ContainerStatus => ({
    ...{ name, image, imageID: '', ready: false, restartCount: 0, started: false },
    state: { waiting: { reason } },
    lastState: {},
  })
  return {
    init: initContainers.map(waiting),
    main: containers.map(waiting).sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/** The first init container that has still to start or to end before what comes after it. */
export function nextInit(pod: PodOf): ContainerStatus | undefined {
  const { init } = containersOf(pod)
  return init.find(({ name, state, started, ready }) =>
    isSidecarOf(pod, name) ? !started : !(state?.terminated && ready),
  )
}

/** A container that starts now, for the first time or again. */
export function started(pod: PodOf, status: ContainerStatus, now: number, ready: boolean) {
  const again = status.state?.terminated ?? status.lastState?.terminated
  const restartCount = again === undefined ? 0 : status.restartCount + 1
  const { name, image } = status
  const lastState: ContainerState = again === undefined ? {} : { terminated: again }
  return {
    ...{ name, image, imageID: image, ready, restartCount, started: true, lastState },
    containerID: `simulated://${pod.metadata.uid}/${name}/${restartCount}`,
    state: { running: { startedAt: timestamp(now) } },
  }
}

/** A running container that ends now; others stay as they are. */
export function exited(status: ContainerStatus, exitCode: number, now: number): ContainerStatus {
  const { running } = status.state ?? {}
  if (running === undefined) return status
  const { containerID } = status
  const terminated = {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt: running.startedAt ?? null,
    finishedAt: timestamp(now),
    ...(containerID !== undefined && { containerID }),
  }
  return { ...status, ready: false, started: false, state: { terminated } }
}

/** True for a container that runs. */
export function isRunning({ state }: ContainerStatus): boolean {
  return state?.running !== undefined
}

/** True if a container of the pod runs. */
export function runsAny(pod: PodOf): boolean {
  const { init, main } = containersOf(pod)
  return [...init, ...main].some(isRunning)
}

/** True for a main container that has ended, and is started again. */
export function isRestarted({ restartPolicy }: PodSpec, { state }: ContainerStatus): boolean {
  const { terminated } = state ?? {}
  if (terminated === undefined || restartPolicy === 'Never') return false
  return restartPolicy !== 'OnFailure' || terminated.exitCode !== 0
}
