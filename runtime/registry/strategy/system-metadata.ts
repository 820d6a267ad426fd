/** The metadata that the system owns: what clients may not set, and where it comes from. */
import { timestamp } from '../../kernel/async/clock.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { generateObjectName } from '../../kernel/meta/names.ts'
import type { ApiObject, Metadata } from '../../kernel/meta/object.ts'
import type { RegistryContext } from '../contract/context.ts'

/**
 * The metadata of a new object: what its sender may set, with an identity. A name is generated where none is given; where the kind counts
 * no generations, that of the sender stays.
 */
export function newMetadata(
  { clock, random, uid }: RegistryContext,
  { generation }: AnyKind,
  metadata: Metadata,
): Metadata & { readonly name: string } {
  const { name, generateName, generation: sent } = metadata
  const { deletionTimestamp, deletionGracePeriodSeconds, ...kept } = clientMetadata(metadata)
  return {
    ...kept,
    name: name || (generateName ? generateObjectName(generateName, random) : ''),
    uid: uid(),
    creationTimestamp: timestamp(clock.now()),
    ...(generation ? { generation: 1 } : sent && { generation: sent }),
  }
}

/** A new object without its identity, under the name that its sender gave: mutating plugins see it before it has one. */
export function withoutIdentity(object: ApiObject, name: string | undefined): ApiObject {
  const { uid, creationTimestamp, generation, name: _, ...metadata } = object.metadata
  return { ...object, metadata: { ...metadata, ...(name && { name }) } }
}

/** The metadata that plugins left of a new object, with the identity that the object has. */
export function withIdentityOf({ metadata }: ApiObject, changed: Metadata): Metadata {
  const { uid, creationTimestamp, generation, name, namespace } = metadata
  const { deletionTimestamp, deletionGracePeriodSeconds, ...kept } = clientMetadata(changed)
  return { ...kept, ...omitAbsent({ uid, creationTimestamp, generation, name, namespace }) }
}

/**
 * An update with what the system owns taken from the old object: always when it was made and marked for deletion, the identity
 * and the grace period where the client left them out.
 */
export function withSystemMetadata(object: ApiObject, old: ApiObject): ApiObject {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation } =
    old.metadata
  const metadata = {
    ...omitAbsent({ uid, deletionGracePeriodSeconds }),
    ...omitAbsent(clientMetadata(object.metadata)),
    ...omitAbsent({ creationTimestamp, deletionTimestamp, generation }),
  }
  return { ...object, metadata }
}

/** The metadata without what no client can set. */
function clientMetadata(metadata: Metadata): Metadata {
  const { resourceVersion, generation, selfLink, managedFields, ...rest } = metadata as Metadata & {
    readonly selfLink?: unknown
    readonly managedFields?: unknown
  }
  return rest
}

/** The fields that have a value: null counts as absent, as it does in a request. */
function omitAbsent<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const present = Object.entries(fields).filter(
    ([, value]) => value !== undefined && value !== null,
  )
  return Object.fromEntries(present) as { [K in keyof T]: Exclude<T[K], undefined> }
}
