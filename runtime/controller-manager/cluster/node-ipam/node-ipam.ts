import { type Node, nodes } from '../../../../generated/apis/core/v1/node.ts'
import { objectKey } from '../../../informer/informer.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import {
  done,
  type KeyContext,
  type KeyController,
  watching,
} from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { decideRanges, hasRanges, isOutside, type RangePlan } from './decide-ranges.ts'
import { nodePools } from './node-pools.ts'
import { rangeMetrics } from './range-metrics.ts'

const all = [{ name: 'all' }]

/**
 * Gives each node ranges of addresses for its pods, one of each range of the cluster, which no other node has and no service.
 *
 *   reads    Node
 *   writes   Node: spec.podCIDR, spec.podCIDRs; Event
 *   wakes    when a node without ranges, or with others than the cluster's, appears or changes, and when a node goes
 *   settles  when each node has its ranges, or none are left
 *
 * Without `AllocateNodeCIDRs` there is nothing to do. @throws RangeError for ranges that cannot be given.
 */
export async function nodeIpamController({
  name,
  configuration,
  metrics,
}: BuildContext): Promise<readonly KeyController[]> {
  const { pools, problems } = nodePools(configuration)
  if (problems.length > 0) throw new RangeError(problems.join('; '))
  if (pools.length === 0) return []
  const counts = rangeMetrics(metrics, pools)
  let next: readonly number[] = []
  const told = new Map<string, string>()
  const isTold = ({ metadata }: Stored<Node>) => told.has(metadata.uid)
  const texts = pools.map(({ text }) => text).join(', ')
  return [
    {
      ...{ name, component: 'cidrAllocator', concurrency: 1 },
      watches: [
        watching(nodes, (node, { cached }) => {
          const isGone = cached(nodes).get(objectKey(node)) === undefined
          const isSettled = hasRanges(node) && (isTold(node) || !isOutside(node, pools))
          return isGone || !isSettled ? all : []
        }),
      ],
      seeds: all,
      async reconcile(_, context) {
        const { cached, event } = context
        const present = cached(nodes).list()
        const plan = decideRanges(present, pools, next)
        next = plan.next
        const uids = new Set(present.map(({ metadata }) => metadata.uid))
        for (const uid of told.keys()) if (!uids.has(uid)) told.delete(uid)
        const tell = (node: Stored<Node>, reason: string, isWarning = false, what?: string) => {
          if (told.get(node.metadata.uid) === reason) return
          told.set(node.metadata.uid, reason)
          const message = what ?? `Node ${node.metadata.name} status is now: ${reason}`
          event(node, { type: isWarning ? 'Warning' : 'Normal', reason, message })
        }
        for (const node of plan.without) tell(node, 'CIDRNotAvailable')
        for (const { node, range } of plan.outside) {
          tell(node, 'CIDROutOfRange', true, `${range} is not a part of ${texts}`)
        }
        let failure: unknown
        const given: RangePlan['given'][number][] = []
        for (const one of plan.given) {
          const { node, ranges } = one
          try {
            await give(node, ranges, context)
            given.push(one)
          } catch (error) {
            tell(node, 'CIDRAssignmentFailed')
            failure = error
          }
        }
        counts.looked(plan, given)
        if (failure !== undefined) throw failure
        return done
      },
    },
  ]
}

async function give(
  node: Stored<Node>,
  podCIDRs: readonly string[],
  { client, signal }: KeyContext,
): Promise<void> {
  const { name, uid } = node.metadata
  const patch = { metadata: { uid }, spec: { podCIDR: podCIDRs[0] ?? null, podCIDRs } }
  try {
    await client.resource(nodes).mergePatch(name, patch, {}, signal)
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error
  }
}
