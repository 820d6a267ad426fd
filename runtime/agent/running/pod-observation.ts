import type {
  ContainerRuntime,
  ContainerStatus,
  PodSandboxStatus,
} from '../../container-runtime/container-runtime.ts'

/** What the runtime says of a pod. */
export interface Observed {
  /** The newest first. */
  readonly sandboxes: readonly PodSandboxStatus[]
  /** The newest of each name first. */
  readonly all: readonly ContainerStatus[]
  readonly newest: ReadonlyMap<string, ContainerStatus>
  /** Those before the newest. */
  readonly former: ReadonlyMap<string, ContainerStatus>
}

/** Asks the runtime. */
export async function observePod(runtime: ContainerRuntime, uid: string): Promise<Observed> {
  const sandboxes = (await runtime.listPodSandboxes())
    .filter(({ config }) => config.uid === uid)
    .sort((a, b) => b.config.attempt - a.config.attempt)
  const ids = new Set(sandboxes.map(({ id }) => id))
  const all = (await runtime.listContainers())
    .filter(({ sandboxId }) => ids.has(sandboxId))
    .sort((a, b) => b.config.attempt - a.config.attempt)
  const newest = new Map<string, ContainerStatus>()
  const former = new Map<string, ContainerStatus>()
  for (const each of all) {
    const { name } = each.config
    if (!newest.has(name)) newest.set(name, each)
    else if (!former.has(name)) former.set(name, each)
  }
  return { sandboxes, all, newest, former }
}

/** The containers that run. */
export function runningOf({ newest }: Observed): readonly ContainerStatus[] {
  return [...newest.values()].filter(({ state }) => state === 'running')
}
