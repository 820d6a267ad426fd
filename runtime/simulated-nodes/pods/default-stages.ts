/** The stages of pods as an agent of nodes leads them through, without anything that runs. */

import type { ContainerStatus } from '../../../generated/apis/core/v1/container.ts'
import type { Pod, PodStatus } from '../../../generated/apis/core/v1/pod.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { hasEnded, isSidecarOf, phaseWith, specOf, statusWith } from '../../pods/pods.ts'
import {
  containersOf,
  exited,
  isRestarted,
  isRunning,
  nextInit,
  runsAny,
  started,
  waitingContainers,
} from './container-statuses.ts'
import { runsFor } from './pod-behaviour.ts'
import type { PodStage, StageContext } from './pod-stage.ts'

type StoredPod = Stored<Pod>

const goes = ({ metadata }: StoredPod): boolean => metadata.deletionTimestamp !== undefined
const isAdmitted = ({ status }: StoredPod): boolean => status?.startTime !== undefined

/** A pod that goes is gone once none of its containers runs. */
const removed: PodStage = {
  name: 'removed',
  applies: (pod) => goes(pod) && !runsAny(pod),
  change: () => 'delete',
}

/** The containers of a pod that goes are stopped. */
const stopped: PodStage = {
  name: 'stopped',
  applies: (pod) => goes(pod),
  delay: ({ metadata: { deletionGracePeriodSeconds = 0 } }) =>
    Math.min(50, deletionGracePeriodSeconds * 1000),
  change: (pod, { now }) => ({ status: withoutRunning(pod, now) }),
}

/** The node takes a pod on. */
const admitted: PodStage = {
  name: 'admitted',
  applies: (pod) => !isAdmitted(pod) && !hasEnded(pod),
  change(pod, { now, nodeAddress }) {
    const hosts = { hostIP: nodeAddress, hostIPs: [{ ip: nodeAddress }] }
    const status = statusWith(pod, waitingContainers(pod), now)
    return { status: { ...status, ...hosts, startTime: timestamp(now) } }
  },
}

/** The next init container starts; a sidecar is as far as those after it need. */
const initStarted: PodStage = {
  name: 'init-started',
  applies(pod) {
    const next = hasEnded(pod) ? undefined : nextInit(pod)
    return next !== undefined && !isRunning(next)
  },
  delay: (pod) => {
    const { restartCount = 0, state } = nextInit(pod) ?? {}
    return state?.terminated === undefined ? { uniform: [10, 50] } : backOffMs(restartCount)
  },
  change(pod, context) {
    const next = nextInit(pod)
    const start = (one: ContainerStatus) =>
      one === next ? started(pod, one, context.now, isSidecarOf(pod, one.name)) : one
    const { init, main } = containersOf(pod)
    return withAddress(pod, context, statusWith(pod, { init: init.map(start), main }, context.now))
  },
}

/** The init container that runs ends. */
const initExited: PodStage = {
  name: 'init-exited',
  applies: (pod) => !hasEnded(pod) && nextInit(pod) !== undefined,
  delay: { uniform: [10, 50] },
  change(pod, { now, behaviour: { initExitCode = 0 } }) {
    const next = nextInit(pod)
    const end = (one: ContainerStatus) =>
      one === next ? { ...exited(one, initExitCode, now), ready: initExitCode === 0 } : one
    const { init, main } = containersOf(pod)
    return { status: statusWith(pod, { init: init.map(end), main }, now) }
  },
}

/** All containers start. Those without a readiness probe are ready then. */
const containersStarted: PodStage = {
  name: 'started',
  applies: (pod) => !hasEnded(pod) && containersOf(pod).main.some(isNew),
  delay: { uniform: [20, 100] },
  change(pod, context) {
    const { init, main } = containersOf(pod)
    const start = (one: ContainerStatus) => (isNew(one) ? startedOf(pod, one, context) : one)
    return withAddress(pod, context, statusWith(pod, { init, main: main.map(start) }, context.now))
  },
}

/** Containers with a readiness probe are ready when it was asked for the first time. */
const readied: PodStage = {
  name: 'ready',
  applies: (pod, { behaviour }) =>
    behaviour.ready !== false && containersOf(pod).main.some((one) => isRunning(one) && !one.ready),
  delay: (pod) => 1000 * Math.max(...specOf(pod).containers.map(probeSeconds)),
  change(pod, { now }) {
    const { init, main } = containersOf(pod)
    const ready = (one: ContainerStatus) => (isRunning(one) ? { ...one, ready: true } : one)
    return { status: statusWith(pod, { init, main: main.map(ready) }, now) }
  },
}

/** Containers that run for some time only end; with the last of a pod that has ended, its sidecars do. */
const containersExited: PodStage = {
  name: 'exited',
  applies: (pod, { behaviour }) =>
    runsFor(pod, behaviour) !== undefined && containersOf(pod).main.some(isRunning),
  delay: (pod, { behaviour }) => runsFor(pod, behaviour) ?? 0,
  change(pod, { now, behaviour: { exitCode = 0 } }) {
    const { init, main } = containersOf(pod)
    const after = { init, main: main.map((one) => exited(one, exitCode, now)) }
    const phase = phaseWith(pod, after)
    if (phase === 'Running') return { status: statusWith(pod, after, now) }
    const stop = { init: init.map((one) => exited(one, 0, now)), main: after.main }
    return { status: statusWith(pod, stop, now) }
  },
}

