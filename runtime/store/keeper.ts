/** What is done to stores without a server: they are moved, kept, examined. */
import type { Clock } from '../kernel/async/clock.ts'
import type { LoadedStore, LoadOptions, StoreDump, StoreState } from './dump.ts'

/** What an examination may do beside looking. */
export interface ExaminationOptions {
  /** Mends what can be mended without losing an object. */
  readonly repair?: boolean
  /** Mends also by going on without what is lost. */
  readonly acceptLoss?: boolean
}

/** One thing that is wrong. */
export interface StoreFinding {
  readonly code: /** Pages of the file contradict each other. */
    | 'pages'
    /** Tables, triggers or functions are not as this program makes them. */
    | 'tables'
    /** The numbers that a store has beside its log contradict it. */
    | 'state'
    /** A row of the log has another value than was written, and is of the past. */
    | 'history'
    /** A row is missing, or says what cannot be. */
    | 'log'
    /** A row should have been compacted. */
    | 'obsolete'
    /** The table of what is alive differs from the log. */
    | 'pointers'
    /** The latest version of an object is not there, or not what was written. */
    | 'lost'
  readonly message: string
  /** Whether `repair` mends it, whether that needs `acceptLoss`, or neither helps. */
  readonly remedy: 'repair' | 'accept loss' | 'restore'
}

/** The result of an examination. */
export interface Examination {
  readonly state: StoreState | undefined
  readonly rows: number
  readonly objects: number
  readonly findings: readonly StoreFinding[]
  /** How many findings there are, those that are not listed included. */
  readonly count: number
  /** True if all of them are mended now. */
  readonly repaired: boolean
}

/** How a caller of a keeper hears of time. */
export interface KeeperOptions {
  readonly clock: Clock
}

/** Bytes on the disk, by what they are. */
export type StoreSizes = Readonly<Record<string, number>>

/** What moves and keeps the stores of a kind of database. Errors are for the operator; none leaves anything half done. */
export interface StoreKeeper<L> {
  /**
   * What a store holds at this moment. `alone`: refuse a store that a server has open, so that nothing is written to it afterwards.
   *
   * @throws Error if there is no store.
   */
  dump(location: L, options: KeeperOptions & { readonly alone?: boolean }): Promise<StoreDump>
  /**
   * Makes a store of a dump, as a whole or not at all.
   *
   * @throws Error if a server has the store of that location open, or if it holds something and is not to be replaced.
   */
  load(location: L, dump: StoreDump, options: KeeperOptions & LoadOptions): Promise<LoadedStore>
  /** Looks for everything that is wrong with a store that no server has open, and mends it if it is told to. */
  examine(location: L, options: KeeperOptions & ExaminationOptions): Promise<Examination>
  /** Gives the space back that compaction left. */
  vacuum(location: L, options: KeeperOptions): Promise<void>
  /** What the store takes on the disk. */
  sizes(location: L, options: KeeperOptions): Promise<StoreSizes>
}
