import type { ContainerStatus as KnownStatus } from '../../../generated/apis/core/v1/container.ts'
import type { ContainerStatus } from '../../container-runtime/container-runtime.ts'
import {
  containersOf,
  findPod,
  hasContainer,
  knownStatus,
  type PodPath,
} from '../contract/find-container.ts'
import type { NodeView } from '../contract/node-view.ts'
import { Refusal } from '../contract/refusal.ts'

/** The container whose log is meant. @throws Refusal that says why there is none, in the words of the reference. */
export async function findLog(
  view: NodeView,
  path: PodPath & { readonly container: string },
  previous: boolean,
): Promise<ContainerStatus> {
  const { container } = path
  const pod = findPod(view, path)
  const place = `container ${JSON.stringify(container)} in pod ${JSON.stringify(path.name)}`
  if (!hasContainer(pod, container)) {
    throw new Refusal(
      404,
      `container ${JSON.stringify(container)} not found in pod ${JSON.stringify(path.name)}`,
    )
  }
  const begun = (await containersOf(view, pod, container)).filter(
    ({ state }) => state === 'running' || state === 'exited',
  )
  const [newest, older] = begun
  if (previous) {
    const isEnded = newest?.state === 'exited' && waitsAgain(knownStatus(pod, container))
    const before = isEnded ? newest : older
    if (before !== undefined) return before
    throw new Refusal(400, `previous terminated ${place} not found`)
  }
  if (newest !== undefined) return newest
  throw new Refusal(400, unavailable(place, knownStatus(pod, container)))
}

/** True for a container that ended and waits for its next start: what ended is the previous one then. */
function waitsAgain(status: KnownStatus | undefined): boolean {
  return status?.state?.waiting !== undefined
}

function unavailable(place: string, status: KnownStatus | undefined): string {
  if (status === undefined) return `${place} is not available`
  const { waiting } = status.state ?? {}
  switch (waiting?.reason) {
    case undefined:
    case '':
      return `${place} is waiting to start - no logs yet`
    case 'ErrImagePull':
      return `${place} is waiting to start: image can't be pulled`
    case 'ImagePullBackOff':
      return `${place} is waiting to start: trying and failing to pull image`
    default:
      return `${place} is waiting to start: ${waiting?.reason}`
  }
}
