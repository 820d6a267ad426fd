import type { Node } from '../../../../generated/apis/core/v1/node.ts'
import type { Service } from '../../../../generated/apis/core/v1/service.ts'
import { errorText } from '../../../kernel/errors/error-text.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { done } from '../../../reconcile/reconcile.ts'
import { ensureBalancer } from './ensure-balancer.ts'
import { listText } from './service-changes.ts'
import { targetsOf } from './target-nodes.ts'
import { tell, type Work, type Worked, warn, warnOfNoNodes } from './work.ts'

/** So many nodes are named in an event. */
const named = 20

/** Puts the balancer of a service in front of other nodes. One that the cloud has lost is made anew. */
export async function updateBalancer(
  work: Work,
  service: Stored<Service>,
  nodes: readonly Stored<Node>[],
): Promise<Worked> {
  const { balancers, cloud, counts, context } = work
  try {
    const updated = await counts.nodesUpdated(context.clock, () =>
      balancers.updateNodes(service, nodes, cloud),
    )
    if (updated === 'updated') tellOfNodes(work, service, nodes)
  } catch (error) {
    if (await isLost(work, service)) return ensureBalancer(work, service, nodes)
    const limit = `[node names limited, total number of nodes: ${nodes.length}]`
    const message = `Error updating load balancer with new hosts ${namesOf(nodes)} ${limit}, error: ${errorText(error)}`
    warn(work, service, 'UpdateLoadBalancerFailed', message)
    throw new Error(`failed to update load balancer: ${errorText(error)}`, { cause: error })
  }
  return { outcome: done, isMade: true, targets: targetsOf(nodes) }
}

function tellOfNodes(work: Work, service: Stored<Service>, nodes: readonly Stored<Node>[]): void {
  if (nodes.length === 0) warnOfNoNodes(work, service)
  else tell(work, service, 'UpdatedLoadBalancer', 'Updated load balancer with new hosts')
}

/** True where the cloud says that there is no balancer. */
async function isLost({ balancers, cloud }: Work, service: Stored<Service>): Promise<boolean> {
  try {
    return (await balancers.get(service, cloud)) === undefined
  } catch {
    return false
  }
}

function namesOf(nodes: readonly Stored<Node>[]): string {
  const names = nodes.slice(0, named).map(({ metadata }) => metadata.name)
  const more = nodes.length - named
  return listText([...names.sort(), ...(more > 0 ? [`<${more} more>`] : [])])
}
