import { controllerRevisions } from '../../../../generated/apis/apps/v1/controller-revision.ts'
import { type DaemonSet, daemonSets } from '../../../../generated/apis/apps/v1/daemon-set.ts'
import { type Node, nodes } from '../../../../generated/apis/core/v1/node.ts'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { objectKey } from '../../../informer/informer.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import { labelRequirementsOf, matchesLabels } from '../../../kernel/meta/label-selector.ts'
import type { ApiObject, Stored } from '../../../kernel/meta/object.ts'
import {
  again,
  controllerOf,
  done,
  type KeyController,
  type Lookup,
  watching,
} from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { controllerIndex } from '../../pods/claim.ts'
import { SlowStarts } from '../../pods/slow-start.ts'
import { daemonSpec } from './daemon-pod.ts'
import { FailedPods } from './failed-pods.ts'
import { keepDaemonSet } from './keep-daemon-set.ts'
import { fitOf } from './node-fit.ts'

/**
 * Keeps one pod of a daemon set on each node that it is for, and replaces them by those of a new template (T-04).
 *
 *   reads    DaemonSet, Pod, Node, ControllerRevision
 *   writes   Pod, ControllerRevision; DaemonSet: status; Event
 *   wakes    when the set or its pods change, when a pod appears that it selects, when a node that it is for changes its labels or taints, and when
 *            a failed pod may go or a pod has been ready for long enough
 *   settles  when every node that the set is for has a pod of its newest template that is available, or the strategy keeps older ones
 */
export async function daemonSetController({
  name,
  concurrency = 2,
  platform,
}: BuildContext): Promise<readonly KeyController[]> {
  const { domain } = platform
  const kept = { domain, failedPods: new FailedPods(), starts: new SlowStarts(concurrency) }
  return [
    {
      name,
      concurrency,
      watches: [
        watching(daemonSets, (set) => [objectKey(set)], {
          indexes: { namespace: 'metadata.namespace' },
        }),
        watching(pods, setsOfPod, { indexes: controllerIndex }),
        watching(nodes, (node, lookup) => setsOfNode(node, lookup, domain), {
          fields: ['spec.taints', 'metadata.labels'],
        }),
        watching(controllerRevisions, setsOfRevision, { indexes: controllerIndex }),
      ],
      async reconcile(key, context) {
        const set = context.cached(daemonSets).get(key)
        if (set === undefined || set.metadata.deletionTimestamp !== undefined) return done
        if (selectsAll(set)) {
          const message = 'This daemon set is selecting all pods. A non-empty selector is required.'
          context.event(set, { type: 'Warning', reason: 'SelectingAll', message })
          return done
        }
        try {
          return await keepDaemonSet(set, kept, context)
        } catch (error) {
          if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
          throw error
        }
      },
    },
  ]
}

function selectsAll({ spec }: DaemonSet): boolean {
  const { matchLabels = {}, matchExpressions } = spec?.selector ?? {}
  return Object.keys(matchLabels).length + (matchExpressions?.length ?? 0) === 0
}

/** The set that controls an object. */
function setsOfRevision(object: Stored<ApiObject>) {
  const controller = controllerOf(object)
  if (controller?.kind !== 'DaemonSet') return []
  return [{ ...objectKey(object), name: controller.name }]
}

/** The set that controls a pod; of a pod without a controller, those that select it. */
function setsOfPod(pod: Stored<Pod>, { cached }: Lookup) {
  if (controllerOf(pod) !== undefined) return setsOfRevision(pod)
  const sets = cached(daemonSets).index('namespace', pod.metadata.namespace)
  const isSelected = ({ spec }: DaemonSet) => {
    const requirements = spec && labelRequirementsOf(spec.selector)
    return requirements !== undefined && matchesLabels(requirements, pod.metadata.labels)
  }
  return sets.filter(isSelected).map((set) => objectKey(set))
}

/** The sets that are for a node, or whose pods may stay there. */
function setsOfNode(node: Stored<Node>, { cached }: Lookup, domain: string) {
  return cached(daemonSets)
    .list()
    .filter(({ spec }) => {
      const { starts, stays } = fitOf(
        daemonSpec(spec?.template.spec ?? { containers: [] }, domain),
        node,
      )
      return starts || stays
    })
    .map((set) => objectKey(set))
}
