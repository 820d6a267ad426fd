import type { Container } from '../../generated/apis/core/v1/container.ts'
import type { PodSpec } from '../../generated/apis/core/v1/pod.ts'
import type { ApiObject } from '../kernel/meta/object.ts'

/** The spec of a pod; an empty one if there is none. */
export function podSpecOf(pod: ApiObject | undefined): Partial<PodSpec> {
  return (pod as { readonly spec?: PodSpec } | undefined)?.spec ?? {}
}

/** The init containers and containers of a pod, in this order. */
export function containersOf(spec: Partial<PodSpec>): readonly Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? [])]
}
