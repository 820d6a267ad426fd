import type { AnyKind } from '../../kernel/descriptors/kind.ts'

const known = new WeakMap<AnyKind, AnyKind>()

/** A kind whose objects are judged by everything but its rules in the expression language. */
export function withoutRules(kind: AnyKind): AnyKind {
  const made = known.get(kind) ?? copyWithoutRules(kind)
  known.set(kind, made)
  return made
}

function copyWithoutRules(kind: AnyKind): AnyKind {
  const { validations, customResource, ...rest } = kind
  if (validations === undefined && customResource?.check === undefined) return kind
  return { ...rest, ...(customResource && withoutCheck(customResource)) }
}

function withoutCheck({ check: _, ...customResource }: NonNullable<AnyKind['customResource']>) {
  return { customResource }
}
