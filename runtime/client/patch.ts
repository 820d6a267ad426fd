import type { Json } from '../kernel/values/json.ts'

/**
 * A JSON merge patch of `T` (RFC 7386): what it names is set, null removes, lists are replaced whole, everything else
 * stays.
 */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [P in keyof T]?: MergePatch<T[P]> | null }
    : T

/** One step of a JSON patch (RFC 6902). Paths are JSON pointers: `/metadata/labels/app`. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string }

/** A JSON patch (RFC 6902): all of its steps apply, or none. */
export type JsonPatch = readonly JsonPatchOperation[]
