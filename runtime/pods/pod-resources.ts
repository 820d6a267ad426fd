import type { Container } from '../../generated/apis/core/v1/container.ts'
import type { PodSpec } from '../../generated/apis/core/v1/pod.ts'
import {
  addResources,
  maxResources,
  parseResourceList,
  type ResourceList,
} from './resource-lists.ts'

/**
 * The resources that a pod needs at a time: the sum over its containers and sidecars (init
 * containers that restart always), or more if an init container together with the sidecars before
 * it needs more. Init containers run one after the other, hence the maximum over them; sidecars go
 * on running beside all that start later, hence the sum. Overhead is not included: see `podRequests`.
 */
export function podResources(spec: Partial<PodSpec>, side: 'requests' | 'limits'): ResourceList {
  const of = ({ resources }: Container) => parseResourceList(resources?.[side])
  let sidecars: ResourceList = new Map()
  let starting: ResourceList = new Map()
  for (const container of spec.initContainers ?? []) {
    const own = of(container)
    const needed = addResources(sidecars, own)
    if (container.restartPolicy === 'Always') sidecars = needed
    starting = maxResources(starting, needed)
  }
  const running = (spec.containers ?? []).map(of).reduce<ResourceList>(addResources, sidecars)
  return maxResources(running, starting)
}

/** What a pod takes of its node: the requests that it needs at a time, and its overhead. */
export function podRequests(spec: Partial<PodSpec>): ResourceList {
  return addResources(podResources(spec, 'requests'), parseResourceList(spec.overhead))
}
