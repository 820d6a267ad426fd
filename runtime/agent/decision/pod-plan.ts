/** What is to be done for a pod now: a pure decision over what it asks for and what runs. */
import type { Container } from '../../../generated/apis/core/v1/container.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type {
  ContainerStatus,
  PodSandboxStatus,
} from '../../container-runtime/container-runtime.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { hasEnded, isSidecar, specOf } from '../../pods/pods.ts'
import { type RestartBackoff, restartWaitMs } from './restart-backoff.ts'

/** What is known of a pod. */
export interface PodFacts {
  readonly pod: Stored<Pod>
  /** Whether it has to end though it was not deleted. */
  readonly evicted: boolean
  /** The newest one. */
  readonly sandbox: PodSandboxStatus | undefined
  /** The newest container of each name. */
  readonly containers: ReadonlyMap<string, ContainerStatus>
  /** Whether the startup probe of a container has passed, if it has one. */
  hasStarted(id: string): boolean
  /** The probe that says that a container has to be started anew. */
  failedProbe(id: string): 'liveness' | 'startup' | undefined
  backoff(name: string): RestartBackoff | undefined
  readonly now: number
}

/** One thing to do. */
export type PodAction =
  | { readonly do: 'make sandbox'; readonly attempt: number }
  | {
      readonly do: 'start'
      readonly container: Container
      readonly attempt: number
      /** A container that runs, whose processes it sees. */
      readonly beside?: string
    }
  | { readonly do: 'stop'; readonly id: string; readonly name: string; readonly why: string }
  /** Everything ends, and the sandbox with it. */
  | { readonly do: 'end' }

/** What to do now, and which containers wait for their next start, with milliseconds. */
export interface PodPlan {
  readonly actions: readonly PodAction[]
  readonly waiting: ReadonlyMap<string, number>
}

/** Decides. Of an empty plan nothing has to be done until something changes, or a wait is over. */
export function planPod(facts: PodFacts): PodPlan {
  const { pod, sandbox, containers } = facts
  const spec = specOf(pod)
  const waiting = new Map<string, number>()
  const plan = (...actions: readonly PodAction[]): PodPlan => ({ actions, waiting })
  const runs = [...containers.values()].some(({ state }) => state === 'running')
  if (pod.metadata.deletionTimestamp !== undefined || facts.evicted || hasEnded(pod)) {
    return runs || sandbox?.ready ? plan({ do: 'end' }) : plan()
  }
  if (isOver(facts)) return runs || sandbox?.ready ? plan({ do: 'end' }) : plan()
  if (!sandbox?.ready) {
    return plan({ do: 'make sandbox', attempt: sandbox ? sandbox.config.attempt + 1 : 0 })
  }
  const own = (name: string) => {
    const found = containers.get(name)
    return found?.sandboxId === sandbox.id ? found : undefined
  }
  const actions: PodAction[] = [...startEphemeral()]
  const mainBegan = spec.containers.some(({ name }) => own(name) !== undefined)
  for (const container of spec.initContainers ?? []) {
    const known = own(container.name)
    if (isSidecar(container)) {
      actions.push(...tend(container, known, 'Always'))
      const isUp = known?.state === 'running' && facts.hasStarted(known.id)
      if (!isUp && !mainBegan) return plan(...actions)
    } else if (!mainBegan && !(known?.state === 'exited' && known.exitCode === 0)) {
      return plan(...actions, ...tend(container, known, 'OnFailure'))
    }
  }
  for (const container of spec.containers) {
    actions.push(...tend(container, own(container.name), spec.restartPolicy ?? 'Always'))
  }
  return plan(...actions)

  function tend(
    container: Container,
    known: ContainerStatus | undefined,
    policy: string,
  ): readonly PodAction[] {
    const { name } = container
    if (known === undefined) {
      const former = containers.get(name)
      return startUnlessWaiting(container, former, former ? former.config.attempt + 1 : 0)
    }
    if (known.state === 'created') {
      return [{ do: 'start', container, attempt: known.config.attempt + 1 }]
    }
    if (known.state === 'running') {
      if (isChanged(container, known)) {
        const why = `Container ${name} definition changed, will be restarted`
        const start = { do: 'start', container, attempt: known.config.attempt + 1 } as const
        return [{ do: 'stop', id: known.id, name, why }, start]
      }
      const probe = facts.failedProbe(known.id)
      if (probe === undefined) return []
      const why = `Container ${name} failed ${probe} probe, will be restarted`
      return [{ do: 'stop', id: known.id, name, why }]
    }
    if (!isRestarted(policy, known)) return []
    return startUnlessWaiting(container, known, known.config.attempt + 1)
  }

  /** Containers for looking at others are started once, at any time. */
  function startEphemeral(): readonly PodAction[] {
    return (spec.ephemeralContainers ?? []).flatMap(({ targetContainerName, ...container }) => {
      if (containers.has(container.name)) return []
      const target = targetContainerName === undefined ? undefined : own(targetContainerName)
      const beside = target?.state === 'running' ? { beside: target.id } : {}
      return [{ do: 'start' as const, container, attempt: 0, ...beside }]
    })
  }

  function startUnlessWaiting(
    container: Container,
    former: ContainerStatus | undefined,
    attempt: number,
  ): readonly PodAction[] {
    const backoff = facts.backoff(container.name)
    const ms =
      former && !isChanged(container, former)
        ? restartWaitMs(backoff, former.finishedAt, facts.now)
        : 0
    if (ms > 0) waiting.set(container.name, ms)
    return ms > 0 ? [] : [{ do: 'start', container, attempt }]
  }
}

/** True for a pod of which nothing will be started any more. */
export function isOver({ pod, containers }: Pick<PodFacts, 'pod' | 'containers'>): boolean {
  const spec = specOf(pod)
  const policy = spec.restartPolicy ?? 'Always'
  if (policy === 'Always') return false
  const failedInit = (spec.initContainers ?? []).some((container) => {
    const known = containers.get(container.name)
    return !isSidecar(container) && known?.state === 'exited' && known.exitCode !== 0
  })
  if (failedInit && policy === 'Never') return true
  return spec.containers.every(({ name }) => {
    const known = containers.get(name)
    return known?.state === 'exited' && !isRestarted(policy, known)
  })
}

/** Of a container only the image may change. */
function isChanged({ image }: Container, { config }: ContainerStatus): boolean {
  return image !== undefined && config.image !== undefined && image !== config.image
}

function isRestarted(policy: string, { exitCode }: ContainerStatus): boolean {
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}
