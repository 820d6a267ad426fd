import type { PodSpec } from '../../../generated/apis/core/v1/pod.ts'
import type { Quantity } from '../../kernel/values/quantity.ts'
import {
  addResources,
  parseResourceList,
  podRequests,
  podResources,
  type ResourceList,
} from '../../pods/pods.ts'

/** Amounts of resources as they are compared: thousandths of a processor, bytes, and pieces of what has other names. */
export interface Amounts {
  readonly cpu: number
  readonly memory: number
  readonly storage: number
  readonly others: ReadonlyMap<string, number>
}

/** What a container counts for that does not say what it needs, where nodes are compared by how full they are. */
const unsaid = { cpu: '100m', memory: String(200 * 1024 * 1024) }

/** The amounts of a resource list; resources that no node counts are left out. */
export function amountsOf(list: ResourceList): Amounts {
  const others = new Map<string, number>()
  for (const [name, quantity] of list) if (isOther(name)) others.set(name, whole(quantity))
  return {
    cpu: rounded(list.get('cpu'), 6),
    memory: whole(list.get('memory')),
    storage: whole(list.get('ephemeral-storage')),
    others,
  }
}

/** What a pod takes of its node. */
export function requestsOf(spec: Partial<PodSpec>): Amounts {
  return amountsOf(podRequests(spec))
}

/** The processor time and memory that a pod counts for where nodes are compared: containers that say nothing count for a little. */
export function countedRequestsOf(spec: PodSpec): Pick<Amounts, 'cpu' | 'memory'> {
  const said = <T extends PodSpec['containers'][number]>(container: T): T => ({
    ...container,
    resources: {
      ...container.resources,
      requests: { ...unsaid, ...container.resources?.requests },
    },
  })
  const { containers, initContainers = [], overhead } = spec
  const filled = { containers: containers.map(said), initContainers: initContainers.map(said) }
  return amountsOf(addResources(podResources(filled, 'requests'), parseResourceList(overhead)))
}

/** How many pods a node takes. */
export function podLimitOf(list: ResourceList): number {
  return whole(list.get('pods'))
}

/** Extended resources, huge pages, attachable volumes and what the platform itself names with a domain. */
function isOther(name: string): boolean {
  if (name.startsWith('hugepages-') || name.startsWith('attachable-volumes-')) return true
  return name.includes('/') && !name.startsWith('requests.')
}

function whole(quantity: Quantity | undefined): number {
  return rounded(quantity, 9)
}

/** A quantity in units of 10^(power - 9), rounded up. */
function rounded(quantity: Quantity | undefined, power: number): number {
  if (quantity === undefined) return 0
  const unit = 10n ** BigInt(power)
  const value = Number(
    quantity.negative ? quantity.nanos / unit : (quantity.nanos + unit - 1n) / unit,
  )
  return quantity.negative ? -value : value
}
