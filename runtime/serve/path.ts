import type { Kind } from '../kernel/kind.ts'
import type { Tree } from '../kernel/tree.ts'
import type { Target } from '../registry/registry.ts'

/** A path that names served resources. `watch` is true under the old prefix `/watch/`. */
export interface ResourcePath {
  readonly target: Target
  readonly watch: boolean
}

/** Kinds by the path of their group version (`api/v1`, `apis/apps/v1`), then by plural. */
export type RouteTable = ReadonlyMap<string, ReadonlyMap<string, Kind>>

/** Subresources that the registry has verbs for; the others of a descriptor are not served yet. */
const subresources: ReadonlySet<string> = new Set(['finalize', 'status'])

export function servedSubresources(kind: Kind): Kind['subresources'] {
  return kind.subresources.filter(({ name }) => subresources.has(name))
}

/** The routes of a tree as maps, so that no text from outside is ever looked up on an object. */
export function routeTable(tree: Tree): RouteTable {
  const table = new Map<string, Map<string, Kind>>()
  for (const [path, kind] of Object.entries(tree.routes)) {
    const version = path.slice(0, path.lastIndexOf('/'))
    const kinds = table.get(version) ?? new Map<string, Kind>()
    table.set(version, kinds.set(kind.plural, kind))
  }
  return table
}

/**
 * Splits a path into decoded segments; undefined if it cannot be decoded or a segment is empty. Decoding comes first, as
 * the platform's clients expect: an encoded slash separates like a plain one, so it can never be part of a name.
 */
export function segmentsOf(path: string): readonly string[] | undefined {
  let text = path
  if (path.includes('%')) {
    try {
      text = decodeURIComponent(path)
    } catch {
      return undefined
    }
  }
  const segments = text.slice(1, text.endsWith('/') ? -1 : undefined).split('/')
  return segments.includes('') ? undefined : segments
}

/** The resources that a path names, undefined if it names none that is served. */
export function resourcePath(
  table: RouteTable,
  segments: readonly string[],
): ResourcePath | undefined {
  const length = segments[0] === 'api' ? 2 : segments[0] === 'apis' ? 3 : 0
  if (length === 0 || segments.length <= length) return undefined
  const kinds = table.get(segments.slice(0, length).join('/'))
  if (kinds === undefined) return undefined
  const watch = segments[length] === 'watch'
  const target = targetOf(kinds, segments.slice(watch ? length + 1 : length))
  return target && { target, watch }
}

function targetOf(kinds: ReadonlyMap<string, Kind>, rest: readonly string[]): Target | undefined {
  const [first, namespace, plural] = rest
  if (first === 'namespaces' && plural !== undefined) {
    const inside = namespaced(kinds, rest)
    if (inside !== undefined) return inside
  }
  const kind = first === undefined ? undefined : kinds.get(first)
  if (kind === undefined) return undefined
  if (kind.scope === 'Namespaced') return rest.length === 1 ? { kind } : undefined
  return named({ kind }, kind, rest.slice(1), namespace)
}

function namespaced(
  kinds: ReadonlyMap<string, Kind>,
  [, namespace, plural, ...rest]: readonly string[],
): Target | undefined {
  const kind = kinds.get(plural as string)
  if (kind?.scope !== 'Namespaced' || namespace === undefined) return undefined
  return named({ kind, namespace }, kind, rest, rest[0])
}

function named(
  target: Target,
  kind: Kind,
  rest: readonly string[],
  name: string | undefined,
): Target | undefined {
  if (name === undefined) return target
  const [, subresource] = rest
  if (subresource === undefined) return { ...target, name }
  const known = servedSubresources(kind).some((one) => one.name === subresource)
  return known && rest.length === 2 ? { ...target, name, subresource } : undefined
}
