import type { OwnerReference } from '../../../generated/apis/meta/v1/object-meta.ts'
import type { Key } from '../../client/client.ts'
import { type CacheReader, objectKey } from '../../informer/informer.ts'
import { type AnyKind, resourceName } from '../../kernel/descriptors/kind.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { dependentsFinalizers, type ObservedDependent } from './decide-item.ts'

/** An object and its kind, as the server calls it. */
export interface Item {
  readonly kind: AnyKind
  readonly object: Stored<ApiObject>
}

/** What objects are found by in the cache of each kind. */
export const itemIndexes = { 'owner-uids': ownerUids }

function ownerUids({ metadata: { ownerReferences = [] } }: ApiObject): readonly string[] {
  return ownerReferences.map(({ uid }) => uid)
}

/** The key of an item: `deployments.apps` as its namespace, `shop/web` as its name. */
export function itemKey({ kind, object }: Item): Key {
  const { namespace, name } = objectKey(object)
  const path = namespace === undefined ? name : `${namespace}/${name}`
  return { namespace: resourceName(kind), name: path }
}

/** The namespace in keys of owners whose dependents are to be looked at: no resource has this name. */
const ofOwners = 'dependents'

/** The key of the dependents of an owner. */
function dependentsKey(uid: string): Key {
  return { namespace: ofOwners, name: uid }
}

/** The uid of the owner whose dependents a key stands for; undefined for the key of an item. */
export function ownerOfKey({ namespace, name }: Key): string | undefined {
  return namespace === ofOwners ? name : undefined
}

/** True for an object that goes once its dependents are gone. */
export function waitsForDependents({ metadata }: ApiObject): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata
  return deletionTimestamp !== undefined && finalizers.includes(dependentsFinalizers.foreground)
}

/** Objects by what they belong to: the caches of all kinds whose objects can be deleted. */
export class OwnerGraph {
  /** By the names of resources. */
  readonly #caches = new Map<string, CacheReader<ApiObject>>()
  readonly #kinds = new Map<string, AnyKind>()
  /** Those that are served, by `apiVersion kind`, of any of their versions. */
  #served: ReadonlyMap<string, AnyKind> = new Map()

  /** Tells which kinds are served now. */
  serve(kinds: readonly AnyKind[]): void {
    this.#served = new Map(kinds.map((kind) => [servedName(versionOf(kind), kind.kind), kind]))
  }

  /** The cache of a kind is filled. */
  add(kind: AnyKind, cache: CacheReader<ApiObject>): void {
    this.#kinds.set(resourceName(kind), kind)
    this.#caches.set(resourceName(kind), cache)
  }

  /** A kind is not served any more. */
  remove(kind: AnyKind): void {
    this.#kinds.delete(resourceName(kind))
    this.#caches.delete(resourceName(kind))
  }

  /** The item of a key; undefined if there is none. */
  find({ namespace: resource = '', name: path }: Key): Item | undefined {
    const kind = this.#kinds.get(resource)
    const slash = path.indexOf('/')
    const key =
      slash < 0 ? { name: path } : { namespace: path.slice(0, slash), name: path.slice(slash + 1) }
    const object = this.#caches.get(resource)?.get(key)
    return kind && object && { kind, object }
  }

  /** The kind that a reference names; undefined if it is not served. */
  kindOf({ apiVersion, kind }: Pick<OwnerReference, 'apiVersion' | 'kind'>): AnyKind | undefined {
    return this.#served.get(servedName(apiVersion, kind))
  }

  /** The owner that a reference from a namespace leads to, as far as caches know. */
  ownerOf(reference: OwnerReference, namespace: string | undefined): Item | undefined {
    const kind = this.kindOf(reference)
    if (kind === undefined) return undefined
    const { name, uid } = reference
    const key = kind.scope === 'Cluster' || namespace === undefined ? { name } : { namespace, name }
    const object = this.#caches.get(resourceName(kind))?.get(key)
    return object !== undefined && object.metadata.uid === uid ? { kind, object } : undefined
  }

  /** The namespace in which the object of a reference is, wherever that is; undefined if caches do not know it. */
  namespaceOf(reference: OwnerReference): string | undefined {
    const kind = this.kindOf(reference)
    const cache = kind && this.#caches.get(resourceName(kind))
    const found = cache?.list().find(({ metadata }) => metadata.uid === reference.uid)
    return found && objectKey(found).namespace
  }

  /** The items that refer to an object as their owner, whether or not they may. */
  referringTo(uid: string): readonly Item[] {
    return [...this.#caches].flatMap(([resource, cache]) => {
      const kind = this.#kinds.get(resource)!
      return cache.index('owner-uids', uid).map((object) => ({ kind, object }))
    })
  }

  /** The dependents of an owner that are not being deleted. */
  stayingDependentsOf(uid: string): readonly Item[] {
    return this.referringTo(uid).filter(
      ({ object }) => object.metadata.deletionTimestamp === undefined,
    )
  }

  /** What an item's dependents are to it. */
  dependentsOf({ object }: Item): readonly ObservedDependent[] {
    const { uid } = object.metadata
    return this.referringTo(uid).map((dependent) => ({
      blocks: blocks(dependent.object, uid),
      waits: waitsForDependents(dependent.object),
    }))
  }

  /** The keys that a change of an object is of interest to: its own, that of its dependents, and those of owners that wait for it. */
  keysOf(item: Item): readonly Key[] {
    const { object } = item
    const { namespace } = objectKey(object)
    const { uid, ownerReferences = [] } = object.metadata
    const owners = ownerReferences.map((reference) => this.ownerOf(reference, namespace))
    const waiting = owners.filter(
      (owner) => owner !== undefined && waitsForDependents(owner.object),
    )
    const keys = (waiting as readonly Item[]).map(itemKey)
    const state = this.#stateOf(item)
    const dependents = () => (this.referringTo(uid).length > 0 ? [dependentsKey(uid)] : [])
    if (state === 'gone') return [...keys, ...dependents()]
    if (state === 'former') return keys
    if (waitsForDependents(object)) return [...keys, itemKey(item), ...dependents()]
    if (leavesDependents(object)) return [...keys, itemKey(item)]
    const isSolid = owners.every((owner) => owner !== undefined) && waiting.length === 0
    const goes = object.metadata.deletionTimestamp !== undefined
    return isSolid || goes ? keys : [...keys, itemKey(item)]
  }

  /** Whether an object is as its cache has it. Who it belonged to formerly may be waiting for it, too. */
  #stateOf({ kind, object }: Item): 'current' | 'former' | 'gone' {
    const cache = this.#caches.get(resourceName(kind))
    if (cache === undefined) return 'current'
    const current = cache.get(objectKey(object))
    if (current?.metadata.uid !== object.metadata.uid) return 'gone'
    return current === object ? 'current' : 'former'
  }
}

/** True for an object that goes once its dependents have lost it. Their references are its own run's to take away. */
function leavesDependents({ metadata }: ApiObject): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata
  return deletionTimestamp !== undefined && finalizers.includes(dependentsFinalizers.orphan)
}

function blocks({ metadata: { ownerReferences = [] } }: ApiObject, uid: string): boolean {
  return ownerReferences.some((one) => one.uid === uid && one.blockOwnerDeletion === true)
}

function versionOf({ group, version }: AnyKind): string {
  return group === '' ? version : `${group}/${version}`
}

function servedName(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`
}
