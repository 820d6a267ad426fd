import type { Scheme } from './scheme.ts'

/** The names of the feature gates that are on. */
export type EnabledGates = ReadonlySet<string>

/** Streaming lists: alpha, off unless somebody turns it on. */
export const watchListGate = 'WatchList'

/** gzip on large answers: beta, on unless somebody turns it off. */
export const compressionGate = 'APIResponseCompression'

/** Health checks as metrics of their own: beta, on. */
export const slisGate = 'ComponentSLIs'

/** Unchanged parts of custom resources may stay wrong, rules may run without an old value: alpha, off. */
export const ratchetingGate = 'CRDValidationRatcheting'

/** What is on where nobody says anything, and the tree has no table of gates. */
export const defaultEnabledGates: EnabledGates = new Set([compressionGate, slisGate])

/** The gates of a tree that are on where nobody says anything. */
export function enabledGatesOf({ gates }: Pick<Scheme, 'gates'>): EnabledGates {
  return gates === undefined ? defaultEnabledGates : new Set(gates)
}
