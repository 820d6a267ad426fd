import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { isServed, type Target } from '../../registry/registry.ts'

/** A path that names a served resource. `watch` is true under the old prefix `/watch/`. */
export interface ResourcePath {
  readonly target: Target
  readonly watch: boolean
}

/** Kinds by the path of their group version (`api/v1`, `apis/apps/v1`), then by plural. */
export type RouteTable = ReadonlyMap<string, ReadonlyMap<string, Kind>>

/** The subresources of a kind that the registry has verbs for. */
export function servedSubresources(kind: Kind): Kind['subresources'] {
  return kind.subresources.filter((sub) => isServed(sub, kind))
}

/** The routes of a scheme as maps, so that no text of a client is ever looked up on an object, where `__proto__` is a key. */
export function routeTable(scheme: Scheme): RouteTable {
  const table = new Map<string, Map<string, Kind>>()
  for (const [path, kind] of Object.entries(scheme.routes)) {
    const version = path.slice(0, path.lastIndexOf('/'))
    const kinds = table.get(version) ?? new Map<string, Kind>()
    table.set(version, kinds.set(kind.plural, kind))
  }
  return table
}

/**
 * Splits a path into decoded segments; undefined if it cannot be decoded or a segment is empty. Slashes at its end do not count. Decoding comes first, as
 * the platform's clients expect: an encoded slash separates like a plain one, so it can never be part of a name.
 */
export function segmentsOf(path: string): readonly string[] | undefined {
  const text = decodedPath(path)
  if (text === undefined) return undefined
  let end = text.length
  while (text[end - 1] === '/') end -= 1
  const segments = text.slice(1, end).split('/')
  return segments.includes('') ? undefined : segments
}

/** A path without percent signs; undefined if one has no two digits behind it. Bytes that are no UTF-8 are replacement characters. */
export function decodedPath(path: string): string | undefined {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    if (/%(?![0-9a-fA-F]{2})/.test(path)) return undefined
    const bytes = path.replace(/%([0-9a-fA-F]{2})|[^%]+/g, (text, byte?: string) =>
      byte === undefined
        ? Buffer.from(text).toString('latin1')
        : String.fromCharCode(Number.parseInt(byte, 16)),
    )
    return Buffer.from(bytes, 'latin1').toString('utf8')
  }
}

/** The resource that a path names; undefined if none that is served. */
export function resourcePath(
  table: RouteTable,
  segments: readonly string[],
): ResourcePath | undefined {
  const length = segments[0] === 'api' ? 2 : segments[0] === 'apis' ? 3 : 0
  if (length === 0 || segments.length <= length) return undefined
  const version = length === 2 ? `api/${segments[1]}` : `apis/${segments[1]}/${segments[2]}`
  const kinds = table.get(version)
  if (kinds === undefined) return undefined
  const watch = segments[length] === 'watch'
  const target = targetOf(kinds, segments, watch ? length + 1 : length)
  return target && { target, watch }
}

/**
 * The target that the segments from `at` on name. Nothing is copied: every request comes through here. `namespaces/<name>/<plural>`
 * is a resource in a namespace, unless no such resource is namespaced: then it is a subresource of the namespace.
 */
function targetOf(
  kinds: ReadonlyMap<string, Kind>,
  segments: readonly string[],
  at: number,
): Target | undefined {
  const first = segments[at]
  if (first === undefined) return undefined
  if (first === 'namespaces' && segments.length > at + 2) {
    const inside = kinds.get(segments[at + 2] as string)
    if (inside?.scope === 'Namespaced') {
      return named(inside, segments[at + 1], segments, at + 3)
    }
  }
  const kind = kinds.get(first)
  if (kind === undefined) return undefined
  if (kind.scope === 'Cluster') return named(kind, undefined, segments, at + 1)
  return segments.length === at + 1 ? { kind } : undefined
}

/** The target of a plural and of what stands behind it: a name, perhaps with a subresource. */
function named(
  kind: Kind,
  namespace: string | undefined,
  segments: readonly string[],
  at: number,
): Target | undefined {
  const [name, subresource] = [segments[at], segments[at + 1]]
  const collection: Target = namespace === undefined ? { kind } : { kind, namespace }
  if (name === undefined) return collection
  if (subresource === undefined) {
    return namespace === undefined ? { kind, name } : { kind, namespace, name }
  }
  const known = servedSubresources(kind).find((one) => one.name === subresource)
  const fits =
    segments.length === at + 2 || (known?.connect !== undefined && subresource === 'proxy')
  return known && fits ? { ...collection, name, subresource } : undefined
}
