import type { AnyKind, Kind } from '../../kernel/descriptors/kind.ts'
import { storedKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'

const known = new WeakMap<AnyKind, AnyKind>()

/**
 * The kind for a caller that only deletes: where a webhook converts versions, objects are seen in the version in which each
 * of them is stored, and what stays of them stays in it. So the webhook is not called.
 */
export function withoutConversion(kind: AnyKind): AnyKind {
  const stored = storedKind(kind)
  if (stored.customResource?.convert === undefined) return kind
  const made = known.get(stored) ?? withoutConverter(stored)
  known.set(stored, made)
  return made
}

function withoutConverter(stored: AnyKind): AnyKind {
  const { customResource: _, storageVersion: __, ...facts } = stored
  const kind: Kind = {
    ...facts,
    read(value, report) {
      const object = value as ApiObject
      const { metadata } = stored.read({ metadata: object.metadata }, report) as ApiObject
      return { ...object, metadata }
    },
  }
  return kind
}
