import type { StoreDriver } from '../driver.ts'
import { openSqliteStore } from './open.ts'

/** A store that lives as long as it is open. */
export interface MemoryLocation {
  readonly kind: 'memory'
}

/**
 * What a store in memory is ahead of the clock. Each begins its revisions where the clock stands, so that a revision which
 * a client kept from an earlier server lies before its history and is answered with 410, not taken for one of its own.
 */
const revisionsPerMs = 16

/** What the log of a store in memory keeps: its readers are in the same process and remember for themselves. */
const shortHistory = { retentionMs: 5000, retainedBytes: 16 * 1024 * 1024 }

/** SQLite in memory. */
export const memoryDriver: StoreDriver<MemoryLocation> = {
  form: 'memory',
  parse: (text) => (text === 'memory' ? { kind: 'memory' } : undefined),
  problem: () => undefined,
  open(_, options) {
    const startRevision = options.clock.now() * revisionsPerMs
    return openSqliteStore({ ...options, ...shortHistory, filename: ':memory:', startRevision })
  },
}
