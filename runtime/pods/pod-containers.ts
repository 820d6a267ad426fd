/** The containers of a pod, as its node tells of them. */
import type { Container, ContainerStatus } from '../../generated/apis/core/v1/container.ts'
import type { Pod, PodSpec } from '../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../kernel/meta/object.ts'

/** The statuses of the containers of a pod. */
export interface Containers {
  /** In the order in which they run. */
  readonly init: readonly ContainerStatus[]
  /** In the order of their names. */
  readonly main: readonly ContainerStatus[]
  /** Those for looking at the others. */
  readonly ephemeral?: readonly ContainerStatus[]
}

type PodOf = Pick<Stored<Pod>, 'spec'>

const noSpec: PodSpec = { containers: [] }

/** What a pod asks for. */
export function specOf({ spec = noSpec }: PodOf): PodSpec {
  return spec
}

/** True for an init container that goes on running beside those that start later. */
export function isSidecar({ restartPolicy }: Pick<Container, 'restartPolicy'>): boolean {
  return restartPolicy === 'Always'
}

/** True for an init container of the pod that goes on running. */
export function isSidecarOf(pod: PodOf, name: string): boolean {
  return specOf(pod).initContainers?.some((one) => one.name === name && isSidecar(one)) === true
}
