import type { StoreDriver } from '../driver.ts'
import { type MemorySnapshot, MemoryStore } from './memory-store.ts'

/** A store that lives as long as it is open. */
export interface MemoryLocation {
  readonly kind: 'memory'
  /** What it begins with. Default: it is empty. */
  readonly from?: MemorySnapshot
}

/**
 * What a store in memory is ahead of the clock. Each begins its revisions where the clock stands, so that a revision which
 * a client kept from an earlier server lies before its history and is answered with 410, not taken for one of its own.
 */
const revisionsPerMs = 16

/** The memory of this process. */
export const memoryDriver: StoreDriver<MemoryLocation> = {
  form: 'memory',
  parse: (text) => (text === 'memory' ? { kind: 'memory' } : undefined),
  problem: () => undefined,
  async open({ from }, options) {
    const empty = { entries: new Map(), revision: options.clock.now() * revisionsPerMs }
    return new MemoryStore(from ?? empty, options)
  },
}
