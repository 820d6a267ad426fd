/** Pods, as several plugins look at them. The reader has checked types, not that anything is there. */
import type { Container, EphemeralContainer } from '../../../../generated/apis/core/v1/container.ts'
import type { Pod, PodSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import { isMainResource, isResource, type ResourceOperation } from '../../chain/attributes.ts'

export type { Container, EphemeralContainer, Pod, PodSpec }

/** True for a write to whole pods. */
export function isPodWrite(place: ResourceOperation): boolean {
  return isResource(place, '', 'pods') && isMainResource(place)
}

/** The spec of a pod; empty where there is none. */
export function podSpecOf(object: ApiObject | undefined): Partial<PodSpec> {
  return (object as Pod | undefined)?.spec ?? {}
}

/** The pod with fields of its spec replaced; undefined takes a field away. */
export function withPodSpec(
  object: ApiObject,
  fields: { readonly [K in keyof PodSpec]?: PodSpec[K] | undefined },
): ApiObject {
  return { ...object, spec: { ...podSpecOf(object), ...fields } } as ApiObject
}

/** The containers of a pod: those that run before the others first. */
export function containersOf(spec: Partial<PodSpec>): readonly Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? [])]
}

/** The pod with every container changed, those of debugging left out. */
export function withContainers(object: ApiObject, to: (container: Container) => Container) {
  const { containers, initContainers } = podSpecOf(object)
  return withPodSpec(object, {
    ...(containers && { containers: containers.map(to) }),
    ...(initContainers && { initContainers: initContainers.map(to) }),
  })
}
