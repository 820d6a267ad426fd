/** What lists of Deployments and ReplicaSets show. */
import { printLabelSelector, requirementsOf } from '../kernel/labels.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Container, Workload } from './shapes.ts'

export function desiredReplicas(object: ApiObject): number {
  return (object as Workload).spec?.replicas ?? 0
}

export function currentReplicas(object: ApiObject): number {
  return (object as Workload).status?.replicas ?? 0
}

export function readyReplicas(object: ApiObject): number {
  return (object as Workload).status?.readyReplicas ?? 0
}

export function updatedReplicas(object: ApiObject): number {
  return (object as Workload).status?.updatedReplicas ?? 0
}

export function availableReplicas(object: ApiObject): number {
  return (object as Workload).status?.availableReplicas ?? 0
}

/** `1/2`: ready of desired. */
export function readyOfDesired(object: ApiObject): string {
  return `${readyReplicas(object)}/${desiredReplicas(object)}`
}

export function templateContainers(object: ApiObject): string {
  return containersOf(object, ({ name }) => name)
}

export function templateImages(object: ApiObject): string {
  return containersOf(object, ({ image }) => image)
}

function containersOf(
  object: ApiObject,
  read: (container: Container) => string | undefined,
): string {
  const containers = (object as Workload).spec?.template?.spec?.containers ?? []
  return containers.map((container) => read(container) ?? '').join(',')
}

/** The selector as it is typed after `-l`. */
export function specSelector(object: ApiObject): string {
  const requirements = requirementsOf((object as Workload).spec?.selector ?? {})
  return requirements === undefined ? '<error>' : printLabelSelector(requirements) || '<none>'
}
