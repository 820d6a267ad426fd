/** The conditions of a pod that its node writes, of what the status says of its containers. */
import type { ContainerStatus } from '../../generated/apis/core/v1/container.ts'
import type { Pod, PodCondition, PodPhase, PodSpec } from '../../generated/apis/core/v1/pod.ts'
import { timestamp } from '../kernel/async/clock.ts'
import type { Stored } from '../kernel/meta/object.ts'
import { type Containers, isSidecar, specOf } from './pod-containers.ts'

type Facts = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>

/** Conditions that the node of a pod writes; those of others stay before them. */
const owned = [
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
]

/** The conditions of a pod with these containers, in their order; what is as it was keeps its time. */
export function podConditions(
  pod: Stored<Pod>,
  containers: Containers,
  phase: PodPhase,
  now: number,
): readonly PodCondition[] {
  const known = pod.status?.conditions ?? []
  const others = known.filter(({ type }) => !owned.includes(type))
  const spec = specOf(pod)
  const ready = containersReady(spec, containers, phase)
  const facts: readonly Facts[] = [
    { type: 'PodReadyToStartContainers', status: hasStarted(containers) ? 'True' : 'False' },
    { type: 'Initialized', ...initialized(spec, containers, phase) },
    { type: 'Ready', ...(ready.status === 'True' ? gatesReady(spec, others) : ready) },
    { type: 'ContainersReady', ...ready },
    { type: 'PodScheduled', status: 'True' },
  ]
  const written = facts.map((one) => {
    const before = known.find(({ type }) => type === one.type)
    const kept = before?.status === one.status ? before.lastTransitionTime : undefined
    return { ...one, lastProbeTime: null, lastTransitionTime: kept ?? timestamp(now) }
  })
  return [...others, ...written]
}

type Finding = Omit<Facts, 'type'>

/** A sandbox goes with the last container of the pod. */
function hasStarted({ init, main }: Containers): boolean {
  return [...init, ...main].some(({ state }) => state?.running !== undefined)
}

function initialized(spec: PodSpec, { init, main }: Containers, phase: PodPhase): Finding {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' }
  const began = main.some(
    ({ state, lastState }) =>
      state?.running !== undefined ||
      state?.terminated !== undefined ||
      lastState?.terminated !== undefined,
  )
  if (began) return { status: 'True' }
  const open = (spec.initContainers ?? []).filter((one) => {
    const status = statusOf(init, one.name)
    return isSidecar(one) ? status?.started !== true : status?.ready !== true
  })
  if (open.length === 0) return { status: 'True' }
  const names = open.map(({ name }) => name).join(' ')
  const message = `containers with incomplete status: [${names}]`
  return { status: 'False', reason: 'ContainersNotInitialized', message }
}

function containersReady(spec: PodSpec, { init, main }: Containers, phase: PodPhase): Finding {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' }
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' }
  const sidecars = (spec.initContainers ?? []).filter(isSidecar)
  const unready = [
    ...sidecars.filter(({ name }) => statusOf(init, name)?.ready !== true),
    ...spec.containers.filter(({ name }) => statusOf(main, name)?.ready !== true),
  ]
  if (unready.length === 0) return { status: 'True' }
  const names = unready.map(({ name }) => name).join(' ')
  const message = `containers with unready status: [${names}]`
  return { status: 'False', reason: 'ContainersNotReady', message }
}

function gatesReady({ readinessGates = [] }: PodSpec, others: readonly PodCondition[]): Finding {
  const problems = readinessGates.flatMap(({ conditionType }) => {
    const gate = others.find(({ type }) => type === conditionType)
    const name = JSON.stringify(conditionType)
    if (gate === undefined)
      return [`corresponding condition of pod readiness gate ${name} does not exist.`]
    if (gate.status === 'True') return []
    return [`the status of pod readiness gate ${name} is not "True", but ${gate.status}`]
  })
  if (problems.length === 0) return { status: 'True' }
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: problems.join(', ') }
}

function statusOf(statuses: readonly ContainerStatus[], name: string) {
  return statuses.find((one) => one.name === name)
}
