/** Which objects are a controller's: those that it controls and selects, and those without a controller. */
import type { Client, MergePatch } from '../../client/client.ts'
import { type CacheReader, objectKey } from '../../informer/informer.ts'
import type { AnyKind, Kind } from '../../kernel/descriptors/kind.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import { controllerOf } from '../../kernel/meta/controller-of.ts'
import {
  type LabelSelectorFields,
  labelRequirementsOf,
  matchesLabels,
} from '../../kernel/meta/label-selector.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { ownedBy } from '../../reconcile/reconcile.ts'

/** Who claims objects, and which. */
export interface ClaimOptions<T extends ApiObject> {
  readonly owner: Stored<ApiObject>
  /** Selects nothing if it is absent. */
  readonly selector: LabelSelectorFields | undefined
  /** Only such objects are its own beside what the selector says. Default: all. */
  readonly where?: (object: Stored<T>) => boolean
}

/** What is to become of objects. */
export interface Claim<T extends ApiObject> {
  /** The owner controls them, and selects them. */
  readonly owned: readonly Stored<T>[]
  /** They have no controller, and the owner selects them. */
  readonly adopt: readonly Stored<T>[]
  /** The owner controls them, and does not select them. */
  readonly release: readonly Stored<T>[]
}

/** Index from the uid of their controller to objects, and from `orphans of <namespace>` to those without one. */
export const controllerIndex = {
  controller: (object: ApiObject): readonly string[] => [
    controllerOf(object)?.uid ?? `orphans of ${object.metadata.namespace ?? ''}`,
  ],
}

/** What an owner may claim: what it controls, and what in its namespace has no controller. Needs `controllerIndex`. */
export function claimable<T extends ApiObject>(
  cache: CacheReader<T>,
  { metadata: { uid, namespace = '' } }: Stored<ApiObject> & ApiObject,
): readonly Stored<T>[] {
  return [
    ...cache.index('controller', uid),
    ...cache.index('controller', `orphans of ${namespace}`),
  ]
}

/** Sorts objects by what is to become of them; those of other controllers are in none. An owner that goes claims nothing new. */
export function claim<T extends ApiObject>(
  objects: readonly Stored<T>[],
  { owner, selector, where = () => true }: ClaimOptions<T>,
): Claim<T> {
  const requirements = selector && labelRequirementsOf(selector)
  const isGoing = owner.metadata.deletionTimestamp !== undefined
  const result = { owned: [], adopt: [], release: [] } as Record<keyof Claim<T>, Stored<T>[]>
  for (const object of objects) {
    const controller = controllerOf(object)
    const matches =
      requirements !== undefined &&
      matchesLabels(requirements, object.metadata.labels) &&
      where(object)
    if (controller === undefined) {
      const stays = object.metadata.deletionTimestamp === undefined
      if (matches && stays && !isGoing) result.adopt.push(object)
    } else if (controller.uid === owner.metadata.uid) {
      if (matches) result.owned.push(object)
      else if (!isGoing) result.release.push(object)
    }
  }
  return result
}

/** What a claim is settled with. */
export interface SettleOptions<T extends ApiObject> {
  readonly client: Client
  /** The kind of the objects. */
  readonly kind: Kind<T>
  readonly owner: Stored<ApiObject>
  /** The kind of the owner. */
  readonly ownerKind: AnyKind
  /** What is adopted gets this finalizer, too. */
  readonly finalizer?: string
  readonly signal?: AbortSignal
}

/**
 * Adopts and releases what is claimed; gives what the owner has then. Nothing is adopted unless the server still has the owner, and keeps it.
 *
 * @throws StatusError `Conflict` if an object or the owner has changed meanwhile: claim again.
 */
export async function settleClaim<T extends ApiObject>(
  { owned, adopt, release }: Claim<T>,
  options: SettleOptions<T>,
): Promise<readonly Stored<T>[]> {
  if (adopt.length === 0 && release.length === 0) return owned
  const { uid } = options.owner.metadata
  const released = release.map((object) => {
    const left = object.metadata.ownerReferences?.filter((one) => one.uid !== uid) ?? []
    return patchOwners(object, left, options)
  })
  const adopted = adopt.length === 0 ? [] : await adoptAll(adopt, options)
  const settled = await Promise.allSettled([...adopted, ...released])
  const failed = settled.find((one) => one.status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  const found = await Promise.all(adopted)
  return [...owned, ...found.filter((one) => one !== undefined)]
}

/** Begins to adopt objects, after a look at whether the owner is still there and stays. */
async function adoptAll<T extends ApiObject>(
  objects: readonly Stored<T>[],
  options: SettleOptions<T>,
): Promise<readonly Promise<Stored<T> | undefined>[]> {
  const { client, owner, ownerKind, finalizer, signal } = options
  const fresh = await client.resource<ApiObject>(ownerKind).find(objectKey(owner), signal)
  if (fresh?.metadata.uid !== owner.metadata.uid || fresh.metadata.deletionTimestamp !== undefined)
    throw new StatusError('Conflict', `${owner.kind} "${owner.metadata.name}" goes or is gone`)
  return objects.map((object) =>
    patchOwners(
      object,
      [...(object.metadata.ownerReferences ?? []), ownedBy(owner)],
      options,
      finalizer,
    ),
  )
}

/** Writes the owners of an object, unless it has changed; undefined for one that is gone. */
async function patchOwners<T extends ApiObject>(
  object: Stored<T>,
  owners: ApiObject['metadata']['ownerReferences'],
  { client, kind, signal }: SettleOptions<T>,
  finalizer?: string,
): Promise<Stored<T> | undefined> {
  const { uid, resourceVersion, finalizers = [] } = object.metadata
  const isNew = finalizer !== undefined && !finalizers.includes(finalizer)
  const ownerReferences = owners?.length === 0 ? null : owners
  const added = isNew && { finalizers: [...finalizers, finalizer] }
  const metadata = { uid, resourceVersion, ownerReferences, ...added }
  const patch = { metadata } as unknown as MergePatch<T>
  try {
    return await client.resource(kind).mergePatch(objectKey(object), patch, {}, signal)
  } catch (error) {
    if (isStatus(error, 'NotFound')) return undefined
    throw error
  }
}
