/** Pods as several plugins read them. Objects before validation have fields of the right types, but not every field. */
import type { Container, EphemeralContainer } from '../../../../generated/apis/core/v1/container.ts'
import type { Pod, PodSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import { containersOf, podSpecOf } from '../../../pods/pods.ts'
import { isMainResource, isResource, type ResourceOperation } from '../../chain/attributes.ts'

export type { Container, EphemeralContainer, Pod, PodSpec }
export { containersOf, podSpecOf }

/** True for requests to pods themselves, not to their subresources. */
export function isPodRequest(request: ResourceOperation): boolean {
  return isResource(request, '', 'pods') && isMainResource(request)
}

/** The pod with fields of its spec replaced; undefined removes a field. */
export function withPodSpec(
  object: ApiObject,
  fields: { readonly [K in keyof PodSpec]?: PodSpec[K] | undefined },
): ApiObject {
  return { ...object, spec: { ...podSpecOf(object), ...fields } } as ApiObject
}

/** The pod with each init container and container replaced; ephemeral containers stay. */
export function withContainers(
  object: ApiObject,
  replace: (container: Container) => Container,
): ApiObject {
  const { containers, initContainers } = podSpecOf(object)
  return withPodSpec(object, {
    ...(containers && { containers: containers.map(replace) }),
    ...(initContainers && { initContainers: initContainers.map(replace) }),
  })
}
