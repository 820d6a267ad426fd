import type { Node, NodeCondition } from '../../../../generated/apis/core/v1/node.ts'
import { timestamp } from '../../../kernel/async/clock.ts'

const type = 'NetworkUnavailable'

/**
 * The conditions of a node that can be reached by all of its routes, or cannot; undefined if it says so already. Those of others stay.
 */
export function decideConditions(
  { status }: Node,
  isReached: boolean,
  now: number,
): readonly NodeCondition[] | undefined {
  const known = status?.conditions ?? []
  const wanted = isReached ? 'False' : 'True'
  if (known.find((one) => one.type === type)?.status === wanted) return undefined
  const time = timestamp(now)
  const condition: NodeCondition = {
    ...{ type, status: wanted, lastHeartbeatTime: time, lastTransitionTime: time },
    ...(isReached
      ? { reason: 'RouteCreated', message: 'RouteController created a route' }
      : { reason: 'NoRouteCreated', message: 'RouteController failed to create a route' }),
  }
  return [...known.filter((one) => one.type !== type), condition]
}
