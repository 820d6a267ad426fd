import type { Clock } from '../kernel/async/clock.ts'
import type { StoreKeeper } from './keeper.ts'
import type { LogStore } from './log-store.ts'

/** What every driver opens a store with. */
export interface StoreOptions {
  readonly clock: Clock
  /** How many milliseconds `run` keeps history. Default 300,000. */
  readonly retentionMs?: number
  /** Most bytes of history that `run` keeps. Default: as many as there are. */
  readonly retainedBytes?: number
  /** Milliseconds between two compactions of `run`. Default a fifth of `retentionMs`, from a second to a minute. */
  readonly compactionIntervalMs?: number
  /** Most bytes of one value. Default 1.5 MiB. */
  readonly maxValueBytes?: number
  /**
   * What is kept of a value in memory, where its readers would make the same of it again: they then share its bytes. A file has the
   * value as it came.
   */
  readonly stamp?: (value: Uint8Array, revision: number) => Uint8Array
  /** Overwrites the bytes of what is deleted, where they are in a file. Default false. */
  readonly erase?: boolean
  /** Hears of the latest revision before the writes up to it are acknowledged, from a store that this process owns. */
  readonly onCommit?: (revision: number) => void
  /** Hears of a compaction that failed; `run` goes on. */
  readonly onCompactionFailure?: (error: unknown) => void
  /** Hears why nothing can be written to a store that is there: what is in it can be read. */
  readonly onReadOnly?: (why: Error) => void
  /** Hears why a database that is reached over a network does not answer any more; the store goes on trying. */
  readonly onAway?: (why: string) => void
  /** Hears that it answers again. */
  readonly onBack?: (what: string) => void
  /** Hears why writes that were acknowledged may be lost when a machine fails. */
  readonly onWeakDurability?: (why: string) => void
}

/** A kind of database. `L` is where such a database is. */
export interface StoreDriver<L extends { readonly kind: string }> {
  /** How a location is written, for messages: `sqlite:FILE`. Absent for one that only programs have. */
  readonly form?: string
  /** True where several servers may have one store open at once. Default: one. */
  readonly shared?: boolean
  /** The location that a text means; undefined if it is not one of this driver. */
  parse(text: string): L | undefined
  /** Why no store could be opened there; undefined if one could. Makes and changes nothing to find out. */
  problem(location: L): string | undefined
  /**
   * Opens the store at a location, and makes it if there is none.
   *
   * @throws Error if it cannot be opened, with a message for the operator. Nothing is left behind then.
   */
  open(location: L, options: StoreOptions): Promise<LogStore>
  /** Moves and keeps what is stored there; absent where nothing is kept. */
  readonly keeper?: () => Promise<StoreKeeper<L>>
}
