import type { AnyKind, Kind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { WakeScope } from './key-controller.ts'

/** A kind whose objects a controller makes, and which of them it watches: see `owning`. */
export interface Owned<
  // biome-ignore lint/suspicious/noExplicitAny: Kind is invariant in its object type
  K extends ApiObject = any,
> {
  readonly owns: Kind<K>
  readonly scope: WakeScope
}

/**
 * A kind that a controller owns, with a scope: only objects in it are cached, and only those changes wake the owner that it names.
 * An object that `ensure` writes outside of the scope is read from the server at each run, and does not wake its owner.
 *
 * @example owns: [configMaps, owning(jobs, { labelSelector: 'app=web', fields: ['status.succeeded'] })]
 */
export function owning<K extends ApiObject>(kind: Kind<K>, scope: WakeScope<K>): Owned<K> {
  return { owns: kind, scope: scope as unknown as WakeScope }
}

/** What a controller says it owns, each kind with its scope. */
export function ownedOf(owns: readonly (AnyKind | Owned)[] = []): readonly Owned[] {
  return owns.map((one) => ('owns' in one ? one : { owns: one, scope: {} }))
}