/** Containers that ended more than once wait before they are started again. */
const backedOff: PodStage = {
  name: 'backed-off',
  applies: (pod) => !hasEnded(pod) && restarts(pod).some(({ restartCount }) => restartCount > 0),
  change(pod, { now }) {
    const { init, main } = containersOf(pod)
    const ended = restarts(pod)
    const wait = (one: ContainerStatus): ContainerStatus => {
      const { terminated } = one.state ?? {}
      if (!ended.includes(one) || terminated === undefined) return one
      const seconds = backOffMs(one.restartCount) / 1000
      const { name, namespace, uid } = pod.metadata
      const message = `back-off ${goSeconds(seconds)} restarting failed container=${one.name} pod=${name}_${namespace}(${uid})`
      const waiting = { reason: 'CrashLoopBackOff', message }
      return { ...one, state: { waiting }, lastState: { terminated } }
    }
    return { status: statusWith(pod, { init, main: main.map(wait) }, now) }
  },
}

/** Containers that ended are started again: at once for the first time, later each further time. */
const restarted: PodStage = {
  name: 'restarted',
  applies: (pod) => !hasEnded(pod) && (restarts(pod).length > 0 || backingOff(pod).length > 0),
  delay: (pod) => Math.max(0, ...backingOff(pod).map((one) => backOffMs(one.restartCount))),
  change(pod, context) {
    const { init, main } = containersOf(pod)
    const due = [...restarts(pod), ...backingOff(pod)]
    const start = (one: ContainerStatus) => (due.includes(one) ? startedOf(pod, one, context) : one)
    return { status: statusWith(pod, { init, main: main.map(start) }, context.now) }
  },
}

/** What others say of the pod becomes part of its conditions: its readiness gates. */
const conditionsFollowed: PodStage = {
  name: 'conditions',
  applies: (pod, { now }) =>
    isAdmitted(pod) && !deepEqual(statusNow(pod, now).conditions, pod.status?.conditions),
  change: (pod, { now }) => ({ status: statusNow(pod, now) }),
}

/** The stages in which pods live unless others are named, in the order in which they are looked at. */
export const defaultStages: readonly PodStage[] = [
  removed,
  stopped,
  admitted,
  initStarted,
  initExited,
  containersStarted,
  readied,
  containersExited,
  backedOff,
  restarted,
  conditionsFollowed,
]

function statusNow(pod: StoredPod, now: number): PodStatus {
  return statusWith(pod, containersOf(pod), now)
}

/** The status of a pod whose containers were all stopped. */
function withoutRunning(pod: StoredPod, now: number): PodStatus {
  const { init, main } = containersOf(pod)
  const stop = (one: ContainerStatus) => exited(one, 0, now)
  return statusWith(pod, { init: init.map(stop), main: main.map(stop) }, now)
}

function withAddress(pod: StoredPod, context: StageContext, status: PodStatus) {
  if (status.podIP) return { status }
  const ip = specOf(pod).hostNetwork === true ? context.nodeAddress : context.podAddress()
  return ip === undefined ? undefined : { status: { ...status, podIP: ip, podIPs: [{ ip }] } }
}

/** A main container that starts: ready at once if nothing says otherwise. */
function startedOf(pod: StoredPod, status: ContainerStatus, { now, behaviour }: StageContext) {
  const container = specOf(pod).containers.find(({ name }) => name === status.name)
  const ready = behaviour.ready !== false && container?.readinessProbe === undefined
  return started(pod, status, now, ready)
}

function isNew({ state, lastState }: ContainerStatus): boolean {
  return (
    state?.running === undefined &&
    state?.terminated === undefined &&
    lastState?.terminated === undefined
  )
}

function restarts(pod: StoredPod): readonly ContainerStatus[] {
  return containersOf(pod).main.filter((one) => isRestarted(specOf(pod), one))
}

function backingOff(pod: StoredPod): readonly ContainerStatus[] {
  return containersOf(pod).main.filter(
    ({ state, lastState }) => state?.waiting !== undefined && lastState?.terminated !== undefined,
  )
}

/** Seconds after which a container is asked for the first time whether it is ready. */
function probeSeconds({ readinessProbe }: ContainerOf): number {
  return readinessProbe?.initialDelaySeconds ?? 0
}

type ContainerOf = NonNullable<Pod['spec']>['containers'][number]

/** Milliseconds before a container that was started again so often is started once more: 10 s, twice as long each time, up to 5 min. */
export function backOffMs(restartCount: number): number {
  return Math.min(300_000, 10_000 * 2 ** Math.max(0, restartCount - 1))
}

/** Seconds as `10s`, `1m20s`. */
function goSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
