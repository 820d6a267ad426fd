import type * as container from '../../../generated/apis/core/v1/container.ts'
import type { Pod as GeneratedPod } from '../../../generated/apis/core/v1/pod.ts'
import type { Loose, LooseObject } from '../../kernel/walker/loose.ts'
import { hasEnded } from '../../pods/pods.ts'

type Pod = LooseObject<GeneratedPod>
type ContainerState = Loose<container.ContainerState>
type ContainerStatus = Loose<container.ContainerStatus>

/** The state of a pod in a word and three numbers, as the states of its containers give it. */
export interface PodSummary {
  /** The phase, or what holds the pod up. */
  readonly reason: string
  readonly ready: number
  readonly total: number
  readonly restarts: number
  /** When a container ended last and was restarted. */
  readonly lastRestart: string | undefined
}

/** Containers count once initialization is over; before that, the init container at work tells the state. */
export function summarizePod(pod: Pod): PodSummary {
  const sidecars = sidecarsOf(pod)
  const init = initProgress(pod, sidecars)
  const total = (pod.spec?.containers?.length ?? 0) + sidecars.size
  if (init.waitsFor !== undefined && !isConditionTrue(pod, 'Initialized')) {
    const reason = deletionReason(pod) ?? init.waitsFor
    return { reason, ready: init.ready, total, ...restartsOf(init.seen) }
  }
  const statuses = pod.status?.containerStatuses ?? []
  const ready = init.ready + statuses.filter(isRunning).length
  const restarted = restartsOf([...init.seen.filter(({ name }) => sidecars.has(name)), ...statuses])
  return {
    reason: deletionReason(pod) ?? runningReason(pod, init.waitsFor),
    ready,
    total,
    ...restarted,
  }
}

interface InitProgress {
  /** The reason to show while an init container is at work or failed; undefined when all are done. */
  readonly waitsFor: string | undefined
  readonly ready: number
  /** The statuses up to the one at work. */
  readonly seen: readonly ContainerStatus[]
}

function initProgress(pod: Pod, sidecars: ReadonlySet<string | undefined>): InitProgress {
  const statuses = pod.status?.initContainerStatuses ?? []
  const started = (status: ContainerStatus) => sidecars.has(status.name) && status.started === true
  const current = statuses.findIndex((status) => !succeeded(status) && !started(status))
  const seen = current < 0 ? statuses : statuses.slice(0, current + 1)
  const ready = seen.filter((one) => !succeeded(one) && started(one) && one.ready).length
  const waitsFor = current < 0 ? undefined : initReason(statuses[current]?.state, current, pod)
  return { waitsFor, ready, seen }
}

function succeeded({ state }: ContainerStatus): boolean {
  return state?.terminated !== undefined && (state.terminated.exitCode ?? 0) === 0
}

function initReason(state: ContainerState | undefined, index: number, pod: Pod): string {
  if (state?.terminated) return `Init:${endReason(state.terminated)}`
  const waiting = state?.waiting?.reason
  if (waiting && waiting !== 'PodInitializing') return `Init:${waiting}`
  return `Init:${index}/${pod.spec?.initContainers?.length ?? 0}`
}

/** The first container with something to say wins; a pod of which one part is done and another runs, runs. */
function runningReason(pod: Pod, initReason: string | undefined): string {
  const statuses = pod.status?.containerStatuses ?? []
  const told = statuses.map(reasonOf).find((reason) => reason !== undefined)
  const reason = told ?? initReason ?? phaseReason(pod)
  if (reason !== 'Completed' || !statuses.some(isRunning)) return reason
  return isConditionTrue(pod, 'Ready') ? 'Running' : 'NotReady'
}

function reasonOf({ state }: ContainerStatus): string | undefined {
  return state?.waiting?.reason || (state?.terminated && endReason(state.terminated))
}

function endReason(terminated: NonNullable<ContainerState['terminated']>): string {
  if (terminated.reason) return terminated.reason
  return terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode ?? 0}`
}

function isRunning(status: ContainerStatus): boolean {
  return (
    status.ready === true && status.state?.running !== undefined && reasonOf(status) === undefined
  )
}

function phaseReason({ status }: Pod): string {
  const gated = status?.conditions?.some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  )
  return gated ? 'SchedulingGated' : status?.reason || (status?.phase ?? '')
}

/** What a deletion under way says over everything else. */
function deletionReason({ metadata, status }: Pod): string | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined
  if (status?.reason === 'NodeLost') return 'Unknown'
  return hasEnded({ status }) ? undefined : 'Terminating'
}

/** Names of the init containers that keep running beside the others. */
function sidecarsOf({ spec }: Pod): ReadonlySet<string | undefined> {
  const keepsRunning = ({ restartPolicy }: Loose<container.Container>) => restartPolicy === 'Always'
  return new Set(spec?.initContainers?.filter(keepsRunning).map(({ name }) => name))
}

function isConditionTrue({ status }: Pod, condition: string): boolean {
  return status?.conditions?.some((one) => one.type === condition && one.status === 'True') ?? false
}

function restartsOf(
  statuses: readonly ContainerStatus[],
): Pick<PodSummary, 'restarts' | 'lastRestart'> {
  const restarts = statuses.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0)
  const ends = statuses.map(({ lastState }) => lastState?.terminated?.finishedAt)
  const lastRestart = ends
    .filter((end) => typeof end === 'string')
    .sort()
    .at(-1)
  return { restarts, lastRestart }
}
