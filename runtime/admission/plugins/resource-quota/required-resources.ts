import type { ResourceQuota } from '../../../../generated/apis/core/v1/resource-quota.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import { limitedResources } from '../../../quota/quota.ts'
import { type Container, containersOf, podSpecOf } from '../pods/pod-spec.ts'

/** The resources that every container has to specify if a quota limits them. */
const mustBeSpecified = [
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]

/**
 * What the containers of a pod have to specify for a quota and do not: `cpu for: a,b`. Init
 * containers count as well. Names are unique and sorted, and the resources come in the order of
 * their names.
 */
export function unspecifiedResources(
  quota: ResourceQuota,
  pod: ApiObject | undefined,
): readonly string[] {
  const required = limitedResources(quota).filter((name) => mustBeSpecified.includes(name))
  return required.flatMap((name) => {
    const containers = containersOf(podSpecOf(pod))
      .filter(({ resources }) => !specifies(resources, name))
      .map((container) => container.name)
    if (containers.length === 0) return []
    return [`${name} for: ${[...new Set(containers)].sort().join(',')}`]
  })
}

/** `limits.cpu` looks at the limits, `requests.cpu` and `cpu` at the requests. */
function specifies(resources: Container['resources'], name: string): boolean {
  const [side, resource = ''] = name.includes('.') ? name.split('.') : ['requests', name]
  const list = (side === 'limits' ? resources?.limits : resources?.requests) ?? {}
  return Object.hasOwn(list, resource)
}
