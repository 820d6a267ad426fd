/** Claims and volumes that are in use stay until they are not. */
import {
  type PersistentVolume,
  persistentVolumes,
} from '../../../generated/apis/core/v1/persistent-volume.ts'
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { type Pod, pods } from '../../../generated/apis/core/v1/pod.ts'
import { objectKey } from '../../informer/informer.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { podClaimNames } from '../../pods/pods.ts'
import {
  again,
  done,
  type KeyContext,
  type KeyController,
  type Outcome,
  watching,
} from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'
import { claimIndex, usesClaim } from './claim-users.ts'

/**
 * Gives claims a finalizer, and takes it from those that are to go once no pod with a node uses them.
 *
 *   reads    PersistentVolumeClaim, Pod
 *   writes   PersistentVolumeClaim: finalizers
 *   wakes    when a claim changes, and when a pod changes or goes that has volumes of claims
 *   settles  when claims that stay have the finalizer, and those that are to go have it while they are in use
 */
export async function claimProtectionController({
  name,
  platform,
}: BuildContext): Promise<readonly KeyController[]> {
  const finalizer = `${platform.domain}/pvc-protection`
  return [
    {
      name,
      concurrency: 1,
      watches: [
        watching(persistentVolumeClaims, (claim) => [objectKey(claim)]),
        watching(
          pods,
          (pod) =>
            podClaimNames(pod.spec ?? {}, pod.metadata.name).map((claim) => ({
              ...objectKey(pod),
              name: claim,
            })),
          { indexes: claimIndex },
        ),
      ],
      async reconcile(key, context) {
        const claim = context.cached(persistentVolumeClaims).get(key)
        if (claim === undefined) return done
        const plan = decideProtection(claim, finalizer)
        if (plan === 'release' && (await isClaimUsed(claim, context))) return done
        return carryOut(persistentVolumeClaims, claim, { plan, finalizer }, context)
      },
    },
  ]
}

/**
 * Gives volumes a finalizer, and takes it from those that are to go once they are bound to no claim.
 *
 *   reads    PersistentVolume
 *   writes   PersistentVolume: finalizers
 *   wakes    when a volume changes
 *   settles  when volumes that stay have the finalizer, and those that are to go have it while they are bound
 */
export async function volumeProtectionController({
  name,
  platform,
}: BuildContext): Promise<readonly KeyController[]> {
  const finalizer = `${platform.domain}/pv-protection`
  return [
    {
      name,
      concurrency: 1,
      watches: [watching(persistentVolumes, (volume) => [objectKey(volume)])],
      async reconcile(key, context) {
        const volume: Stored<PersistentVolume> | undefined = context
          .cached(persistentVolumes)
          .get(key)
        if (volume === undefined) return done
        const plan = decideProtection(volume, finalizer)
        if (plan === 'release' && volume.status?.phase === 'Bound') return done
        return carryOut(persistentVolumes, volume, { plan, finalizer }, context)
      },
    },
  ]
}

/** What is to become of the finalizer of an object: one that goes loses it if it is not in use. */
export type ProtectionPlan = 'keep' | 'protect' | 'release'

/** What is to become of the finalizer of an object, whether or not it is in use. */
export function decideProtection(
  { metadata }: Pick<ApiObject, 'metadata'>,
  finalizer: string,
): ProtectionPlan {
  const has = metadata.finalizers?.includes(finalizer) === true
  if (metadata.deletionTimestamp === undefined) return has ? 'keep' : 'protect'
  return has ? 'release' : 'keep'
}

/** True if a pod uses a claim: the server is asked about pods that the cache does not show yet. */
async function isClaimUsed(
  claim: Stored<PersistentVolumeClaim>,
  { cached, client, signal }: KeyContext,
): Promise<boolean> {
  const { namespace, name } = claim.metadata
  const uses = (pod: Stored<Pod>) => usesClaim(pod, claim)
  if (cached(pods).index('claims', `${namespace}/${name}`).some(uses)) return true
  for await (const pod of client.resource(pods).in(namespace).list({}, signal)) {
    if (uses(pod)) return true
  }
  return false
}

async function carryOut<T extends ApiObject>(
  kind: Kind<T>,
  object: Stored<T>,
  { plan, finalizer }: { readonly plan: ProtectionPlan; readonly finalizer: string },
  { client, signal }: KeyContext,
): Promise<Outcome> {
  if (plan === 'keep') return done
  const others = object.metadata.finalizers?.filter((one) => one !== finalizer) ?? []
  const finalizers = plan === 'protect' ? [...others, finalizer] : others
  try {
    const metadata = { ...object.metadata, finalizers }
    await client.resource(kind).update({ ...object, metadata } as never, {}, signal)
  } catch (error) {
    if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
    if (!isStatus(error, 'NotFound')) throw error
  }
  return done
}
