/** The metadata that the machinery itself reads and writes; the generated ObjectMeta is assignable to it. */
export interface Metadata {
  readonly name?: string
  readonly generateName?: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string | null
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly OwnerReferenceLike[]
  readonly finalizers?: readonly string[]
}

/** The part of an owner reference that all code may rely on. */
export interface OwnerReferenceLike {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** What every API object has. Objects are deeply readonly: change by spread. */
export interface ApiObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Metadata
}

/** Whether objects of a kind are in namespaces. */
export type ResourceScope = 'Namespaced' | 'Cluster'

/**
 * The scope of the kind that `T` is the object type of. The generated type of a kind without namespaces has no
 * `metadata.namespace`; of `ApiObject` itself the scope is not known.
 */
export type ScopeOf<T extends ApiObject> = T['metadata'] extends { readonly namespace?: never }
  ? 'Cluster'
  : ApiObject extends T
    ? ResourceScope
    : 'Namespaced'

/** The metadata that every stored object has. */
export interface StoredMetadata {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly creationTimestamp: string
}

/** The metadata that every stored object of a kind with namespaces has. */
export interface NamespacedMetadata extends StoredMetadata {
  readonly namespace: string
}

/**
 * An object as a server stores and returns it: `name`, `uid`, `resourceVersion` and `creationTimestamp` are there, and
 * `namespace` where the kind has namespaces. `T` is the type of the object as a client sends it.
 */
export type Stored<T extends ApiObject> = T & {
  readonly metadata: ScopeOf<T> extends 'Namespaced' ? NamespacedMetadata : StoredMetadata
}

/** An object that has a name, stored or not. */
export interface NamedObject {
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

/** `group/version`, or only the version for the core group. */
export function apiVersionOf(kind: { readonly group: string; readonly version: string }): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
}
