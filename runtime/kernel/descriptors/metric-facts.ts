/**
 * The metrics of a process as generated from `schemas/metrics.yaml`: facts only. `runtime/observe` counts them and writes
 * them down.
 */
export type MetricStability = 'ALPHA' | 'BETA' | 'STABLE'

/** The programs that serve metrics. One with controllers of its own counts what the controller manager does. */
export type Daemon = 'apiserver' | 'controller-manager' | 'agent'

export interface MetricFacts {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly stability: MetricStability
  /** In the order in which code gives their values. */
  readonly labels: readonly string[]
  /** Upper bounds of a histogram, ascending; the last, infinite one is implied. */
  readonly buckets?: readonly number[]
  /** Who serves it. Default: the API server. */
  readonly daemons?: readonly Daemon[]
  /** The release that deprecated it: `1.27`. */
  readonly deprecated?: string
  readonly help: string
}

/** The programs that serve a metric. */
export function daemonsServing({ daemons = ['apiserver'] }: MetricFacts): readonly Daemon[] {
  return daemons
}

/** True for a metric that a program serves. */
export function isServedBy(facts: MetricFacts, daemon: Daemon): boolean {
  return daemonsServing(facts).includes(daemon)
}
