import { type Node, nodes } from '../../../../generated/apis/core/v1/node.ts'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { formatKey, objectKey } from '../../../informer/informer.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import {
  again,
  done,
  type KeyContext,
  type KeyController,
  setCondition,
  watching,
} from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { nodeIndex, podsOfNode } from '../../pods/pods-of-node.ts'
import { decideEviction } from './decide-eviction.ts'

/** A pod that may stay for a time, and since when. */
interface Waiting {
  readonly pod: Stored<Pod>
  readonly since: number
}

/**
 * Deletes pods from nodes whose taints say so (NoExecute), unless they tolerate them, and as long as they do (T-10).
 *
 *   reads    Node, Pod
 *   writes   Pod: status, delete; Event
 *   wakes    when a pod is bound to such a node or changes there, when the taints of a node change, and when a pod has tolerated them long enough
 *   settles  when every pod tolerates its node
 */
export async function taintEvictionController({
  name,
  gates,
  metrics,
}: Pick<BuildContext, 'gates' | 'metrics'> & { readonly name: string }): Promise<
  readonly KeyController[]
> {
  const deletions = metrics.counter('taint_eviction_controller_pod_deletions_total')
  deletions.add([], 0)
  const lateness = metrics.histogram('taint_eviction_controller_pod_deletion_duration_seconds')
  const waiting = new Map<string, Waiting>()
  const hasConditions = gates.has('PodDisruptionConditions')
  const cancel = (id: string, { event }: KeyContext): void => {
    const known = waiting.get(id)
    if (known === undefined) return
    waiting.delete(id)
    tell(known.pod, 'Cancelling deletion of', event)
  }
  return [
    {
      ...{ name, component: 'taint-eviction-controller', concurrency: 8 },
      watches: [
        watching(nodes, (node, lookup) =>
          isEvicting(node) ? podsOfNode(node.metadata.name, lookup).map(objectKey) : [],
        ),
        watching(
          pods,
          (pod, { cached }) => {
            const node = cached(nodes).get({ name: pod.spec?.nodeName ?? '' })
            const concerns = waiting.has(formatKey(objectKey(pod))) || (node && isEvicting(node))
            return concerns ? [objectKey(pod)] : []
          },
          { indexes: nodeIndex },
        ),
      ],
      async reconcile(key, context) {
        const { cached, clock, event } = context
        const id = formatKey(key)
        const pod = cached(pods).get(key)
        if (waiting.get(id)?.pod.metadata.uid !== pod?.metadata.uid) cancel(id, context)
        if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) {
          cancel(id, context)
          return done
        }
        const { nodeName = '', tolerations } = pod.spec ?? {}
        const taints = cached(nodes).get({ name: nodeName })?.spec?.taints
        const now = clock.monotonic()
        const since = waiting.get(id)?.since
        const plan = decideEviction(taints, tolerations, since, now)
        const dueAt = now - (plan.is === 'goes' ? plan.lateMs : 0)
        if (plan.is === 'waits') {
          waiting.set(id, { pod, since: since ?? now })
          return again(plan.ms, 'it tolerates the taints of its node for a time')
        }
        if (plan.is === 'stays' || !plan.tolerated) cancel(id, context)
        if (plan.is === 'stays') return done
        const isGone = await evict(pod, hasConditions, context)
        if (!isGone) return again(0, 'it has changed meanwhile')
        deletions.add([])
        lateness.observe([], (clock.monotonic() - dueAt) / 1000)
        waiting.delete(id)
        tell(pod, 'Marking for deletion', event)
        return done
      },
    },
  ]
}

function isEvicting({ spec }: Node): boolean {
  return spec?.taints?.some(({ effect }) => effect === 'NoExecute') === true
}

function tell(pod: Stored<Pod>, what: string, event: KeyContext['event']): void {
  const { namespace, name } = pod.metadata
  const message = `${what} Pod ${namespace}/${name}`
  event(pod, { type: 'Normal', reason: 'TaintManagerEviction', message })
}

/** Says why, and deletes. False if the pod has changed since it was looked at. */
async function evict(
  pod: Stored<Pod>,
  hasConditions: boolean,
  { client, clock, signal }: KeyContext,
): Promise<boolean> {
  const { name, namespace, uid, resourceVersion } = pod.metadata
  const resource = client.resource(pods).in(namespace)
  const known = pod.status?.conditions
  const conditions = setCondition(
    known,
    {
      ...{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' },
      message: 'Taint manager: deleting due to NoExecute taint',
    },
    clock.now(),
  )
  try {
    if (hasConditions && conditions !== known) {
      const patch = { metadata: { uid, resourceVersion }, status: { conditions } }
      await resource.mergePatch(name, patch, { subresource: 'status' }, signal)
    }
    await resource.delete(pod, {}, signal)
    return true
  } catch (error) {
    if (isStatus(error, 'Conflict')) return false
    if (isStatus(error, 'NotFound')) return true
    throw error
  }
}
