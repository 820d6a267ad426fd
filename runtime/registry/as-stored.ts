import type { AnyKind, Kind } from '../kernel/kind.ts'
import { storedKind } from '../kernel/kind.ts'
import type { ApiObject } from '../kernel/object.ts'

const known = new WeakMap<AnyKind, AnyKind>()

/**
 * The kind for whoever only deletes: where somebody else's program converts versions, objects are seen in the version in
 * which each of them is stored, and what stays of them stays in it. So nothing has to be asked.
 */
export function asStored(kind: AnyKind): AnyKind {
  const stored = storedKind(kind)
  if (stored.custom?.convert === undefined) return kind
  const made = known.get(stored) ?? unconverted(stored)
  known.set(stored, made)
  return made
}

function unconverted(stored: AnyKind): AnyKind {
  const { custom: _, storage: __, ...facts } = stored
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
