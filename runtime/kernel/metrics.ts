/**
 * The metrics of a process as generated from `schemas/metrics.yaml`: facts only. `runtime/observe` counts them and writes
 * them down.
 */
export type Stability = 'ALPHA' | 'BETA' | 'STABLE'

export interface MetricFacts {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly stability: Stability
  /** In the order in which code gives their values. */
  readonly labels: readonly string[]
  /** Upper bounds of a histogram, ascending; the last, infinite one is implied. */
  readonly buckets?: readonly number[]
  /** The release that deprecated it: `1.27`. */
  readonly deprecated?: string
  readonly help: string
}
