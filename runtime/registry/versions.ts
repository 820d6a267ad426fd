import { type AnyKind, storedKind } from '../kernel/kind.ts'
import { apiVersionOf } from '../kernel/object.ts'
import type { Tree } from '../kernel/tree.ts'

type Versions = ReadonlyMap<AnyKind, ReadonlyMap<string, AnyKind>>

const known = new WeakMap<Tree, Versions>()

/** The same resource in another version that the tree serves, by its apiVersion. */
export function versionOf(tree: Tree, kind: AnyKind, apiVersion: string): AnyKind | undefined {
  if (apiVersionOf(kind) === apiVersion) return kind
  const versions = known.get(tree) ?? versionsOf(tree)
  known.set(tree, versions)
  return versions.get(storedKind(kind))?.get(apiVersion)
}

function versionsOf(tree: Tree): Versions {
  const found = new Map<AnyKind, Map<string, AnyKind>>()
  for (const kind of Object.values(tree.routes)) {
    const versions = found.get(storedKind(kind)) ?? new Map<string, AnyKind>()
    found.set(storedKind(kind), versions.set(apiVersionOf(kind), kind))
  }
  return found
}
