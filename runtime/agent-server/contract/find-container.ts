import type { ContainerStatus as KnownStatus } from '../../../generated/apis/core/v1/container.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type {
  ContainerStatus,
  PodSandboxStatus,
} from '../../container-runtime/container-runtime.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { NodeView } from './node-view.ts'
import { Refusal } from './refusal.ts'

/** A pod as paths name it; without a uid, the one of that name. */
export interface PodPath {
  readonly namespace: string
  readonly name: string
  readonly uid?: string | undefined
}

/** The pod of a path. @throws Refusal where there is none. */
export function findPod(view: NodeView, { namespace, name, uid }: PodPath): Stored<Pod> {
  const pod = view
    .pods()
    .find(
      ({ metadata }) =>
        metadata.name === name &&
        metadata.namespace === namespace &&
        (uid === undefined || metadata.uid === uid),
    )
  if (pod === undefined) throw new Refusal(404, `pod ${JSON.stringify(name)} does not exist`)
  return pod
}

/** The sandbox of a pod, as it runs now. @throws Refusal where there is none. */
export async function findSandbox(
  { runtime }: NodeView,
  { metadata }: Stored<Pod>,
): Promise<PodSandboxStatus> {
  const all = await runtime.listPodSandboxes()
  const own = all.filter(({ config, ready }) => config.uid === metadata.uid && ready)
  const newest = own.sort((one, other) => other.createdAt - one.createdAt)[0]
  if (newest === undefined)
    throw new Refusal(404, `pod ${JSON.stringify(metadata.name)} does not run`)
  return newest
}

/** The newest container of that name that runs in a pod. @throws Refusal where there is none. */
export async function findRunning(
  view: NodeView,
  pod: Stored<Pod>,
  container: string,
): Promise<ContainerStatus> {
  const found = (await containersOf(view, pod, container)).find(({ state }) => state === 'running')
  if (found !== undefined) return found
  throw new Refusal(404, `container not found (${JSON.stringify(container)})`)
}

/** All containers of a name in a pod, the newest first. */
export async function containersOf(
  { runtime }: NodeView,
  pod: Stored<Pod>,
  container: string,
): Promise<readonly ContainerStatus[]> {
  const sandboxes = await runtime.listPodSandboxes()
  const own = new Set(
    sandboxes.filter(({ config }) => config.uid === pod.metadata.uid).map(({ id }) => id),
  )
  return (await runtime.listContainers())
    .filter(({ sandboxId, config }) => own.has(sandboxId) && config.name === container)
    .sort(
      (one, other) => other.createdAt - one.createdAt || other.config.attempt - one.config.attempt,
    )
}

/** True for the name of a container in the spec of a pod, of any sort. */
export function hasContainer({ spec }: Pod, name: string): boolean {
  const all = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ]
  return all.some((one) => one.name === name)
}

/** What the status of a pod says of a container. */
export function knownStatus({ status }: Pod, name: string): KnownStatus | undefined {
  const all = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ]
  return all.find((one) => one.name === name)
}
