import { controllerRevisions } from '../../../../generated/apis/apps/v1/controller-revision.ts'
import { statefulSets } from '../../../../generated/apis/apps/v1/stateful-set.ts'
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { objectKey } from '../../../informer/informer.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import { labelRequirementsOf, matchesLabels } from '../../../kernel/meta/label-selector.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
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
import type { SetOptions } from './decide-stateful-set.ts'
import { keepSet } from './keep-set.ts'
import { parsePodName, type StoredSet } from './set-names.ts'
import { claimsOf } from './set-pods.ts'

/**
 * Keeps as many pods as a stateful set asks for, each with a name, a number and claims of its own, and replaces them by those of a new
 * template, one after the other (T-03).
 *
 *   reads    StatefulSet, Pod, PersistentVolumeClaim, ControllerRevision
 *   writes   Pod, PersistentVolumeClaim, ControllerRevision; StatefulSet: status; Event
 *   wakes    when the set, its pods or their claims change, when a pod appears that it selects, and when a pod has been ready for long enough
 *   settles  when there is a pod of each number of the set's newest template, or the strategy keeps older ones, and all of them are available
 */
export async function statefulSetController(
  build: BuildContext,
): Promise<readonly KeyController[]> {
  const { name, concurrency = 5, gates, platform } = build
  const options: SetOptions = {
    domain: platform.domain,
    indexLabel: gates.has('PodIndexLabel'),
    deletesClaims: gates.has('StatefulSetAutoDeletePVC'),
    maxUnavailable: gates.has('MaxUnavailableStatefulSet'),
  }
  const starts = new SlowStarts(concurrency)
  return [
    {
      name,
      concurrency,
      watches: [
        watching(statefulSets, (set) => [objectKey(set)], {
          indexes: { namespace: 'metadata.namespace' },
        }),
        watching(pods, setsOfPod, { indexes: controllerIndex }),
        watching(persistentVolumeClaims, setsOfClaim),
        watching(controllerRevisions, () => [], { indexes: controllerIndex }),
      ],
      async reconcile(key, context) {
        const set = context.cached(statefulSets).get(key)
        if (set === undefined) return done
        try {
          return await keepSet(set, options, { ...context, starts })
        } catch (error) {
          if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
          throw error
        }
      },
    },
  ]
}

/** The set that controls a pod; of a pod that nothing controls, those that select it. */
function setsOfPod(pod: Stored<Pod>, { cached }: Lookup) {
  const controller = controllerOf(pod)
  const { namespace } = pod.metadata
  if (controller !== undefined) {
    return controller.kind === 'StatefulSet' ? [{ namespace, name: controller.name }] : []
  }
  const name = parsePodName(pod.metadata.name)?.parent
  const set = name === undefined ? undefined : cached(statefulSets).get({ namespace, name })
  return set !== undefined && selects(set, pod) ? [objectKey(set)] : []
}

function selects({ spec }: StoredSet, { metadata }: Stored<Pod>): boolean {
  const requirements = spec && labelRequirementsOf(spec.selector)
  return requirements !== undefined && matchesLabels(requirements, metadata.labels)
}

/** The sets whose claim this may be, by its name. */
function setsOfClaim(claim: Stored<PersistentVolumeClaim>, { cached }: Lookup) {
  const { name, namespace } = claim.metadata
  const parsed = parsePodName(name)
  if (parsed === undefined) return []
  const sets = cached(statefulSets).index('namespace', namespace)
  return sets
    .filter((set) =>
      claimsOf(set, parsed.ordinal).some(({ draft }) => draft.metadata.name === name),
    )
    .map(objectKey)
}
