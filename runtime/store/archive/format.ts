/**
 * A store as a stream of bytes.
 *
 *     header    one line of JSON: `format`, `version`, `cluster` (the id of the store), revisions, when it was made
 *     blocks    each its length (4 bytes), then rows: revision, replaced and created revision (8 bytes each, as doubles), length of the
 *               key, length of the value plus one or 0 for a deletion (4 bytes each), key, value
 *     end       a block of length 0
 *     trailer   one line of JSON: `rows`, `bytes` before it, `sha256` of them
 *
 * Numbers have their highest byte first. Values are as they stand in the database, encrypted ones included.
 */
import type { StoreState } from '../dump.ts'

/** What the header of an archive says. */
export interface ArchiveHeader {
  readonly format: 'orch-store'
  readonly version: number
  /** The id of the store. */
  readonly cluster: string
  readonly revision: number
  readonly compacted: number
  readonly trimmed: number
  /** When it was made, in ISO form. */
  readonly made: string
}

/** What the trailer says of everything before it. */
export interface ArchiveTrailer {
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

/** The version of the format that this code writes, and the latest that it reads. */
export const archiveVersion = 1

/** Bytes of a row beside its key and value. */
export const rowHeadBytes = 32

/** Most bytes of a header or trailer. */
export const maxLineBytes = 4096

/** Most bytes of a block: what stands behind a larger number is no archive. */
export const maxBlockBytes = 1 << 30

/** The header of a store's archive. */
export function headerOf(state: StoreState, made: string): ArchiveHeader {
  const { id, revision, compacted, trimmed } = state
  const format = 'orch-store'
  return { format, version: archiveVersion, cluster: id, revision, compacted, trimmed, made }
}
