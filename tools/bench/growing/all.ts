/** Every request that grows: processor time has to be linear in the number of its items. */
import { changes } from './changes.ts'
import type { Growing } from './items.ts'
import { kinds } from './kinds.ts'
import { metadata } from './metadata.ts'
import { reads } from './reads.ts'
import { workloads } from './workloads.ts'

export type { Growing, GrowingRequest } from './items.ts'

/** The requests of all routes. */
export const growingRequests: readonly Growing[] = [
  ...metadata,
  ...workloads,
  ...kinds,
  ...changes,
  ...reads,
]
