/** Pods, as several plugins look at them. The reader has checked types, not that anything is there. */
import type { Container, EphemeralContainer } from '../../generated/apis/core/v1/container.ts'
import type { Pod, PodSpec } from '../../generated/apis/core/v1/pod.ts'
import type { ApiObject } from '../kernel/object.ts'
import { isResource, isWhole, type Place } from './attempt.ts'

export type { Container, EphemeralContainer, Pod, PodSpec }

/** True for a write to whole pods. */
export function isPod(place: Place): boolean {
  return isResource(place, '', 'pods') && isWhole(place)
}

/** The spec of a pod; empty where there is none. */
export function specOf(object: ApiObject | undefined): Partial<PodSpec> {
  return (object as Pod | undefined)?.spec ?? {}
}

/** The pod with fields of its spec replaced; undefined takes a field away. */
export function withSpec(
  object: ApiObject,
  fields: { readonly [K in keyof PodSpec]?: PodSpec[K] | undefined },
): ApiObject {
  return { ...object, spec: { ...specOf(object), ...fields } } as ApiObject
}

/** The containers of a pod: those that run before the others first. */
export function containersOf(spec: Partial<PodSpec>): readonly Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? [])]
}

/** The pod with every container changed, those of debugging left out. */
export function withContainers(object: ApiObject, to: (container: Container) => Container) {
  const { containers, initContainers } = specOf(object)
  return withSpec(object, {
    ...(containers && { containers: containers.map(to) }),
    ...(initContainers && { initContainers: initContainers.map(to) }),
  })
}
