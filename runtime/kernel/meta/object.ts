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

/** The part of an owner reference that every room may rely on. */
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

/** An object as a server returned it: the fields that the server fills in are there. */
export type Stored<T extends ApiObject> = T & {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly resourceVersion: string
    readonly creationTimestamp: string
  }
}

/** `group/version`, or only the version for the core group. */
export function apiVersionOf(kind: { readonly group: string; readonly version: string }): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
}
