import { deployments } from '../../../generated/apis/apps/v1/deployment.ts'
import { replicaSets } from '../../../generated/apis/apps/v1/replica-set.ts'
import { statefulSets } from '../../../generated/apis/apps/v1/stateful-set.ts'
import type { Scale } from '../../../generated/apis/autoscaling/v1/scale.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import { replicationControllers } from '../../../generated/apis/core/v1/replication-controller.ts'
import { findKind } from '../../client/client.ts'
import {
  type AnyKind,
  hasSubresource,
  type Kind,
  resourceName,
} from '../../kernel/descriptors/kind.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import { controllerOf } from '../../kernel/meta/controller-of.ts'
import type { ApiObject, OwnerReferenceLike, Stored } from '../../kernel/meta/object.ts'
import type { KeyContext } from '../../reconcile/reconcile.ts'

/** How many pods there should be, and which of those that there are have no controller that says so. */
export interface ExpectedScale {
  readonly scale: number
  readonly unmanaged: readonly Stored<Pod>[]
}

/** A controller of pods, and how many it asks for. */
interface ControllerScale {
  readonly uid: string
  readonly replicas: number
}

/** Sets whose scale is in a cache. */
const cachedKinds = [replicationControllers, replicaSets, statefulSets] as readonly AnyKind[]

/**
 * How many pods the controllers of these pods ask for: those of the caches, or else what their scale says.
 *
 * @throws Error for a pod whose controller is not there, or has no scale.
 */
export async function expectedScale(
  pods: readonly Stored<Pod>[],
  context: KeyContext,
): Promise<ExpectedScale> {
  const scales = new Map<string, number>()
  const known = new Set<string>()
  const unmanaged: Stored<Pod>[] = []
  for (const pod of pods) {
    const owner = controllerOf(pod)
    if (owner === undefined) unmanaged.push(pod)
    if (owner === undefined || known.has(owner.uid)) continue
    const { namespace, name } = pod.metadata
    const found =
      cachedScale(owner, namespace, context) ?? (await askedScale(owner, namespace, context))
    if (found === undefined) throw new Error(`found no controllers for pod "${name}"`)
    known.add(owner.uid)
    scales.set(found.uid, found.replicas)
  }
  const scale = [...scales.values()].reduce((sum, one) => sum + one, 0)
  return { scale, unmanaged }
}

function cachedScale(
  owner: OwnerReferenceLike,
  namespace: string,
  { cached }: KeyContext,
): ControllerScale | undefined {
  const kind = cachedKinds.find((one) => one.kind === owner.kind && isOf(one, owner))
  if (kind === undefined) return undefined
  const found = cached(kind as Kind<ApiObject>).get({ namespace, name: owner.name })
  if (found?.metadata.uid !== owner.uid) return undefined
  const above = controllerOf(found)
  if (above?.kind !== 'Deployment' || !isOf(deployments, above)) return scaleIn(found)
  const deployment = cached(deployments).get({ namespace, name: above.name })
  return deployment?.metadata.uid === above.uid ? scaleIn(deployment) : undefined
}

function isOf({ group }: Pick<AnyKind, 'group'>, { apiVersion }: OwnerReferenceLike): boolean {
  return groupOf(apiVersion) === group
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
}

function scaleIn(object: Stored<ApiObject>): ControllerScale {
  const { spec } = object as { readonly spec?: { readonly replicas?: number } }
  return { uid: object.metadata.uid, replicas: spec?.replicas ?? 1 }
}

/** What the scale of any other kind says; undefined for an owner that is not there. */
async function askedScale(
  owner: OwnerReferenceLike,
  namespace: string,
  { client, signal }: KeyContext,
): Promise<ControllerScale | undefined> {
  const { apiVersion, kind: name } = owner
  const kind = findKind(await client.kinds(signal), { apiVersion, kind: name })
  if (kind === undefined)
    throw new Error(`no matches for kind "${name}" in version "${apiVersion}"`)
  if (!hasSubresource(kind, 'scale'))
    throw new Error(`${resourceName(kind)} does not implement the scale subresource`)
  try {
    const scale = await client
      .resource<ApiObject>(kind)
      .getSubresource<Stored<Scale>>({ namespace, name: owner.name }, 'scale', signal)
    if (scale.metadata.uid !== owner.uid) return undefined
    return { uid: owner.uid, replicas: scale.spec?.replicas ?? 0 }
  } catch (error) {
    if (isStatus(error, 'NotFound')) return undefined
    throw error
  }
}
