import type { AnyKind } from './kind.ts'
import { type MessageTables, mergeMessages } from './messages.ts'
import type { Platform } from './platform.ts'

/** A group with its served versions, preferred one first. */
export interface Group {
  readonly group: string
  readonly versions: readonly string[]
  /** Discovery lists groups by descending priority. */
  readonly priority: number
}

/**
 * A generated tree: all facts of one platform in one value. The server, the testing kit and the commands take a tree as
 * an argument, so that one process can hold several.
 */
export interface Tree {
  readonly platform: Platform
  readonly groups: readonly Group[]
  /** Served resources by the path of their collection without namespace: `api/v1/pods`, `apis/apps/v1/deployments`. */
  readonly routes: Readonly<Record<string, AnyKind>>
  /**
   * The published OpenAPI v3 documents as JSON text, by their key (`api/v1`, `apis/apps/v1`). Loaded on first use: they
   * are large and most processes never serve them.
   */
  readonly openapi: () => Promise<Readonly<Record<string, string>>>
  /** How objects are written in protobuf, if any are. Loaded on first use. */
  readonly protobuf?: () => Promise<MessageTables>
}

/** One tree with the groups, routes and documents of all; the platform is the first one's. */
export function mergeTrees(base: Tree, ...more: readonly Tree[]): Tree {
  const groups = new Map<string, Group>()
  for (const group of [base, ...more].flatMap((tree) => tree.groups)) {
    const known = groups.get(group.group)
    const versions = [...new Set([...(known?.versions ?? []), ...group.versions])]
    groups.set(group.group, { ...group, ...known, versions })
  }
  const tables = [base, ...more].flatMap(({ protobuf }) => protobuf ?? [])
  return {
    platform: base.platform,
    groups: [...groups.values()],
    routes: Object.assign({}, base.routes, ...more.map((tree) => tree.routes)),
    openapi: async () =>
      Object.assign({}, ...(await Promise.all([base, ...more].map((tree) => tree.openapi())))),
    ...(tables.length > 0 && {
      protobuf: async () => mergeMessages(await Promise.all(tables.map((load) => load()))),
    }),
  }
}
