import type { Kind } from './kind.ts'
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
  // biome-ignore lint/suspicious/noExplicitAny: a tree holds kinds of many object types
  readonly kinds: readonly Kind<any>[]
  /**
   * The published OpenAPI v3 documents as JSON text, by their key (`api/v1`, `apis/apps/v1`). Loaded on first use: they
   * are large and most processes never serve them.
   */
  readonly openapi: () => Promise<Readonly<Record<string, string>>>
}
