import type { Gates } from '../kernel/gates.ts'
import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import type { AnyKind, Gated } from '../kernel/kind.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Context } from './context.ts'

/**
 * The object without the fields whose feature gate is off. A field that the stored object uses anywhere stays: what was
 * accepted once is not taken away by a switch (document 1, section 3).
 */
export function withoutDisabled<T extends ApiObject>(
  { gates }: Context,
  kind: AnyKind,
  object: T,
  old?: ApiObject,
): T {
  const off = disabledOf(kind, gates)
  return off === undefined ? object : (dropped(off, object, old ? [old] : []) as T)
}

/** Gated fields by name, those of one set of gates that are off; `Below` tells how to go on. */
interface Off {
  readonly drop?: boolean
  readonly fields?: ReadonlyMap<string, Off>
  readonly items?: () => Off | undefined
  readonly value?: () => Off | undefined
}

const known = new WeakMap<Gates, WeakMap<AnyKind, Off | undefined>>()

function disabledOf(kind: AnyKind, gates: Gates): Off | undefined {
  if (kind.gated === undefined) return undefined
  let kinds = known.get(gates)
  if (kinds === undefined) known.set(gates, (kinds = new WeakMap()))
  if (!kinds.has(kind)) kinds.set(kind, offOf(kind.gated, gates, new Map()))
  return kinds.get(kind)
}
