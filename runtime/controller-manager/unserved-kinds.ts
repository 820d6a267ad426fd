import { platform } from '../../generated/platform.ts'
import { findKind } from '../client/client.ts'
import { type AnyKind, resourceName } from '../kernel/descriptors/kind.ts'
import type { AnyController, KeyController } from '../reconcile/reconcile.ts'

/**
 * The kinds that a controller watches and the server does not serve, by either name of their group. Its caches would never be filled.
 */
export function unservedKinds(
  parts: readonly (AnyController | KeyController)[],
  served: readonly AnyKind[],
): readonly string[] {
  const watched = new Set(parts.flatMap(kindsOf))
  return [...watched]
    .filter(({ group, version, plural }) => {
      return findKind(served, { group, version, resource: plural }, platform) === undefined
    })
    .map(resourceName)
}

function kindsOf(part: AnyController | KeyController): readonly AnyKind[] {
  const watched = (part.watches ?? []).map(({ kind }) => kind)
  if (!('for' in part)) return watched
  const owned = (part.owns ?? []).map((one) => ('owns' in one ? one.owns : one))
  return [part.for, ...owned, ...watched]
}
