import { type AnyKind, storedKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'

type Versions = ReadonlyMap<AnyKind, ReadonlyMap<string, AnyKind>>

/** The served versions of a scheme, found once. */
const known = new WeakMap<Scheme, Versions>()

/** The same resource in another version that the scheme serves, by its apiVersion; undefined if it serves none. */
export function servedVersion(
  scheme: Scheme,
  kind: AnyKind,
  apiVersion: string,
): AnyKind | undefined {
  if (apiVersionOf(kind) === apiVersion) return kind
  const versions = known.get(scheme) ?? servedVersions(scheme)
  known.set(scheme, versions)
  return versions.get(storedKind(kind))?.get(apiVersion)
}

function servedVersions(scheme: Scheme): Versions {
  const found = new Map<AnyKind, Map<string, AnyKind>>()
  for (const kind of Object.values(scheme.routes)) {
    const versions = found.get(storedKind(kind)) ?? new Map<string, AnyKind>()
    found.set(storedKind(kind), versions.set(apiVersionOf(kind), kind))
  }
  return found
}
