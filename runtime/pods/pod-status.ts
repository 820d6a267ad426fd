import type { Pod, PodPhase, PodStatus } from '../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../kernel/meta/object.ts'
import { podConditions } from './pod-conditions.ts'
import { type Containers, isSidecarOf, specOf } from './pod-containers.ts'

/** The status of a pod with these containers: phase and conditions follow from them. */
export function statusWith(pod: Stored<Pod>, containers: Containers, now: number): PodStatus {
  const { status = {} } = pod
  const phase = phaseWith(pod, containers)
  const { init, main, ephemeral = [] } = containers
  return {
    ...status,
    phase,
    conditions: podConditions(pod, containers, phase, now),
    ...(init.length > 0 && { initContainerStatuses: init }),
    containerStatuses: main,
    ...(ephemeral.length > 0 && { ephemeralContainerStatuses: ephemeral }),
  }
}

/** The phase of a pod with these containers. One that has ended stays as it has ended. */
export function phaseWith(pod: Stored<Pod>, { init, main }: Containers): PodPhase {
  const { phase } = pod.status ?? {}
  if (phase === 'Succeeded' || phase === 'Failed') return phase
  const { restartPolicy } = specOf(pod)
  const ended = main.filter(({ state }) => state?.terminated !== undefined)
  const failedInit = init.some(
    ({ name, state }) => !isSidecarOf(pod, name) && (state?.terminated?.exitCode ?? 0) !== 0,
  )
  if (failedInit && restartPolicy === 'Never') return 'Failed'
  const running = main.some(({ state }) => state?.running !== undefined)
  if (ended.length === main.length) {
    const succeeded = ended.every(({ state }) => state?.terminated?.exitCode === 0)
    const goes = pod.metadata.deletionTimestamp !== undefined
    if (!goes && restartPolicy === 'Always') return 'Running'
    if (succeeded) return 'Succeeded'
    return goes || restartPolicy === 'Never' ? 'Failed' : 'Running'
  }
  const hasWaiting = main.some(
    ({ state, lastState }) =>
      state?.running === undefined &&
      state?.terminated === undefined &&
      lastState?.terminated === undefined,
  )
  return running || !hasWaiting ? 'Running' : 'Pending'
}
