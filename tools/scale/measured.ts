import type { Costs } from './costs.ts'

/** Of 100,000 small objects in PostgreSQL, on a machine that others used, too: the processor's time, which that changes least. */
export const measured: Costs = {
  emptyMiB: 85,
  keptBytes: 600,
  storedBytes: 500,
  startUs: 20,
  kept: { get: 0.2, page: 3, write: 1 },
  uncached: { get: 0.6, page: 8, write: 1 },
  followed: 0.3,
  database: { get: 0.15, page: 2.5, write: 0.4 },
}
