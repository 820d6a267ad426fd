import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { type Pod, pods } from '../../../generated/apis/core/v1/pod.ts'
import type { Volume } from '../../../generated/apis/core/v1/volume.ts'
import { objectKey } from '../../informer/informer.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { Counter } from '../../observe/observe.ts'
import {
  controllerOf,
  done,
  failed,
  type KeyContext,
  type KeyController,
  ownedBy,
  watching,
} from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'
import { isOf } from './claim-users.ts'

/**
 * Makes the claims of volumes that go with their pods (T-21): `<pod>-<volume>`, owned by the pod.
 *
 *   reads    Pod, PersistentVolumeClaim
 *   writes   PersistentVolumeClaim: create; Event
 *   wakes    when a pod with such volumes appears, and when one of its claims changes or goes
 *   settles  when each of these volumes has its claim
 */
export async function ephemeralVolumeController({
  name,
  concurrency = 5,
  metrics,
}: BuildContext): Promise<readonly KeyController[]> {
  const counts = {
    tried: metrics.counter('ephemeral_volume_controller_create_total'),
    failed: metrics.counter('ephemeral_volume_controller_create_failures_total'),
  }
  for (const counter of Object.values(counts)) counter.add([], 0)
  return [
    {
      ...{ name, component: 'ephemeral_volume', concurrency },
      watches: [
        watching(pods, (pod) => (hasEphemeral(pod) ? [objectKey(pod)] : [])),
        watching(persistentVolumeClaims, (claim) => {
          const owner = controllerOf(claim)
          return owner?.kind === 'Pod' ? [{ ...objectKey(claim), name: owner.name }] : []
        }),
      ],
      async reconcile(key, context) {
        const pod = context.cached(pods).get(key)
        if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return done
        for (const volume of pod.spec?.volumes ?? []) {
          const problem = volume.ephemeral && (await keepClaim(pod, volume, { ...context, counts }))
          if (problem === undefined) continue
          const message = `ephemeral volume ${volume.name}: ${problem}`
          context.event(pod, { type: 'Warning', reason: 'FailedBinding', message })
          return failed(new Error(message))
        }
        return done
      },
    },
  ]
}

function hasEphemeral({ spec }: Pod): boolean {
  return spec?.volumes?.some(({ ephemeral }) => ephemeral !== undefined) === true
}

/** What is counted of claims that are made. */
interface CreationCounts {
  readonly tried: Counter
  readonly failed: Counter
}

/** Makes the claim of a volume unless it is there. Gives what is wrong, if something is. */
async function keepClaim(
  pod: Stored<Pod>,
  { name: volume, ephemeral }: Volume,
  { client, cached, signal, counts }: KeyContext & { readonly counts: CreationCounts },
): Promise<string | undefined> {
  const { namespace } = pod.metadata
  const name = `${pod.metadata.name}-${volume}`
  const present = cached(persistentVolumeClaims).get({ namespace, name })
  if (present !== undefined) return problemOf(present, pod)
  const { metadata: given, spec } = ephemeral?.volumeClaimTemplate ?? {}
  const metadata = {
    ...{ name, ownerReferences: [ownedBy(pod)] },
    ...(given?.labels && { labels: given.labels }),
    ...(given?.annotations && { annotations: given.annotations }),
  }
  const resource = client.resource(persistentVolumeClaims).in(namespace)
  counts.tried.add([])
  try {
    await resource.create({ metadata, ...(spec && { spec }) }, {}, signal)
    return undefined
  } catch (error) {
    counts.failed.add([])
    const there = isStatus(error, 'AlreadyExists') && (await resource.find(name, signal))
    if (there) return problemOf(there, pod)
    return `create PVC ${name}: ${errorText(error)}`
  }
}

/** What is wrong with a claim that is there; undefined for one of the pod. */
function problemOf(claim: Stored<PersistentVolumeClaim>, pod: Stored<Pod>): string | undefined {
  if (isOf(claim, pod)) return undefined
  const { namespace, name } = claim.metadata
  return `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`
}
