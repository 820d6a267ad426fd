import type { Scheme } from './scheme.ts'

/** The names of the feature gates that are on. */
export type EnabledGates = ReadonlySet<string>

/** Streaming lists: alpha, off by default. */
export const watchListGate = 'WatchList'

/** gzip of large responses: beta, on by default. */
export const compressionGate = 'APIResponseCompression'

/** Health checks as metrics: beta, on by default. */
export const slisGate = 'ComponentSLIs'

/** Unchanged parts of custom resources may stay wrong, rules may run without an old value: alpha, off. */
export const ratchetingGate = 'CRDValidationRatcheting'

/** The gates that are on in a scheme without a table of gates. */
export const defaultEnabledGates: EnabledGates = new Set([compressionGate, slisGate])

/** The gates of a scheme that are on by default. */
export function enabledGatesOf({ gates }: Pick<Scheme, 'gates'>): EnabledGates {
  return gates === undefined ? defaultEnabledGates : new Set(gates)
}
