import type { AnyKind, Kind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldPath } from '../changes/field-paths.ts'

/** A kind of which a controller writes some fields, and no others: see `writing`. */
export interface Writing<
  // biome-ignore lint/suspicious/noExplicitAny: Kind is invariant in its object type
  K extends ApiObject = any,
  F extends string = string,
> {
  readonly writes: Kind<K>
  readonly fields: readonly F[]
}

/** What a controller says it writes: kinds as a whole, or some fields of them. */
export type Written = AnyKind | Writing

/**
 * The fields of a kind that a controller writes, for its `writes`: it writes no others of the kind, and no other controller of its manager writes
 * these. A path stands for what is below it, too; an entry of a map is named by its key.
 *
 * @example writes: [writing(services, ['metadata.annotations[certificates.example.com/valid-until]'])]
 */
export function writing<K extends ApiObject, const F extends FieldPath<K>>(
  kind: Kind<K>,
  fields: readonly F[],
): Writing<K, F> {
  return { writes: kind, fields }
}

/** The kinds that a controller says it writes as a whole. */
export function wholeKinds(written: readonly Written[] = []): readonly AnyKind[] {
  return written.flatMap((one) => ('writes' in one ? [] : [one]))
}

/** The kinds of which a controller says which fields it writes. */
export function fieldsOfKinds(written: readonly Written[] = []): readonly Writing[] {
  return written.flatMap((one) => ('writes' in one ? [one] : []))
}
