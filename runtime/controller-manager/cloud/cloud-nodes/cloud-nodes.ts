import { type Node, nodes } from '../../../../generated/apis/core/v1/node.ts'
import { objectKey } from '../../../informer/informer.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { parseDuration } from '../../../kernel/values/duration.ts'
import {
  again,
  done,
  type KeyContext,
  type KeyController,
  watching,
} from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { decideNode, type NodePlan, saysItRuns } from './decide-node.ts'

/** The longest wait after failures, in milliseconds, where a period is not longer. */
const longestMs = 60_000

/**
 * Deletes nodes whose machines are gone from the cloud, and marks those whose machines are off.
 *
 *   reads    Node
 *   writes   Node: taints, delete; Event
 *   wakes    when a node gets ready or is ready no more; of one that is not ready, the cloud is asked once in a period
 *   settles  when each node that is not ready has a machine, and no taint says what is not so
 *
 * Without a cloud that has machines there is nothing to do.
 */
export async function cloudNodesController({
  name,
  platform: { domain },
  configuration: { OrchCloudShared },
  cloud,
}: BuildContext): Promise<readonly KeyController[]> {
  const instances = cloud?.instances
  if (instances === undefined) return []
  const { ClusterName: cluster, NodeMonitorPeriod } = OrchCloudShared
  const periodMs = Math.max(1, parseDuration(NodeMonitorPeriod) ?? 0)
  return [
    {
      name,
      queue: { backoff: { baseMs: periodMs, maxMs: Math.max(periodMs, longestMs) } },
      watches: [
        watching(nodes, (node) => [objectKey(node)], {
          when: ({ type, object, before }) =>
            type !== 'deleted' && (before === undefined || isOther(object, before)),
        }),
      ],
      async reconcile(key, context) {
        const node = context.cached(nodes).get(key)
        if (node === undefined || node.metadata.deletionTimestamp !== undefined) return done
        const runs = saysItRuns(node)
        const state = runs
          ? 'running'
          : await instances.stateOf(node, { cluster, signal: context.signal })
        const isDone = await carryOut(node, decideNode(node, state, domain), context)
        if (isDone && (runs || state === 'gone')) return done
        return again(periodMs, isDone ? 'the node is not ready' : 'the node has changed meanwhile')
      },
    },
  ]
}

function isOther(node: Stored<Node>, before: Stored<Node>): boolean {
  const runs = saysItRuns(node)
  return runs !== saysItRuns(before) || (runs && !deepEqual(node.spec?.taints, before.spec?.taints))
}

/** False if the node has changed since it was looked at; one that is gone needs nothing any more. */
async function carryOut(
  node: Stored<Node>,
  plan: NodePlan,
  { client, event, signal }: KeyContext,
): Promise<boolean> {
  if (plan.is === 'nothing') return true
  const all = client.resource(nodes)
  const { name, uid, resourceVersion } = node.metadata
  try {
    if (plan.is === 'delete') {
      await all.delete(node, { unchanged: true }, signal)
      const message = `Deleting node ${name} because it does not exist in the cloud provider`
      event(node, { type: 'Normal', reason: 'DeletingNode', message })
    } else {
      const taints = plan.taints.length === 0 ? null : plan.taints
      const patch = { metadata: { uid, resourceVersion }, spec: { taints } }
      await all.mergePatch(name, patch, {}, signal)
    }
    return true
  } catch (error) {
    if (isStatus(error, 'Conflict')) return false
    if (!isStatus(error, 'NotFound')) throw error
    return true
  }
}
