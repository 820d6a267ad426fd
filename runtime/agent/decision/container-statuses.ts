/** What the status of a pod says of its containers. */
import type {
  Container,
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus as Told,
} from '../../../generated/apis/core/v1/container.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { ContainerStatus } from '../../container-runtime/container-runtime.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { type Containers, isSidecar, specOf } from '../../pods/pods.ts'

/** Why a container does not run, in the words of its status. */
export interface WaitingReason {
  readonly reason: string
  readonly message: string
}

/** Reasons of a container that was made and has ended: it waits for its next start as others do. */
const endedReasons = new Set(['RunContainerError', 'PostStartHookError'])

/** What is known of the containers of a pod. */
export interface ContainerFacts {
  readonly pod: Stored<Pod>
  /** The word before the id of a container: `containerd`. */
  readonly runtime: string
  /** The newest container of each name. */
  readonly containers: ReadonlyMap<string, ContainerStatus>
  /** Those before the newest. */
  readonly former: ReadonlyMap<string, ContainerStatus>
  /** What keeps a container from starting. */
  readonly problems: ReadonlyMap<string, WaitingReason>
  /** Milliseconds of containers that wait for their next start, and how long they wait in all. */
  readonly backoffs: ReadonlyMap<string, number>
  isReady(id: string): boolean
  hasStarted(id: string): boolean
  /** The message that a container left when it ended. */
  terminationMessage(id: string): string
}

/** The statuses of all containers of a pod. */
export function containerStatuses(facts: ContainerFacts): Containers {
  const { initContainers = [], containers, ephemeralContainers = [] } = specOf(facts.pod)
  const isInitialized = containers.some(({ name }) => facts.containers.has(name))
  const usual =
    initContainers.length > 0 && !isInitialized ? 'PodInitializing' : 'ContainerCreating'
  const told = (isInit: boolean) => (container: Container) =>
    statusOf(container, facts, usual, isInit)
  const byName = (a: Told, b: Told) => (a.name < b.name ? -1 : 1)
  return {
    init: initContainers.map(told(true)),
    main: containers.map(told(false)).sort(byName),
    ephemeral: ephemeralContainers.map((one) => ({ ...told(false)(one), ready: false })),
  }
}

function statusOf(
  container: Container,
  facts: ContainerFacts,
  usual: string,
  isInit: boolean,
): Told {
  const { name, image = '' } = container
  const known = facts.containers.get(name)
  const problem = facts.problems.get(name)
  if (known === undefined || known.state === 'created' || known.state === 'unknown') {
    const waiting = problem ?? { reason: usual }
    return {
      ...{ name, image, imageID: '', ready: false, restartCount: 0, started: false },
      ...{ state: { waiting }, lastState: {} },
    }
  }
  const former = facts.former.get(name)
  const common = {
    ...{ name, image, imageID: known.imageRef, restartCount: known.config.attempt },
    containerID: `${facts.runtime}://${known.id}`,
  }
  if (known.state === 'running') {
    const started = facts.hasStarted(known.id)
    const lastState = former ? { terminated: terminated(former, facts) } : {}
    const ready = isInit ? isSidecar(container) && started : started && facts.isReady(known.id)
    const state = { running: { startedAt: timestamp(known.startedAt) } }
    return { ...common, ready, started, state, lastState }
  }
  const end = terminated(known, facts)
  const waitMs = facts.backoffs.get(name)
  const isSpent = isInit && !isSidecar(container)
  const done = { ...common, ready: isSpent && end.exitCode === 0, started: false }
  const startsAgain = waitMs !== undefined || isStartedAgain(container, facts.pod, end.exitCode)
  if ((problem === undefined && waitMs === undefined) || !startsAgain) {
    const lastState: ContainerState = former ? { terminated: terminated(former, facts) } : {}
    return { ...done, state: { terminated: end }, lastState }
  }
  const { namespace, name: podName, uid } = facts.pod.metadata
  const back = `back-off ${waitText(waitMs ?? 0)} restarting failed container=${name} pod=${podName}_${namespace}(${uid})`
  const isOld = waitMs !== undefined && endedReasons.has(problem?.reason ?? '')
  const crashes = { reason: 'CrashLoopBackOff', message: back }
  const waiting = problem === undefined || isOld ? crashes : problem
  return { ...done, ready: false, state: { waiting }, lastState: { terminated: end } }
}

/** True for a container that its pod wants to run again after such an end. */
function isStartedAgain(container: Container, pod: Stored<Pod>, exitCode: number): boolean {
  const { restartPolicy = 'Always' } = specOf(pod)
  if (isSidecar(container) || restartPolicy === 'Always') return true
  return restartPolicy === 'OnFailure' && exitCode !== 0
}

function terminated(known: ContainerStatus, facts: ContainerFacts): ContainerStateTerminated {
  const { exitCode, id } = known
  const message = facts.terminationMessage(id) || known.message
  return {
    exitCode,
    reason: known.reason || (exitCode === 0 ? 'Completed' : 'Error'),
    ...(message !== '' && { message }),
    startedAt: timestamp(known.startedAt || known.createdAt),
    finishedAt: timestamp(known.finishedAt),
    containerID: `${facts.runtime}://${id}`,
  }
}

/** `10s`, `1m20s`, as the reference writes a time. */
function waitText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`
}
